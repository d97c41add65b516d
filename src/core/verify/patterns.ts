/**
 * Identifies the bug behind a wrong result by the values of the wrong elements (suspects.ts), and
 * describes their positions (shapes.ts).
 */
import { t } from '@vscode/l10n';
import type { Measurement } from '../measure/measurement';
import type { WrongMap } from '../measure/wrongMap';
import { planIfLegal } from '../plan/planner';
import type { Plan } from '../plan/plan';
import type { ResolvedProblem } from '../spec/resolved';
import { describeShape, shapesOf, type ShapeId } from './shapes';
import type { Suspect, SuspectId } from './suspect';
import { suspects } from './suspects';
import { agrees, hypothesisEvaluator } from './bugHypothesis';

export interface Pattern {
  readonly id: SuspectId | ShapeId;
  readonly title: string;
  readonly reason: string;
  /** Code of the kernel to check. */
  readonly look: string;
}

/**
 * Default seed of the inputs. If the recorded values result from a different seed, they are not
 * compared.
 */
const SEED = 1;

export function patternsOf(
  {
    verification: { wrong },
    resolved,
    backend,
  }: Pick<Measurement, 'verification' | 'resolved' | 'backend'>,
  seed = SEED,
): readonly Pattern[] {
  if (wrong === undefined) return [];
  const plan =
    resolved === null ? null : planIfLegal(resolved, backend === 'webgpu' ? 'wgsl' : 'cuda');
  const known = resolved === null ? undefined : suspectOf(wrong, resolved.problem, plan, seed);
  const shapes = shapesOf(wrong, resolved?.problem ?? null, plan);
  return [
    ...(known === undefined ? [] : [describe(known, wrong)]),
    ...shapes.map(shape => describeShape(shape)),
  ];
}

/**
 * Returns the first suspect that agrees with the wrong elements. Returns undefined if no suspect
 * agrees, if elements are unwritten or not finite, or if the expected values do not match the seed.
 */
function suspectOf(
  wrong: WrongMap,
  problem: ResolvedProblem,
  plan: Plan | null,
  seed: number,
): Suspect | undefined {
  const { kinds, examples } = wrong;
  if (kinds.wrong === 0 || kinds.unwritten > 0 || kinds.notFinite > 0) return undefined;
  const suppose = hypothesisEvaluator(problem, seed);
  const right = suppose({});
  const isSeeded = examples.every(example => {
    const is = right(example);
    return is !== undefined && Math.abs(is.value - example.expected) <= is.bound;
  });
  return isSeeded
    ? suspects(problem, plan).find(suspect => agrees(problem, suppose(suspect), examples))
    : undefined;
}

function describe(suspect: Suspect, { examples }: WrongMap): Pattern {
  const { id } = suspect;
  const [title, look] = textOf(suspect);
  const reason = t(
    'The values that this bug would produce match the examples of wrong elements ({0}).',
    examples.length,
  );
  return { id, title, reason, look };
}

function textOf({
  id,
  operand = 'A',
  number = 0,
}: Suspect): readonly [title: string, look: string] {
  const kStepHint = t('Check the bounds of the loop over the k-steps of a tile.');
  const tiles = t('Check the bounds of the main loop over K tiles, its prologue and its epilogue.');
  const sliceHint = t('Check the first and last k of each split-K slice, and their reduction.');
  const store = t('Check the store to C.');
  const addresses = t('Check the address of the load from {0}.', operand);
  const copies = t(
    'Check the barriers and waits between filling and reading a buffer, and the stage index.',
  );
  const types = t('Check the types of the products and of the accumulator.');
  switch (id) {
    case 'k-tail':
      return [t('The K remainder is skipped: the partial last K tile is not accumulated.'), tiles];
    case 'k-first-tile':
      return [t('The first K tile is not accumulated.'), tiles];
    case 'k-last-tile':
      return [t('The last K tile is not accumulated.'), tiles];
    case 'k-first':
      return [t('The product at the first k is not accumulated.'), tiles];
    case 'k-last':
      return [t('The product at the last k is not accumulated.'), tiles];
    case 'k-first-step':
      return [t('The first k-step of each tile is not accumulated.'), kStepHint];
    case 'k-last-step':
      return [t('The last k-step of each tile is not accumulated.'), kStepHint];
    case 'stale-tail':
      return [
        t('Past the K remainder, stale elements of the previous tile are accumulated again.'),
        tiles,
      ];
    case 'stale-buffer':
      return [t('Stale buffer: another K tile is multiplied instead of the current tile.'), copies];
    case 'part-lost':
      return [t('Split-K slice {0} is missing from the result.', number), sliceHint];
    case 'part-only':
      return [t('Only split-K slice {0} is in the result.', number), sliceHint];
    case 'part-repeated':
      return [t('Split-K slice {0} is accumulated instead of every slice.', number), sliceHint];
    case 'part-bounds':
      return [t('The split-K slices overlap or leave a gap.'), sliceHint];
    case 'alpha':
      return [t('alpha is ignored.'), store];
    case 'beta':
      return [t('beta is ignored: the input C is not added.'), store];
    case 'beta-once':
      return [t('The input C is added without scaling by beta.'), store];
    case 'leading-dimension':
      return [t('{0} is read with a wrong leading dimension.', operand), addresses];
    case 'layout':
      return [
        t('{0} is read with the opposite layout (row-major or column-major).', operand),
        addresses,
      ];
    case 'neighbour':
      return [t('{0} is read with an offset of one row or column.', operand), addresses];
    case 'fragment-transposed':
      return [
        t(
          'Transposed fragment: the shared-memory tile of {0} is read with exchanged indices.',
          operand,
        ),
        t('Check the index into {0} in shared memory.', `${operand}s`),
      ];
    case 'swizzle':
      return [
        t(
          'The shared-memory tile of {0} is swizzled only by the store or only by the load.',
          operand,
        ),
        t('Check the index into {0} in shared memory.', `${operand}s`),
      ];
    case 'batch-first':
      return [t('Every GEMM of the batch reads {0} of the first GEMM.', operand), addresses];
    case 'batch-stride':
      return [t('{0} is read with a wrong batch stride.', operand), addresses];
    case 'exchanged':
      return [t('Neighboring elements of C are exchanged.'), store];
    case 'c-transposed':
      return [t('C is stored transposed.'), store];
    case 'products-rounded':
      return [t('Products are rounded to the element type before accumulation.'), types];
    case 'sums-rounded':
      return [t('The accumulator has a lower-precision type than specified.'), types];
  }
}
