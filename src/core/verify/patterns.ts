/**
 * Names what is wrong with a result where that can be proved: by the values of its wrong elements (suspects.ts), and by
 * where they stand (shapes.ts). Says nothing where it is not sure.
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
import { agrees, supposing } from './bugHypothesis';

export interface Pattern {
  readonly id: SuspectId | ShapeId;
  /** What is wrong. */
  readonly title: string;
  /** How that is known. */
  readonly reason: string;
  /** Where in the kernel to look. */
  readonly look: string;
}

/** What every backend seeds its inputs with; another seed is noticed, and values are not looked at then. */
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

/** What the finite ones of the wrong elements agree with; an element never written has no value to agree. */
function suspectOf(
  wrong: WrongMap,
  problem: ResolvedProblem,
  plan: Plan | null,
  seed: number,
): Suspect | undefined {
  const { kinds, examples } = wrong;
  if (kinds.wrong === 0 || kinds.unwritten > 0 || kinds.notFinite > 0) return undefined;
  const suppose = supposing(problem, seed);
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
    'What this computes was compared with {0} wrong elements, and is what stands there.',
    examples.length,
  );
  return { id, title, reason, look };
}

function textOf({
  id,
  operand = 'A',
  number = 0,
}: Suspect): readonly [title: string, look: string] {
  const depth = t('Look at the bounds of the loop over the staged tile, and at where it begins.');
  const tiles = t(
    'Look at the bounds of the loop over tiles of K, and at what is done before and after it.',
  );
  const parts = t(
    'Look at the first and the last k of each part, and at how the parts are added up.',
  );
  const store = t('Look at the store to C.');
  const addresses = t('Look at the address of the load from {0}.', operand);
  const copies = t(
    'Look at the barriers and waits between filling a buffer and reading it, and at the stage that is read.',
  );
  const types = t('Look at the types of the products and of the accumulator.');
  switch (id) {
    case 'k-tail':
      return [t('The K tail is lost: what is left of K behind whole tiles is not summed.'), tiles];
    case 'k-first-tile':
      return [t('The first tile of K is not summed.'), tiles];
    case 'k-last-tile':
      return [t('The last tile of K is not summed.'), tiles];
    case 'k-first':
      return [t('The first k is not summed.'), tiles];
    case 'k-last':
      return [t('The last k is not summed.'), tiles];
    case 'k-first-step':
      return [t('The first step of K in a tile is not summed.'), depth];
    case 'k-last-step':
      return [t('The last step of K in a tile is not summed.'), depth];
    case 'stale-tail':
      return [t('Behind the K tail, stale elements of the tile before are summed again.'), tiles];
    case 'stale-buffer':
      return [
        t('Stale buffer: another tile of K is multiplied in the place of the right one.'),
        copies,
      ];
    case 'part-lost':
      return [t('Part {0} of K is not in the sum.', number), parts];
    case 'part-only':
      return [t('Only part {0} of K is in the sum.', number), parts];
    case 'part-repeated':
      return [t('Part {0} of K is summed in the place of every part.', number), parts];
    case 'part-bounds':
      return [
        t('The parts of K do not meet: what lies between them is lost or summed twice.'),
        parts,
      ];
    case 'alpha':
      return [t('alpha is ignored.'), store];
    case 'beta':
      return [t('beta is ignored: C before is not added.'), store];
    case 'beta-once':
      return [t('C before is added without beta.'), store];
    case 'leading-dimension':
      return [t('{0} is read with a wrong leading dimension.', operand), addresses];
    case 'layout':
      return [t('{0} is read as if its layout were the other one.', operand), addresses];
    case 'neighbour':
      return [t('{0} is read one row or column beside.', operand), addresses];
    case 'fragment-transposed':
      return [
        t(
          'Transposed fragment: the staged tile of {0} is read with its indices exchanged.',
          operand,
        ),
        t('Look at the index into {0} in shared memory.', `${operand}s`),
      ];
    case 'swizzle':
      return [
        t('The staged tile of {0} is swizzled on one side only.', operand),
        t('Look at the index into {0} in shared memory.', `${operand}s`),
      ];
    case 'batch-first':
      return [t('Every product of the batch reads {0} of the first one.', operand), addresses];
    case 'batch-stride':
      return [t('{0} of the products of the batch is read at a wrong stride.', operand), addresses];
    case 'exchanged':
      return [t('Neighbouring elements of C stand in each other’s place.'), store];
    case 'c-transposed':
      return [t('C is stored transposed.'), store];
    case 'products-rounded':
      return [t('Products are rounded to the type of the elements before they are summed.'), types];
    case 'sums-rounded':
      return [t('Sums are kept in a less exact type than the accumulator.'), types];
  }
}
