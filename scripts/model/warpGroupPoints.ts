/** Converts recorded `wgmma` benchmarks to inputs of the time model. */
import * as v from 'valibot';
import type { WarpGroupCalibration } from '../../src/core/cost/wgmma/wgmmaCalibration';
import { kernelOf, type WarpGroupKernel } from '../../src/core/cost/wgmma/wgmmaKernel';
import {
  predictKernel,
  warpGroupMachine,
  type WarpGroupMachine,
} from '../../src/core/cost/wgmma/wgmmaModel';
import { isSlowPingpong } from '../../src/core/defaults/wgmma/wgmmaCandidates';
import { NO_CLUSTER, tmaBytes } from '../../src/core/plan/traffic';
import { deviceOf, matchDevice, type DeviceId } from '../../src/core/hardware/devices';
import type { WarpGroupPlan } from '../../src/core/plan/plan';
import { plan } from '../../src/core/plan/planner';
import { isTransposedBox } from '../../src/core/plan/wgmma/wgmmaOutput';
import { resolve } from '../../src/core/defaults/resolve';
import { specSchema, type GemmSpec } from '../../src/core/spec/schema';
import { DEVICE, problemOf } from '../tensor/candidates';
import { isTensorRace, racesIn, type Contestant } from '../tensor/raced';
import { randomRacesIn, type RandomRace } from '../random/raced';

export interface GroupPoint {
  readonly plan: WarpGroupPlan;
  readonly kernel: WarpGroupKernel;
  readonly machine: WarpGroupMachine;
  readonly milliseconds: number;
  /** SM clock of the benchmark, which interleaved kernels share. */
  readonly clockMHz: number | undefined;
  /** Whether the kernel was timed in interleaved rounds; false if it was excluded as slow. */
  readonly tookTurns: boolean;
  /** Whether the record states the epilogue. Older records precede staged stores. */
  readonly hasEpilogue: boolean;
}

export interface Race {
  readonly key: string;
  readonly shape: string;
  readonly points: readonly GroupPoint[];
}

export const racesOf = (lines: string): readonly Race[] =>
  isTensorRace(lines)
    ? racesIn(lines).map(({ race: { key, shape, dtype, order, kernels } }) => ({
        key,
        shape: shape.name,
        points: pointsOf({ key, problem: problemOf({ shape, dtype, order }), kernels }, DEVICE),
      }))
    : randomRacesIn(lines).map(({ device, ...race }) => ({
        key: race.key,
        shape: race.key,
        points: pointsOf(race, matchDevice(device)),
      }));

/**
 * Returns the races that a fit uses. In the older benchmarks of the H100, pre-pass kernels were
 * slower, so their races with pre-pass kernels are not used.
 */
export const fittedRaces = (lines: string): readonly Race[] =>
  racesOf(lines)
    .filter(({ points }) =>
      points.every(
        ({ kernel, machine, hasEpilogue }) =>
          machine.device === DEVICE || kernel.prePass.launches === 0 || hasEpilogue,
      ),
    )
    .map(race => ({ ...race, points: race.points.filter(({ kernel }) => !isExcluded(kernel)) }))
    .filter(({ points }) => points.length > 0);

/** Kernels that the defaults exclude, whose time the model does not explain. */
const isExcluded = ({ isPingpong, tile, problem }: WarpGroupKernel): boolean =>
  isPingpong && isSlowPingpong(tile.m, Math.ceil(problem.k / tile.k));

interface Raced {
  readonly key: string;
  readonly problem: GemmSpec['problem'];
  readonly kernels: readonly (Pick<Contestant, 'schedule' | 'medianMs' | 'behind' | 'smMHz'> &
    Pick<RandomRace['kernels'][number], 'epilogue'>)[];
}

function pointsOf(
  { key, problem, kernels }: Raced,
  device: DeviceId | undefined,
): readonly GroupPoint[] {
  const machine = device === undefined ? null : warpGroupMachine(deviceOf(device));
  if (machine === null) throw new Error(`${key}: the device has no machine model`);
  return kernels.flatMap(({ schedule, medianMs, behind, epilogue, smMHz: clockMHz }) => {
    if (medianMs === undefined) return [];
    const workspaceLimitBytes = Number.MAX_SAFE_INTEGER;
    const given = { problem, schedule, targets: ['cuda'], device, workspaceLimitBytes };
    const spec = v.parse(specSchema, given);
    const planned = plan(resolve(spec), 'cuda');
    const isStored = epilogue === 'tma' || epilogue === 'threads';
    if (!planned.ok) {
      // The boxes of a column-major C need shared memory, which earlier kernels used for stages.
      if (spec.schedule?.operandOrder !== undefined && !isStored) return [];
      throw new Error(`${key}: ${JSON.stringify(schedule)} is not legal`);
    }
    const { plan: made } = planned;
    if (made.family !== 'wgmma') return [];
    const { output } = made.wgmma;
    // Earlier kernels stored a column-major C from registers.
    if (!isStored && output.by !== 'registers' && isTransposedBox(output)) return [];
    const hasEpilogue = epilogue !== undefined;
    return [
      {
        plan: made,
        kernel: asBenchmarked(kernelOf(made), hasEpilogue),
        machine,
        milliseconds: medianMs,
        clockMHz,
        tookTurns: behind === false,
        hasEpilogue,
      },
    ];
  });
}

/** Kernels without a recorded epilogue stored unaligned rows of C from registers. */
const asBenchmarked = (kernel: WarpGroupKernel, hasEpilogue: boolean): WarpGroupKernel =>
  !hasEpilogue && kernel.stores === 'staged' ? { ...kernel, stores: 'direct' } : kernel;

/** Predicts the time at the recorded clock, because interleaved kernels share the power limit. */
export const predictedMs = (
  { kernel, machine, clockMHz }: GroupPoint,
  calibration: WarpGroupCalibration,
): number => predictKernel(kernel, { machine, calibration, clockMHz }).milliseconds;

/**
 * Computes the bandwidth in GB/s at which TMA loads tiles into all SMs, averaged over the kernel
 * time. Counts only elements inside the matrices; returns 0 if a pre-pass copies an operand.
 */
export function arrivedGBps({ plan: of, milliseconds }: GroupPoint): number {
  return of.wgmma.workspaceBytes > 0 ? 0 : tmaBytes(of, NO_CLUSTER) / milliseconds / 1e6;
}
