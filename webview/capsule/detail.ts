/** Levels of detail of a capsule, from complete to the smallest, for its size limit. */
import { t } from '@vscode/l10n';

export interface Detail {
  /** Whether the source code has syntax colors. */
  readonly colors: boolean;
  /** Whether the worst-case requests to memory are drawn. */
  readonly requests: boolean;
  /** Maximum number of characters of each kernel source. */
  readonly sourceCharacters: number;
  /** Maximum number of earlier runs in the table. */
  readonly earlierRuns: number;
}

const COMPLETE: Detail = {
  colors: true,
  requests: true,
  sourceCharacters: Infinity,
  earlierRuns: 30,
};

export const DETAILS: readonly Detail[] = [
  COMPLETE,
  { ...COMPLETE, colors: false },
  { ...COMPLETE, colors: false, requests: false },
  { colors: false, requests: false, sourceCharacters: 100_000, earlierRuns: 10 },
  { colors: false, requests: false, sourceCharacters: 20_000, earlierRuns: 0 },
];

export interface Amounts {
  /** Number of characters of the longest kernel source. */
  readonly longestSource: number;
  readonly earlierRuns: number;
}

/** Returns what a level of detail leaves out, one sentence each. */
export function omissions(
  { colors, requests, sourceCharacters, earlierRuns }: Detail,
  amounts: Amounts,
): readonly string[] {
  const older = amounts.earlierRuns - earlierRuns;
  return [
    ...(colors ? [] : [t('The syntax colors of the source code are left out.')]),
    ...(requests ? [] : [t('The pictures of memory requests are left out.')]),
    ...(amounts.longestSource > sourceCharacters
      ? [
          t(
            'The source code ends after {0} characters. Fix: generate the files from the spec.',
            sourceCharacters,
          ),
        ]
      : []),
    ...(older > 0 ? [t('{0} earlier runs are left out.', older)] : []),
  ];
}
