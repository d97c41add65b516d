/**
 * How deep properties and draws go. `npm run test:all` takes them whole, from fresh seeds; the
 * other tiers take a sample from a fixed seed, so that they neither vary nor last.
 */
export const IS_WHOLE = process.env['GEMM_TEST_DEPTH'] === 'whole';

/** Fixed for samples. */
export const SAMPLE_SEED = 20261124;

const SHARE_OF_SAMPLE = 0.05;
const LEAST_RUNS = 10;

/**
 * Returns fast-check's parameters for a property that takes `whole` runs in the long tier, `least`
 * or more in a sample.
 */
export const runs = (
  whole: number,
  least = LEAST_RUNS,
): { readonly numRuns: number; readonly seed?: number } =>
  IS_WHOLE ? { numRuns: whole } : { numRuns: sampleOf(whole, least), seed: SAMPLE_SEED };

/** Returns how many of `whole` cases a sample takes, `least` or more. */
export const sampleOf = (whole: number, least = LEAST_RUNS): number =>
  IS_WHOLE ? whole : Math.min(whole, Math.max(least, Math.ceil(whole * SHARE_OF_SAMPLE)));

/** Returns all cases, or the first of each `every` in a sample. */
export const sampled = <Case>(cases: readonly Case[], every = 4): readonly Case[] =>
  IS_WHOLE ? cases : cases.filter((_, index) => index % every === 0);

/**
 * Returns whether a property saw enough cases of a kind: more than `whole` in the long tier, at
 * least one in a sample.
 */
export const isEnough = (count: number, whole: number): boolean =>
  IS_WHOLE ? count > whole : count > 0;

/**
 * Defines a test that only `npm run test:all` runs. For slow variants of a test that every tier
 * runs.
 */
export const itWhole = (title: string, test: Mocha.AsyncFunc): void => {
  if (IS_WHOLE) it(title, test);
};
