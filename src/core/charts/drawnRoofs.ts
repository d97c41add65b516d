/**
 * The hierarchical roofline in a chart: one line per additional level and unit, with the kernel's
 * point on it.
 */
import type { RoofedLevel } from '../hardware/bandwidth';
import type { ComputeUnit, LevelRoof, LevelRoofline } from '../roofline/levelRoofline';
import type { DrawnRoof } from './rooflineAxes';

export const LEVEL_NAMES: Readonly<Record<RoofedLevel, string>> = {
  shared: 'shared memory',
  l1: 'L1',
  l2: 'L2',
  dram: 'DRAM',
};

/** Names a ceiling: the L2-to-SM bandwidth differs from that of the L2 cache itself. */
export const roofNameOf = ({ level, arriving }: Pick<LevelRoof, 'level' | 'arriving'>): string =>
  arriving === true ? 'L2 to SM' : LEVEL_NAMES[level];

export const UNIT_NAMES: Readonly<Record<ComputeUnit['unit'], string>> = {
  fma: 'FMA',
  tensor: 'tensor cores',
};

/** A ceiling that can be hidden: a level of memory, or a unit that the kernel does not use. */
export type RoofKey = RoofedLevel | ComputeUnit['unit'];

export const roofItem = (key: RoofKey): string => `roof:${key}`;

/** Draws the ceilings in `shown`; default all. */
export function drawnRoofs(
  { levels, units, machine }: LevelRoofline,
  shown?: readonly RoofKey[],
): readonly DrawnRoof[] {
  const isShown = (key: RoofKey): boolean => shown === undefined || shown.includes(key);
  const drawn = levels.filter(({ level }) => isShown(level));
  return [
    ...drawn.map(level => levelRoof(level, drawn, machine)),
    ...units
      .filter(({ unit, used }) => !used && isShown(unit))
      .map(({ unit, dtype, peak }): DrawnRoof => {
        const label = `${dtype} ${UNIT_NAMES[unit]}, not used`;
        return {
          item: roofItem(unit),
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

function levelRoof(roof: LevelRoof, drawn: readonly LevelRoof[], machine: string): DrawnRoof {
  const { level, bandwidths, intensity, roof: tflops, asWritten } = roof;
  const [own] = bandwidths;
  const same = drawn.filter(({ bandwidths: [other] }) => other?.GBps === own?.GBps);
  // DRAM is a ceiling of every roofline; shared memory and L1 have the same pipe, so they share a
  // line.
  const isDrawn = own !== undefined && level !== 'dram' && same[0] === roof;
  const label = `${roofNameOf(roof)}${asWritten === true ? ', as written' : ''}`;
  const names = same.map(roofNameOf).join(' and ');
  const name = own?.from === 'measured' ? `${names}, measured on this GPU model` : names;
  return {
    item: roofItem(level),
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
