/** Random choices from a seed: identical on every machine and in every process. */
import { pcgHash } from '../../src/core/verify/inputs';

export interface Choices {
  readonly pick: <T>(values: readonly T[]) => T;
  /** An integer in the range, both ends included. */
  readonly between: (least: number, most: number) => number;
  /** The fields with this probability, otherwise no fields. */
  readonly maybe: <T extends object>(percent: number, fields: () => T) => Partial<T>;
}

export function choicesOf(seed: number): Choices {
  const stream = pcgHash(seed);
  let step = 0;
  const below = (limit: number): number => pcgHash(stream + ++step) % limit;
  return {
    pick: <T>(values: readonly T[]): T => {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error('nothing to pick from');
      return value;
    },
    between: (least, most) => least + below(most - least + 1),
    maybe: <T extends object>(percent: number, fields: () => T): Partial<T> =>
      below(100) < percent ? fields() : {},
  };
}
