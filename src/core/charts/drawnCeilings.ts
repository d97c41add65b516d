/**
 * Converts the level roofline to chart data: lines of memory levels and unused compute units, and
 * the kernel's point at each memory level.
 */
import type { LevelWithCeiling } from '../hardware/bandwidth';
import type { ComputeUnit, LevelCeiling, LevelRoofline } from '../roofline/levelRoofline';
import type { DrawnCeiling } from './rooflineAxes';

export const LEVEL_NAMES: Readonly<Record<LevelWithCeiling, string>> = {
  shared: 'shared memory',
  l1: 'L1',
  l2: 'L2',
  dram: 'DRAM',
};

/**
 * Returns the display name of a ceiling. `arriving` selects the L2-to-SM bandwidth, which differs
 * from the bandwidth of the L2 cache.
 */
export const ceilingNameOf = ({
  level,
  arriving,
}: Pick<LevelCeiling, 'level' | 'arriving'>): string =>
  arriving === true ? 'L2 to SM' : LEVEL_NAMES[level];

export const UNIT_NAMES: Readonly<Record<ComputeUnit['unit'], string>> = {
  fma: 'FMA',
  tensor: 'tensor cores',
};

/**
 * Key of a ceiling that the user can hide: a memory level, or a compute unit that the kernel does
 * not use.
 */
export type CeilingKey = LevelWithCeiling | ComputeUnit['unit'];

export const ceilingItem = (key: CeilingKey): string => `roof:${key}`;

/** `shown` selects ceilings by key; by default, all are returned. */
export function drawnCeilings(
  { levels, units, machine }: LevelRoofline,
  shown?: readonly CeilingKey[],
): readonly DrawnCeiling[] {
  const isShown = (key: CeilingKey): boolean => shown === undefined || shown.includes(key);
  const drawn = levels.filter(({ level }) => isShown(level));
  return [
    ...drawn.map(level => levelCeiling(level, drawn, machine)),
    ...units
      .filter(({ unit, used }) => !used && isShown(unit))
      .map(({ unit, dtype, peak }): DrawnCeiling => {
        const label = `${dtype} ${UNIT_NAMES[unit]}, not used`;
        return {
          item: ceilingItem(unit),
          label,
          unused: true,
          ceiling: {
            name: label,
            kind: 'compute',
            value: peak.value,
            unit: 'TFLOP/s',
            machine,
            from: 'spec',
          },
        };
      }),
  ];
}

function levelCeiling(
  roof: LevelCeiling,
  drawn: readonly LevelCeiling[],
  machine: string,
): DrawnCeiling {
  const { level, bandwidths, intensity, roof: tflops, asWritten } = roof;
  const [own] = bandwidths;
  const same = drawn.filter(({ bandwidths: [other] }) => other?.GBps === own?.GBps);
  // The roofline itself contains the DRAM ceiling. Ceilings with equal bandwidths, such as shared
  // memory and L1, share one line.
  const isDrawn = own !== undefined && level !== 'dram' && same[0] === roof;
  const label = `${ceilingNameOf(roof)}${asWritten === true ? ', as written' : ''}`;
  const names = same.map(ceilingNameOf).join(' and ');
  const name = own?.from === 'measured' ? `${names}, measured on this GPU model` : names;
  return {
    item: ceilingItem(level),
    label,
    ...(isDrawn
      ? {
          ceiling: {
            name,
            kind: 'memory',
            value: own.GBps,
            unit: 'GB/s',
            from: own.from,
            machine,
          },
        }
      : {}),
    ...(tflops === undefined
      ? {}
      : { point: { intensity: intensity.value, tflops: tflops.value } }),
  };
}
