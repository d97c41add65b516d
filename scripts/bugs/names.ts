/** Computes the names of the wrong results of seeded bugs, and checks which names are correct. */
import type { Kernel } from '../../src/core/kernel/kernel';
import { simulateBackend } from '../../src/core/simulate/backend';
import { patternsOf, type Pattern } from '../../src/core/verify/patterns';
import type { Seed } from './seeds';
import { SEED } from './table';

type Id = Pattern['id'];

export interface Named {
  readonly algorithm: string;
  readonly bug: string;
  readonly place: string;
  readonly names: readonly Id[];
}

const context = { abort: new AbortController().signal, progress: () => undefined };

/**
 * Returns the names of a kernel's wrong result; undefined if simulate reports another finding or a
 * correct result.
 */
export async function namesOf(kernel: Kernel): Promise<readonly Id[] | undefined> {
  const run = await simulateBackend.run({ runnable: kernel, mode: 'verify', seed: SEED }, context);
  return run.verification.wrong === undefined
    ? undefined
    : patternsOf({ ...run, resolved: { ...kernel.spec, problem: kernel.problem } }, SEED).map(
        ({ id }) => id,
      );
}

/**
 * Names that are correct for any bug, because they describe only the positions of the wrong
 * elements.
 */
const PLACES: readonly Id[] = [
  'outside',
  'nothing-written',
  'tiles-unwritten',
  'unwritten',
  'not-finite',
  'edge-tiles',
  'one-warp',
  'one-thread',
  'vector-element',
  'one-element',
];

const RIGHT: readonly (readonly [bug: RegExp, ids: readonly Id[]])[] = [
  [/^last k-step/, ['k-last-step', 'k-last', 'k-tail', 'k-last-tile', 'part-lost']],
  [/^first k-step/, ['k-first-step', 'k-first', 'k-tail', 'part-bounds', 'part-lost']],
  [/^shared tile read or written transposed/, ['fragment-transposed']],
  [/^alpha/, ['alpha']],
  [/^beta/, ['beta']],
  [/^K remainder skipped/, ['k-tail', 'k-last-tile', 'part-only']],
  [/^K remainder multiplied/, ['stale-tail']],
  [/^first matrix of the batch/, ['batch-first']],
  [/^batch stride/, ['batch-stride', 'batch-first']],
  [/^products rounded/, ['products-rounded']],
  [/^(accumulated in lower|accumulator rounded)/, ['sums-rounded']],
  [/^swizzle/, ['swizzle']],
  [
    /^(slices|last slice|every slice|first slice|all slices|stored instead)/,
    ['part-lost', 'part-only', 'part-repeated', 'part-bounds', 'k-first'],
  ],
  [/^kernel omitted/, ['beta-once']],
  [/^wrong stride/, ['leading-dimension']],
  [/^accumulator/, []],
];

export const isRight = (bug: string, id: Id): boolean =>
  PLACES.includes(id) || RIGHT.some(([pattern, ids]) => pattern.test(bug) && ids.includes(id));

export async function namesOfSeeds(seeds: readonly Seed[]): Promise<readonly Named[]> {
  const rows: Named[] = [];
  for (const { algorithm, bug, place, kernel, textOnly } of seeds) {
    const names = textOnly === true ? undefined : await namesOf(kernel);
    if (names !== undefined) rows.push({ algorithm, bug, place, names });
  }
  return rows;
}
