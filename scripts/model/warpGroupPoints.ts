/** Converts recorded `wgmma` benchmarks to inputs of the time model. */
import * as v from 'valibot';
import type { WarpGroupCalibration } from '../../src/core/model/wgmma/wgmmaCalibration';
import { predictWarpGroups, warpGroupMachine } from '../../src/core/model/wgmma/wgmmaModel';
import { NO_CLUSTER, tmaBytes } from '../../src/core/plan/traffic';
import { deviceOf } from '../../src/core/hardware/devices';
import type { Plan } from '../../src/core/plan/plan';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import { specSchema } from '../../src/core/spec/schema';
import { DEVICE, problemOf } from '../tensor/candidates';
import { racesIn } from '../tensor/raced';

export interface GroupPoint {
  readonly plan: Plan;
  readonly milliseconds: number;
  /** Whether the kernel was timed in interleaved rounds; false if it was excluded as slow. */
  readonly tookTurns: boolean;
}

export interface Race {
  readonly key: string;
  readonly shape: string;
  readonly points: readonly GroupPoint[];
}

export const racesOf = (lines: string): readonly Race[] =>
  racesIn(lines).map(({ race: { key, shape, dtype, order, kernels } }) => {
    const problem = problemOf({ shape, dtype, order });
    const points = kernels.flatMap(({ schedule, medianMs, behind }) => {
      if (medianMs === undefined) return [];
      const given = { problem, schedule, targets: ['cuda'], device: DEVICE };
      const planned = plan(resolve(v.parse(specSchema, given)), 'cuda');
      if (!planned.ok) throw new Error(`${key}: ${JSON.stringify(schedule)} is not legal`);
      return [{ plan: planned.plan, milliseconds: medianMs, tookTurns: behind === false }];
    });
    return { key, shape: shape.name, points };
  });

const machine = warpGroupMachine(deviceOf(DEVICE));

export function predictedMs({ plan: of }: GroupPoint, calibration: WarpGroupCalibration): number {
  if (of.family !== 'wgmma' || machine === null) throw new Error('not a wgmma kernel');
  return predictWarpGroups({ plan: of, machine, calibration }).milliseconds;
}

/**
 * Computes the bandwidth in GB/s at which TMA loads tiles into all SMs, averaged over the kernel
 * time. Counts only elements inside the matrices; returns 0 if a pre-pass copies an operand.
 */
export function arrivedGBps({ plan: of, milliseconds }: GroupPoint): number {
  if (of.family !== 'wgmma') throw new Error('not a wgmma kernel');
  return of.wgmma.workspaceBytes > 0 ? 0 : tmaBytes(of, NO_CLUSTER) / milliseconds / 1e6;
}
