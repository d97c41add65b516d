/** Repair of an invalid spec by applying its quick fixes in sequence. */
import { t } from '@vscode/l10n';
import { specProblems, type SpecFix } from './specProblems';

export interface Repair {
  readonly title: string;
  readonly text: string;
}

const MAX_FIXES = 24;

/**
 * Returns the repaired text with its button label. Returns undefined if the text is legal, is not a
 * spec, or cannot be fixed.
 */
export function repairOf(text: string): Repair | undefined {
  const applied: SpecFix[] = [];
  const seen = new Set([text]);
  let now = text;
  while (applied.length <= MAX_FIXES) {
    const errors = specProblems(now, { schemaSpeaks: false }).filter(
      ({ severity }) => severity === 'error',
    );
    const [only] = applied;
    if (errors.length === 0) {
      if (only === undefined) return undefined;
      return {
        title: applied.length === 1 ? only.button : t('Apply nearest legal values'),
        text: now,
      };
    }
    const fix = errors
      .flatMap(problem => problem.fix ?? [])
      .find(one => !seen.has(fixed(now, one)));
    if (fix === undefined) return undefined;
    now = fixed(now, fix);
    seen.add(now);
    applied.push(fix);
  }
  return undefined;
}

/**
 * Applies the edits of a fix from last to first, so that the offsets of earlier edits stay valid.
 */
const fixed = (text: string, { edits }: SpecFix): string =>
  edits
    .toSorted((one, other) => other.start - one.start)
    .reduce((now, edit) => now.slice(0, edit.start) + edit.text + now.slice(edit.end), text);
