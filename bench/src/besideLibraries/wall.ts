/** Products by the wall clock, the same way for everyone: batches of them, each done when its last product is read. */
import type { Verification } from '../../../src/core/measure/measurement';
import type { Wall, WallPatience } from '../../../scripts/besideLibraries/job';

/** Something that multiplies: a library, or a kernel of ours. */
export interface Multiplier {
  /** Multiplies so often; resolves when every product is done, and an element of the last one was read. */
  readonly multiply: (products: number) => Promise<void>;
  /** The last product. */
  readonly result: () => Promise<Float32Array<ArrayBuffer>>;
}

const FEWEST_PRODUCTS = 3;
const MOST_PRODUCTS = 1000;

/** So many that a batch takes about `batchMs`, that one read-back hardly counts. */
export const productsFor = (batchMs: number, productMs: number): number =>
  Math.min(MOST_PRODUCTS, Math.max(FEWEST_PRODUCTS, Math.ceil(batchMs / productMs)));

/** Why a timed batch does not count: a library that puts its work off would look fast. */
export const lazyBatch = (products: number, dispatches: number): string | undefined =>
  dispatches >= products
    ? undefined
    : `${products} products were asked for, and ${dispatches} kernels launched until they were said to be done.`;

/** Why a result does not count. */
export const wrongResult = ({ mismatches, samples }: Verification): string | undefined =>
  mismatches === 0 && samples > 0
    ? undefined
    : `${mismatches} of ${samples} compared elements are outside their bound.`;

/** `dispatches`: how many kernels this process has launched so far. */
export async function timeByWall(
  { multiply }: Multiplier,
  { warmUpMs, batchMs, batches }: WallPatience,
  dispatches: () => number,
  now: () => number,
): Promise<Wall> {
  // The first product waits for the compiler.
  await multiply(1);
  const began = now();
  let productMs = Infinity;
  let products = 1;
  do {
    const begin = now();
    await multiply(products);
    productMs = (now() - begin) / products;
    products = Math.min(2 * products, productsFor(batchMs, productMs));
  } while (now() - began < warmUpMs);
  products = productsFor(batchMs, productMs);
  const timesMs: number[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const before = dispatches();
    const begin = now();
    await multiply(products);
    timesMs.push((now() - begin) / products);
    const lazy = lazyBatch(products, dispatches() - before);
    if (lazy !== undefined) throw new Error(lazy);
  }
  return { products, timesMs };
}
