/**
 * Times GEMMs by the wall clock in the same way for all entrants: in batches, each complete when
 * its last result is read.
 */
import type { Verification } from '../../../src/core/measure/measurement';
import type { Wall, WallPatience } from '../../../scripts/besideLibraries/job';

/** A multiplier: a library, or one of our kernels. */
export interface Multiplier {
  /**
   * Computes this many GEMMs; resolves when all are complete and an element of the last result was
   * read.
   */
  readonly multiply: (products: number) => Promise<void>;
  /** The last result. */
  readonly result: () => Promise<Float32Array<ArrayBuffer>>;
}

const FEWEST_PRODUCTS = 3;
const MOST_PRODUCTS = 1000;

/**
 * Chooses the number of GEMMs for a batch of about `batchMs`, so that the read-back is negligible.
 */
export const productsFor = (batchMs: number, productMs: number): number =>
  Math.min(MOST_PRODUCTS, Math.max(FEWEST_PRODUCTS, Math.ceil(batchMs / productMs)));

/** Explains why a timed batch does not count: a library that defers its work would appear fast. */
export const lazyBatch = (products: number, dispatches: number): string | undefined =>
  dispatches >= products
    ? undefined
    : `${products} GEMMs were requested, but only ${dispatches} kernels were launched before completion was reported.`;

/** Explains why a result does not count. */
export const wrongResult = ({ mismatches, samples }: Verification): string | undefined =>
  mismatches === 0 && samples > 0
    ? undefined
    : `${mismatches} of ${samples} compared elements are outside their bound.`;

/** `dispatches`: kernels launched by this process so far. */
export async function timeByWall(
  { multiply }: Multiplier,
  { warmUpMs, batchMs, batches }: WallPatience,
  dispatches: () => number,
  now: () => number,
): Promise<Wall> {
  // The first GEMM includes compilation.
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
