/** Converts recorded `mma` benchmarks to inputs of the time model. */
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import type { MmaCalibration } from '../../src/core/cost/mma/mmaCalibration';
import {
  mmaMachine,
  mmaMilliseconds,
  type MmaKernel,
  type MmaMachine,
} from '../../src/core/cost/mma/mmaModel';
import { kernelOf } from '../../src/core/defaults/mma/mmaChoice';
import { resolve } from '../../src/core/defaults/resolve';
import { deviceOf, matchDevice } from '../../src/core/hardware/devices';
import { randomRacesIn } from '../random/raced';

export const MMA_RECORD = 'h100-mma-random.jsonl';

export interface MmaPoint {
  readonly shape: string;
  readonly kernel: MmaKernel;
  readonly machine: MmaMachine;
  readonly milliseconds: number;
}

const sidesSchema = v.object({ m: v.number(), n: v.number() });
/** Schedules with asynchronous copies, which have the stages of the candidates. */
const scheduleSchema = v.object({
  algorithm: v.literal('mma'),
  block: sidesSchema,
  warp: sidesSchema,
  stages: v.literal(4),
  splitK: v.optional(v.number()),
});

export const recordedMmaPoints = (): readonly MmaPoint[] =>
  randomRacesIn(readFileSync(`bench/${MMA_RECORD}`, 'utf8')).flatMap(
    ({ key, problem: given, device, kernels }) => {
      const name = matchDevice(device);
      const machine = name === undefined ? null : mmaMachine(deviceOf(name));
      if (machine === null) throw new Error(`${key}: the device has no machine model`);
      const { problem } = resolve({ version: 1, problem: given });
      return kernels.flatMap(({ schedule, medianMs }) => {
        const known = v.safeParse(scheduleSchema, schedule);
        if (!known.success || medianMs === undefined) return [];
        const { splitK = 1 } = known.output;
        const kernel = kernelOf(problem, known.output, splitK);
        return [{ shape: key, kernel, machine, milliseconds: medianMs }];
      });
    },
  );

export const predictedMs = ({ kernel, machine }: MmaPoint, calibration: MmaCalibration): number =>
  mmaMilliseconds(kernel, machine, calibration);
