/** Finds the line of a listing at which a reader starts: the main loop. */
import { factsOf } from './facts';
import type { Listing } from './instruction';
import { readPtx } from './ptx';
import { readSass } from './sass';

/**
 * Returns the line (zero-based) before the first instruction of the main loop, which is its label.
 * The loop with the most FMAs and MMAs of all kernels counts. Returns undefined without such a
 * loop.
 */
export function mainLoopLine(text: string, language: Listing['language']): number | undefined {
  const listings = language === 'ptx' ? readPtx(text) : readSass(text);
  let [most, line]: [number, number | undefined] = [0, undefined];
  for (const { loop } of listings.map(listing => factsOf(listing))) {
    const products = (loop?.mix.counts.fma ?? 0) + (loop?.mix.counts.mma ?? 0);
    if (loop === null || products <= most) continue;
    [most, line] = [products, Math.max(0, loop.first - 1)];
  }
  return line;
}
