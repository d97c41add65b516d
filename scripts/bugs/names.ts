/** What a wrong result of a seeded bug was named, and which names are right. */
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

/** Names of the wrong values; undefined where there was a finding, or no wrong result. */
export async function namesOf(kernel: Kernel): Promise<readonly Id[] | undefined> {
  const run = await simulateBackend.run({ runnable: kernel, mode: 'verify', seed: SEED }, context);
  return run.verification.wrong === undefined
    ? undefined
    : patternsOf({ ...run, resolved: { ...kernel.spec, problem: kernel.problem } }, SEED).map(
        ({ id }) => id,
      );
}

/** Names that are true of any bug: they say where, and the map is their proof. */
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
  [/^last step of the depth/, ['k-last-step', 'k-last', 'k-tail', 'k-last-tile', 'part-lost']],
  [/^first step of the depth/, ['k-first-step', 'k-first', 'k-tail', 'part-bounds', 'part-lost']],
  [/^shared tile read or written transposed/, ['fragment-transposed']],
  [/^alpha/, ['alpha']],
  [/^beta/, ['beta']],
  [/^what is left of K left out/, ['k-tail', 'k-last-tile', 'part-only']],
  [/^what is left of K multiplied as a whole/, ['stale-tail']],
  [/^matrix of the first product/, ['batch-first']],
  [/^batch stride/, ['batch-stride', 'batch-first']],
  [/^products rounded/, ['products-rounded']],
  [/^(summed in a lower|sum rounded)/, ['sums-rounded']],
  [/^swizzle/, ['swizzle']],
  [
    /^(parts|last part|every part|first part|all parts|stored instead)/,
    ['part-lost', 'part-only', 'part-repeated', 'part-bounds', 'k-first'],
  ],
  [/^kernel left out/, ['beta-once']],
  [/^wrong stride/, ['leading-dimension']],
  [/^accumulator/, []],
];

export const isRight = (bug: string, id: Id): boolean =>
  PLACES.includes(id) || RIGHT.some(([pattern, ids]) => pattern.test(bug) && ids.includes(id));

/** A row for each seed that ends with a wrong result. */
export async function namesOfSeeds(seeds: readonly Seed[]): Promise<readonly Named[]> {
  const rows: Named[] = [];
  for (const { algorithm, bug, place, kernel, textOnly } of seeds) {
    const names = textOnly === true ? undefined : await namesOf(kernel);
    if (names !== undefined) rows.push({ algorithm, bug, place, names });
  }
  return rows;
}
