/** Compares micro-benchmark results of a GPU with its datasheet. */
import type { PeakKey } from '../../src/core/hardware/deviceSpec';
import { findDevice, matchDevice, type Device } from '../../src/core/hardware/devices';
import { table } from '../sections';
import type { Ceilings } from './records';

const PEAK: Readonly<Record<string, PeakKey>> = {
  'fma.f32': 'f32',
  'fma.f64': 'f64',
  'fma.f16': 'f16',
  'fma.s32': 's32',
  'mma.f16.f32': 'f16-tensor',
  'mma.bf16.f32': 'bf16-tensor',
  'mma.tf32.f32': 'tf32-tensor',
  'mma.s8.s32': 's8-tensor',
  'mma.f64.f64': 'f64-tensor',
  'wgmma.f16.f32': 'f16-tensor',
  'wgmma.bf16.f32': 'bf16-tensor',
  'wgmma.tf32.f32': 'tf32-tensor',
  'wgmma.e4m3.f32': 'e4m3-tensor',
};

/**
 * Returns the datasheet value in the unit of the ceiling; undefined if the datasheet does not state
 * it.
 */
function stated(id: string, device: Device): number | undefined {
  if (id === 'dram') return device.memoryBandwidthGBps;
  const key = PEAK[id];
  const peak = key && device.peakTflops[key];
  return peak === undefined ? undefined : peak * 1000;
}

export function ceilingsTable({ device: on, how, list, ...record }: Ceilings): string {
  const device = findDevice(matchDevice(on.name) ?? '');
  if (device === undefined) throw new Error(`${on.name} is not in the device table`);
  const rows = list.map(({ id, value, unit }) => {
    const [factor, shown] = unit === 'GFLOP/s' ? [1000, 'TFLOP/s'] : [1, unit];
    const sheet = stated(id, device);
    return [
      `\`${id}\``,
      (value / factor).toFixed(factor === 1 ? 0 : 1),
      shown,
      sheet === undefined ? '' : String(Number((sheet / factor).toFixed(1))),
      sheet === undefined ? '' : ((100 * value) / sheet).toFixed(1),
    ];
  });
  return [
    table(['ceiling', 'reached', 'unit', 'datasheet', '% of datasheet'], rows),
    '',
    `How: ${how}.`,
    '',
    `${on.name}, ${on.uuid}, driver ${on.driver}, SM clock ${record.clocks.smMHz.toFixed(0)} MHz, memory clock ${record.clocks.memoryMHz.toFixed(0)} MHz; ${record.date}; commit \`${record.commit}\`; \`${record.command}\`; raw: \`bench/h200-ceilings.json\`. Datasheet: ${device.source}.`,
  ].join('\n');
}
