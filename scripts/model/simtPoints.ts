/** Converts recorded benchmarks of FP32 kernels to inputs of the SIMT time model. */
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { shapeClass, type ShapeClass } from '../../src/core/cost/shapeClass';
import type { SimtCalibration } from '../../src/core/cost/simt/simtCalibration';
import {
  simtMachine,
  simtPrediction,
  type SimtKernel,
  type SimtMachine,
  type SimtPrediction,
} from '../../src/core/cost/simt/simtModel';
import type { DispatchRow } from '../../src/core/defaults/dispatch/row';
import { resolve } from '../../src/core/defaults/resolve';
import { kernelsOf, spillsRegisters } from '../../src/core/defaults/simt/simtCandidates';
import { simtSchedulesFor, type SimtSchedule } from '../../src/core/defaults/simt/simtSchedules';
import { deviceOf, isDeviceId, matchDevice, type DeviceId } from '../../src/core/hardware/devices';
import { flops, type ResolvedProblem, type ResolvedSchedule } from '../../src/core/spec/resolved';
import type { Layout } from '../../src/core/spec/schema';
import { resolvedScheduleSchema } from '../../src/core/spec/resolvedSchema';
import { readRace } from '../dispatch/race';
import { randomRacesIn, type RandomRace } from '../random/raced';

export interface SimtPoint {
  /** Name of the tile. */
  readonly tile: string;
  /** Name of the problem. */
  readonly shape: string;
  readonly kernel: SimtKernel;
  readonly milliseconds: number;
  readonly device: DeviceId;
  readonly class: ShapeClass;
  /** SM clock during the benchmark; the boost clock of the device if it was not recorded. */
  readonly clockMHz?: number | undefined;
  /** Whether the shape was drawn at random. */
  readonly isRandom: boolean;
}

/** Interleaved benchmarks of many schedules at listed shapes, and benchmarks at random shapes. */
const DISPATCH = 'bench/h200-dispatch.jsonl';
const RANDOM = ['bench/h100-simt-fit.jsonl', 'bench/h200-screened-fit.jsonl'] as const;
export const SIMT_RECORDS = [DISPATCH, ...RANDOM] as const;

export const recordedSimtPoints = (): readonly SimtPoint[] => [
  ...pointsOfRows(readRace(DISPATCH)),
  ...RANDOM.flatMap(file => pointsOfRaces(randomRacesIn(readFileSync(file, 'utf8')))),
];

interface Timed {
  readonly schedule: ResolvedSchedule;
  readonly milliseconds: number;
  readonly device: DeviceId;
  readonly clockMHz?: number | undefined;
  readonly isRandom: boolean;
}

const UNKNOWN = { busy: 1, alone: 1, refill: 0 } as const;

const isSame = (one: ResolvedSchedule, other: SimtSchedule['schedule']): boolean =>
  (['block', 'warp', 'thread', 'stages', 'traversal', 'minBlocksPerSm'] as const).every(
    field => JSON.stringify(one[field]) === JSON.stringify(other[field]),
  );

/** Returns an empty list for schedules that the chooser does not have or skips. */
function pointOf(
  shape: string,
  problem: ResolvedProblem,
  { schedule, ...timed }: Timed,
): readonly SimtPoint[] {
  const of = simtSchedulesFor(problem).find(one => isSame(schedule, one.schedule));
  if (of === undefined) return [];
  const kernel = kernelsOf(problem, of, UNKNOWN)(schedule.splitK ?? 1);
  if (spillsRegisters(problem, kernel)) return [];
  return [{ tile: of.name, shape, kernel, class: shapeClass(problem), ...timed }];
}

const layoutOf = (letter: string | undefined): Layout => (letter === 'c' ? 'col' : 'row');

const pointsOfRows = (rows: readonly DispatchRow[]): readonly SimtPoint[] =>
  rows.flatMap(({ types, layouts, shape, schedule, gflops, device: named }) => {
    if (types.a !== 'f32') return [];
    const [a, b, c] = [0, 1, 2].map(i => layoutOf(layouts[i]));
    const given = { ...shape, a: { layout: a }, b: { layout: b }, c: { layout: c } };
    const { problem } = resolve({ version: 1, problem: given, schedule });
    const milliseconds = flops(problem) / gflops / 1e6;
    const device = known(named);
    const key = `${device} ${JSON.stringify(shape)} ${layouts}`;
    return pointOf(key, problem, { schedule, milliseconds, device, isRandom: false });
  });

const pointsOfRaces = (races: readonly RandomRace[]): readonly SimtPoint[] =>
  races.flatMap(({ key, problem, kernels, device: named }) => {
    const { problem: resolved } = resolve({ version: 1, problem, schedule: {} });
    const device = known(named);
    return kernels.flatMap(({ schedule, medianMs: milliseconds, smMHz: clockMHz }) =>
      milliseconds === undefined
        ? []
        : pointOf(key, resolved, {
            schedule: v.parse(resolvedScheduleSchema, schedule),
            milliseconds,
            device,
            clockMHz,
            isRandom: true,
          }),
    );
  });

/** Returns the device with this id or name. */
function known(named: string): DeviceId {
  const id = matchDevice(named) ?? named;
  if (!isDeviceId(id)) throw new Error(`${named} is not in the device table`);
  return id;
}

/**
 * Predicts a kernel at the recorded clock, without a power limit: the kernels of a shape ran in
 * turns at a common clock.
 */
export function predictionOf(
  { kernel, tile, device, clockMHz }: SimtPoint,
  calibration: SimtCalibration,
): SimtPrediction {
  const constants = calibration.tiles[tile];
  const machine = machineOf(device);
  if (machine === null || constants === undefined) throw new Error(`${tile} has no constants`);
  const atClock = { ...machine, clockMHz: clockMHz ?? machine.clockMHz, watts: Infinity };
  return simtPrediction({ ...kernel, constants }, atClock, calibration);
}

/** Returns the time of `predictionOf` in milliseconds. */
export const predictedMs = (point: SimtPoint, calibration: SimtCalibration): number =>
  predictionOf(point, calibration).milliseconds;

const machines = new Map<DeviceId, SimtMachine | null>();

function machineOf(device: DeviceId): SimtMachine | null {
  const known = machines.get(device);
  if (known !== undefined) return known;
  const made = simtMachine(deviceOf(device));
  machines.set(device, made);
  return made;
}
