/**
 * Makes random choices that depend only on the seed, so every machine and every process makes the
 * same choices.
 */
import { pcgHash } from '../../src/core/verify/inputs';

export interface Choices {
  readonly pick: <T>(values: readonly T[]) => T;
  /** Returns a random integer from `least` to `most`, inclusive. */
  readonly between: (least: number, most: number) => number;
  /** Returns the fields with the given probability in percent, otherwise an empty object. */
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
