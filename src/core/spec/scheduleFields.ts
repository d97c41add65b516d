/** Schedule fields by path, and the values that disable them. */
import type { Schedule } from './schema';

const NEUTRAL: Readonly<Record<string, unknown>> = {
  swizzle: 'none',
  sharing: 'none',
  unroll: 'none',
  prefetch: 'none',
  splitK: 1,
  operandOrder: 'ab',
  'raster.order': 'row',
  'raster.group': 1,
};

export function leaves(schedule: Schedule): readonly (readonly [path: string, value: unknown])[] {
  const found: (readonly [string, unknown])[] = [];
  for (const [key, value] of Object.entries(schedule) as [string, unknown][]) {
    if (typeof value !== 'object' || value === null) {
      if (value !== undefined) found.push([key, value]);
      continue;
    }
    for (const [name, field] of Object.entries(value) as [string, unknown][]) {
      if (field !== undefined) found.push([`${key}.${name}`, field]);
    }
  }
  return found;
}

export const isNeutral = (path: string, value: unknown): boolean => NEUTRAL[path] === value;
