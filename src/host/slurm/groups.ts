/**
 * Groups of comparable GPUs: the same model, driver and compiler. Times of different groups are
 * never compared.
 */
import type { Recorded } from './journals';

export interface Measured {
  /** UUID of the GPU, or description of the adapter with its node. */
  readonly gpu: string;
  readonly driver: string;
  readonly compiler: string;
}

/** Returns the model of each GPU, by its id. */
export const modelsOf = (records: readonly Recorded[]): ReadonlyMap<string, string> =>
  new Map(
    records.flatMap(({ record: { device } }) =>
      device === null ? [] : [[device.id, device.name]],
    ),
  );

/** Returns the group of a measurement. A GPU without a record is a group of its own. */
export const groupOf = (
  models: ReadonlyMap<string, string>,
  { gpu, driver, compiler }: Measured,
): string => JSON.stringify([models.get(gpu) ?? gpu, driver, compiler]);

/**
 * Returns the group with the most lines, of equal ones the first in alphabetical order. The result
 * is the same in each task.
 */
export function largestGroup(
  models: ReadonlyMap<string, string>,
  lines: readonly Measured[],
): string | undefined {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const group = groupOf(models, line);
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  const [first] = [...counts].sort(
    ([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1),
  );
  return first?.[0];
}
