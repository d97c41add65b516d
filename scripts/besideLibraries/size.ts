/** Problem sizes of the library comparison. */
import * as v from 'valibot';

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

/** Value of M, N and K of a square problem, or `MxNxK`. */
export const sizeSchema = v.union([
  count,
  v.pipe(
    v.string(),
    v.regex(/^[1-9]\d*x[1-9]\d*x[1-9]\d*$/, 'Expected a size such as 512x256x64.'),
  ),
]);
export type Size = v.InferOutput<typeof sizeSchema>;

export interface Extents {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

export function extentsOf(size: Size): Extents {
  if (typeof size === 'number') return { m: size, n: size, k: size };
  const [m = 0, n = 0, k = 0] = size.split('x').map(Number);
  return { m, n, k };
}

export const sizeText = (size: Size): string =>
  typeof size === 'number' ? `${size}³` : size.replaceAll('x', ' × ');

/** Reads a comma-separated list, such as `1024,512x256x64`. */
export const sizesIn = (text: string): readonly Size[] =>
  text.split(',').map(one => v.parse(sizeSchema, /^\d+$/.test(one) ? Number(one) : one));
