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
import { kernelOf, mainLoopOf } from '../../src/core/defaults/mma/mmaChoice';
import { resolve } from '../../src/core/defaults/resolve';
import { deviceOf, matchDevice } from '../../src/core/hardware/devices';
import { randomRacesIn } from '../random/raced';

export const MMA_RECORDS = ['h100-mma-random.jsonl', 'h200-mma-fit.jsonl'] as const;

export interface MmaPoint {
  readonly shape: string;
  readonly kernel: MmaKernel;
  readonly machine: MmaMachine;
  readonly milliseconds: number;
  /** Whether tiles are prefetched in registers, because asynchronous copies cannot load rows. */
  readonly isPrefetched: boolean;
}

const sidesSchema = v.object({ m: v.number(), n: v.number() });
/** Asynchronous copies with the stages of the candidates, or a tile prefetched in registers. */
const scheduleSchema = v.object({
  algorithm: v.literal('mma'),
  block: v.object({ ...sidesSchema.entries, k: v.number() }),
  warp: sidesSchema,
  stages: v.picklist([2, 4]),
  splitK: v.optional(v.number()),
});

export const recordedMmaPoints = (): readonly MmaPoint[] =>
  MMA_RECORDS.flatMap(file => randomRacesIn(readFileSync(`bench/${file}`, 'utf8'))).flatMap(
    ({ key, problem: given, device, kernels }) => {
      const name = matchDevice(device);
      const machine = name === undefined ? null : mmaMachine(deviceOf(name));
      if (machine === null) throw new Error(`${key}: the device has no machine model`);
      const { problem } = resolve({ version: 1, problem: given });
      return kernels.flatMap(({ schedule, medianMs }) => {
        const known = v.safeParse(scheduleSchema, schedule);
        if (!known.success || medianMs === undefined) return [];
        const { splitK = 1, block, stages } = known.output;
        const loop = { k: block.k, stages };
        const kernel = kernelOf(problem, { tiles: known.output, splitK }, loop);
        const isPrefetched = stages === 2;
        if (isPrefetched !== (mainLoopOf(problem).stages === 2)) return [];
        return [{ shape: key, kernel, machine, milliseconds: medianMs, isPrefetched }];
      });
    },
  );

export const predictedMs = ({ kernel, machine }: MmaPoint, calibration: MmaCalibration): number =>
  mmaMilliseconds(kernel, machine, calibration);
