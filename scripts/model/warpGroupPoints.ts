/** Recorded races of `wgmma` as the time model sees them. */
import * as v from 'valibot';
import type { WarpGroupCalibration } from '../../src/core/model/warpGroupCalibration';
import { predictWarpGroups, warpGroupMachine } from '../../src/core/model/warpGroups';
import { deviceOf } from '../../src/core/device/devices';
import type { Plan } from '../../src/core/plan/plan';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/spec/resolve';
import { DTYPES } from '../../src/core/spec/dtype';
import { specSchema } from '../../src/core/spec/schema';
import { ORDERS } from '../tensor/candidates';

const DEVICE = 'h200';

const kernelSchema = v.object({
  // Of a spec, which is decoded as one.
  schedule: v.unknown(),
  medianMs: v.optional(v.number()),
  samples: v.optional(v.number()),
});
const raceSchema = v.object({
  type: v.literal('race'),
  key: v.string(),
  shape: v.object({ name: v.string(), m: v.number(), n: v.number(), k: v.number() }),
  dtype: v.picklist(DTYPES),
  order: v.picklist(['TN', 'NN']),
  kernels: v.array(kernelSchema),
});

export interface GroupPoint {
  readonly plan: Plan;
  readonly milliseconds: number;
  /** Timed in turns with others until the end; else once, before, and found to be slow. */
  readonly tookTurns: boolean;
}

export interface Race {
  readonly key: string;
  readonly shape: string;
  readonly points: readonly GroupPoint[];
}

/** Of a file of JSON lines, the races; of those the kernels that were timed. */
export function racesOf(lines: string): readonly Race[] {
  return lines
    .split('\n')
    .filter(line => line.startsWith('{"type":"race"'))
    .map(line => {
      const { key, shape, dtype, order, kernels } = v.parse(raceSchema, JSON.parse(line));
      const { a, b } = ORDERS[order];
      const problem = {
        ...{ m: shape.m, n: shape.n, k: shape.k },
        ...{ a: { dtype, layout: a }, b: { dtype, layout: b } },
        ...(dtype === 'e4m3' ? { c: { dtype: 'bf16' as const } } : {}),
      };
      const points = kernels.flatMap(({ schedule, medianMs, samples = 0 }) => {
        if (medianMs === undefined) return [];
        const given = { problem, schedule, targets: ['cuda'], device: DEVICE };
        const spec = resolve(v.parse(specSchema, given));
        const planned = plan(spec, 'cuda');
        if (!planned.ok) throw new Error(`${key}: ${JSON.stringify(schedule)} is not legal`);
        return [{ plan: planned.plan, milliseconds: medianMs, tookTurns: samples > 1 }];
      });
      return { key, shape: shape.name, points };
    });
}

const machine = warpGroupMachine(deviceOf(DEVICE));

export function predictedMs({ plan: of }: GroupPoint, calibration: WarpGroupCalibration): number {
  if (of.wgmma === undefined || machine === null) throw new Error('no kernel of wgmma');
  return predictWarpGroups({ plan: of, wgmma: of.wgmma, machine, calibration }).milliseconds;
}
