/** Recorded races of `wgmma` as the time model sees them. */
import * as v from 'valibot';
import type { WarpGroupCalibration } from '../../src/core/model/wgmma/wgmmaCalibration';
import { predictWarpGroups, warpGroupMachine } from '../../src/core/model/wgmma/wgmmaModel';
import { ALONE, broughtBytes } from '../../src/core/plan/traffic';
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
  /** Timed in turns with others until the end; else in heats before, and found to be slow. */
  readonly tookTurns: boolean;
}

export interface Race {
  readonly key: string;
  readonly shape: string;
  readonly points: readonly GroupPoint[];
}

/** Of a file of JSON lines, the races; of those the kernels that were timed. */
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
  if (of.family !== 'wgmma' || machine === null) throw new Error('no kernel of wgmma');
  return predictWarpGroups({ plan: of, machine, calibration }).milliseconds;
}

/**
 * Of tiles that arrived at all multiprocessors in the whole time of a kernel: of elements that there are, for TMA brings no
 * others. Nothing of matrices that a kernel before writes.
 */
export function arrivedGBps({ plan: of, milliseconds }: GroupPoint): number {
  if (of.family !== 'wgmma') throw new Error('no kernel of wgmma');
  return of.wgmma.workspaceBytes > 0 ? 0 : broughtBytes(of, ALONE) / milliseconds / 1e6;
}
