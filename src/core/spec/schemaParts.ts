/** Parts that several schemas of the spec share. */
import * as v from 'valibot';

/** Maximum M, N, K and batch count. Kernel parameters are signed 32-bit integers. */
export const MAX_DIMENSION = 2 ** 31 - 1;

export const LAYOUTS = ['row', 'col'] as const;
export type Layout = (typeof LAYOUTS)[number];

export const describe = v.description;
export const count = (description: string, max = MAX_DIMENSION) =>
  v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(max), describe(description));
