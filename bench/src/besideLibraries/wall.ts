/**
 * Times GEMMs by wall clock, with the same code for all entrants. A batch ends when an element of
 * its last result has been read.
 */
import type { Verification } from '../../../src/core/measure/measurement';
import type { Wall, WallPatience } from '../../../scripts/besideLibraries/job';

export interface Multiplier {
  /**
   * Computes `products` GEMMs; resolves when all are complete and an element of the last result has
   * been read.
   */
  readonly multiply: (products: number) => Promise<void>;
  readonly result: () => Promise<Float32Array<ArrayBuffer>>;
}

const FEWEST_PRODUCTS = 3;
const MOST_PRODUCTS = 1000;

/** Returns the number of GEMMs for a batch of about `batchMs`, limited to 3 to 1000. */
export const productsFor = (batchMs: number, productMs: number): number =>
  Math.min(MOST_PRODUCTS, Math.max(FEWEST_PRODUCTS, Math.ceil(batchMs / productMs)));

/**
 * Returns an error message if a timed batch launched fewer kernels than GEMMs; otherwise undefined.
 * A library that defers its work would appear too fast.
 */
export const lazyBatch = (products: number, dispatches: number): string | undefined =>
  dispatches >= products
    ? undefined
    : `${products} GEMMs were requested, but only ${dispatches} kernels were launched before completion was reported.`;

/**
 * Returns an error message if elements are incorrect, or if no element was compared; otherwise
 * undefined.
 */
export const wrongResult = ({ mismatches, samples }: Verification): string | undefined =>
  mismatches === 0 && samples > 0
    ? undefined
    : `${mismatches} of ${samples} compared elements exceed their error bound.`;

/**
 * Times batches of GEMMs after a warm-up. `dispatches` returns the number of kernels that this
 * process has launched.
 */
export async function timeByWall(
  { multiply }: Multiplier,
  { warmUpMs, batchMs, batches }: WallPatience,
  dispatches: () => number,
  now: () => number,
): Promise<Wall> {
  // The first GEMM includes kernel compilation.
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
