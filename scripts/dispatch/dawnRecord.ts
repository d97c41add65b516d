/**
 * Converts a record of `raceOnDawn` to dispatch rows. The record has JSON lines: a head with the
 * candidates, then one line per shape.
 */
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { adapterOf } from '../../src/core/defaults/dispatch/adapterFamily';
import { layoutsSchema, type DispatchRow } from '../../src/core/defaults/dispatch/row';
import { measurementSchema } from '../../src/core/measure/measurement';
import { decodeSpec } from '../../src/core/spec/decode';
import { resolve } from '../../src/core/defaults/resolve';
import { WGSL_COMPILER } from '../../src/webgpu/findings';

const headSchema = v.object({
  type: v.literal('head'),
  command: v.string(),
  commit: v.string(),
  dtype: v.literal('f32'),
  device: measurementSchema.entries.device,
  candidates: v.array(v.unknown()),
});

const shapeSchema = v.object({
  type: v.literal('shape'),
  shape: v.pipe(v.string(), v.regex(/^\d+x\d+x\d+$/)),
  layouts: layoutsSchema,
  contestants: v.array(v.object({ gflops: v.array(v.number()) })),
});

const F32 = { a: 'f32', b: 'f32', c: 'f32', accumulator: 'f32' } as const;

export const isDawnRace = (text: string): boolean =>
  v.safeParse(headSchema, JSON.parse(text.split('\n', 1)[0] ?? '')).success;

/**
 * Returns one row per timed candidate and shape, with the median rate of the candidate. If the
 * adapter is not in the device table, `device` is the device name in the record.
 */
export function readDawnRace(record: string): readonly DispatchRow[] {
  let head: v.InferOutput<typeof headSchema> | undefined;
  const lines = readFileSync(record, 'utf8').split('\n').filter(Boolean);
  return lines.flatMap((line): readonly DispatchRow[] => {
    const value: unknown = JSON.parse(line);
    const next = v.safeParse(headSchema, value);
    if (next.success) head = next.output;
    if (next.success || head === undefined) return [];
    const { device, commit, candidates } = head;
    const adapter = adapterOf(device);
    const { shape, layouts, contestants } = v.parse(shapeSchema, value);
    const [m = 1, n = 1, k = 1] = shape.split('x').map(Number);
    return candidates.flatMap((candidate, i): readonly DispatchRow[] => {
      const rates = contestants[i]?.gflops.toSorted((one, other) => one - other) ?? [];
      const gflops = rates[rates.length >> 1];
      if (gflops === undefined || gflops <= 0) return [];
      const decoded = decodeSpec({ problem: { m, n, k }, schedule: candidate, targets: ['wgsl'] });
      if (!decoded.ok) throw new Error(`${record}: ${JSON.stringify(decoded.errors)}`);
      return [
        {
          device: adapter?.device ?? device.name,
          ...(adapter === undefined ? {} : { family: adapter.family }),
          target: 'wgsl',
          types: F32,
          layouts,
          shape: { m, n, k, batch: 1 },
          schedule: resolve(decoded.spec).schedule,
          gflops,
          source: { record, driver: device.driver, compiler: WGSL_COMPILER, commit },
        },
      ];
    });
  });
}
