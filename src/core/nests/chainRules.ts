/** Rules of the loops over one axis: their steps cover each index exactly once. */
import { t } from '@vscode/l10n';
import { chainOf, type LoopAxis, type LoopNest } from './nest';

/** Violation of a rule; `at` is the position of the loop, or null for the whole nest. */
export interface NestViolation {
  readonly at: number | null;
  readonly message: string;
}

/** Returns why the loops over an axis do not visit each index once; `names` are all variables. */
export function chainViolations(
  nest: LoopNest,
  axis: LoopAxis,
  names: readonly string[],
): readonly NestViolation[] {
  const chain = chainOf(nest, axis);
  const last = chain.at(-1);
  if (last === undefined)
    return [{ at: null, message: t('The nest has no loop over {0}. Add one with step 1.', axis) }];
  return [
    ...(last.loop.step === 1
      ? []
      : [
          {
            at: last.at,
            message: t(
              'The innermost loop over {0} has step {1}, so that elements are skipped. Add a loop over {2} with step 1.',
              axis,
              last.loop.step,
              axis,
            ),
          },
        ]),
    ...chain.slice(1).flatMap(({ loop, at }, i) => {
      const outer = chain[i]?.loop.step ?? 1;
      if (outer === loop.step)
        return [
          {
            at,
            message: t(
              '{0} occurs twice with step {1}. Remove one of the loops, or choose a larger step for the outer one.',
              axis,
              loop.step,
            ),
          },
        ];
      return outer > loop.step && outer % loop.step === 0
        ? []
        : [
            {
              at,
              message: t(
                'Step {0} of {1} does not divide the next larger step {2}. Choose a smaller divisor of {3}.',
                loop.step,
                names[at] ?? axis,
                outer,
                outer,
              ),
            },
          ];
    }),
  ];
}
