/** Seeded draws: the same seed gives the same corpus. */
export interface Draw {
  /** An integer below `end`. */
  readonly below: (end: number) => number;
  readonly one: <T>(choices: readonly T[]) => T;
}

/** The generator mulberry32. */
export function seeded(seed: number): Draw {
  let state = seed >>> 0;
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  };
  const one = <T>(choices: readonly T[]): T => {
    const found = choices[below(choices.length)];
    if (found === undefined) throw new Error('There is nothing to draw from.');
    return found;
  };
  return { below, one };
}
