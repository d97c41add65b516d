/**
 * Converts Nsight Compute units to base units: bytes, nanoseconds, hertz. Other units are
 * unchanged.
 */

export interface BaseUnit {
  /** Unit, such as `byte`, `ns`, `byte/block` or `sector`; empty for a plain number. */
  readonly unit: string;
  readonly factor: number;
}

/** Factors of the unit prefixes, which are decimal even for bytes: 1 Kbyte is 1,000 B. */
const PREFIXES: Readonly<Record<string, number>> = {
  '': 1,
  K: 1e3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
};

/** Time units in nanoseconds. Names with `second` occur in versions before 2024.3. */
const TIMES: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  ms: 1e6,
  s: 1e9,
  nsecond: 1,
  usecond: 1e3,
  msecond: 1e6,
  second: 1e9,
};

function baseOf(part: string): BaseUnit {
  const time = Object.hasOwn(TIMES, part) ? TIMES[part] : undefined;
  if (time !== undefined) return { unit: 'ns', factor: time };
  const [, prefix, stem] = /^([KkMGT]?)(byte|[Hh]z)$/.exec(part) ?? [];
  if (prefix === undefined || stem === undefined) return { unit: part, factor: 1 };
  return { unit: stem.toLowerCase(), factor: PREFIXES[prefix] ?? 1 };
}

/** Converts a unit: `Mbyte/second` is 1e6 byte in 1e9 ns, which is 0.001 byte/ns. */
export function baseUnit(printed: string): BaseUnit {
  const [over = '', under, ...more] = printed.trim().split('/');
  if (more.length > 0) return { unit: printed.trim(), factor: 1 };
  const top = baseOf(over);
  if (under === undefined) return top;
  const bottom = baseOf(under);
  return { unit: `${top.unit}/${bottom.unit}`, factor: top.factor / bottom.factor };
}
