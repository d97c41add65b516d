/** Lists limitations of access sites that were derived from PTX. */
import { t } from '@vscode/l10n';
import type { Listing } from '../listing/instruction';
import type { Trace } from './traceWarps';
import { unreadAccess } from './memory';

const MAX_LINES = 6;

export function limitsOf(
  trace: Trace,
  { instructions, cut }: Listing,
  file: string,
): readonly string[] {
  const { unknown, undecided, traced, warps, steps } = trace;
  const linesOf = (all: Iterable<number>): string => {
    const lines = new Set(
      [...all].flatMap(at => {
        const place = instructions[at]?.from.findLast(({ file: of }) => of.endsWith(file));
        return place === undefined ? [] : [place.line];
      }),
    );
    const sorted = [...lines].sort((one, other) => one - other);
    const named = sorted.slice(0, MAX_LINES).join(', ');
    return sorted.length > MAX_LINES ? `${named}, …` : named;
  };
  const isAccess = (at: number): boolean =>
    /-(load|store|copy)$/.test(instructions[at]?.kind ?? '');
  const unknownAccesses = [...unknown].filter(isAccess);
  const otherMemory = traced.filter(
    ({ target, space }) => target === undefined && space === 'global',
  );
  const unread = new Map<string, number[]>();
  for (const [at, instruction] of instructions.entries()) {
    const name = unreadAccess(instruction);
    if (name !== undefined) unread.set(name, [...(unread.get(name) ?? []), at]);
  }
  return [
    ...(trace.cut > 0
      ? [
          t(
            'Tracing stopped after about {0} instructions in {1} of {2} warps. Costs per request cover the traced iterations; requests are not counted.',
            Math.round(steps / warps),
            trace.cut,
            warps,
          ),
        ]
      : []),
    ...(undecided.size > 0
      ? [
          t(
            'A branch depends on data or on an unknown argument (lines {0}), so the code in the branch is not traced.',
            linesOf(undecided) || '?',
          ),
        ]
      : []),
    ...(unknownAccesses.length > 0
      ? [
          t(
            'Accesses with a data-dependent address or branch condition have no computed cost (lines {0}).',
            linesOf(unknownAccesses) || '?',
          ),
        ]
      : []),
    ...(otherMemory.length > 0
      ? [
          t(
            'Accesses to memory other than A, B and C are attributed to C (lines {0}).',
            linesOf(otherMemory.map(({ at }) => at)) || '?',
          ),
        ]
      : []),
    ...[...unread].map(([name, at]) =>
      t(
        '{0} is not supported, so its transfers are not counted (lines {1}).',
        name,
        linesOf(at) || '?',
      ),
    ),
    ...(cut ? [t('The listing is truncated; instructions after the cut are not counted.')] : []),
  ];
}
