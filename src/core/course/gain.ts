/** Predicted and measured gain of the step of a chapter. */
import { rateText } from '../text/numbers';
import type { Measurement } from '../measure/measurement';
import { resolve } from '../defaults/resolve';
import { specKey } from '../plan/specKey';
import type { GemmSpec, Schedule } from '../spec/schema';
import type { Chapter, Step } from './chapter';
import { specFacts } from './specFacts';

/** Shape of the comparison: large enough that the launch does not matter. */
export const GAIN_SHAPE = { m: 4096, n: 4096, k: 4096 } as const;

/**
 * Rates in GFLOP/s on an H200 before and after the step of a chapter, from the runs of
 * bench/h200-course.jsonl.
 */
const H200_GFLOPS: Readonly<Record<string, readonly [before: number, after: number]>> = {
  coalescing: [497.68, 6298.9],
  shared: [6298.9, 8875.5],
  'thread-tiles': [8875.5, 25051],
  vectors: [25051, 40908],
  'warp-tiles': [40908, 40249],
  banks: [73471, 254370],
  pipeline: [40249, 45230],
  'tensor-cores': [37953, 403200],
  wgmma: [403200, 621240],
  waves: [38882, 245750],
};

export interface Gain {
  /** Sentences with the predicted gain, and the gain that was measured on an H200. */
  readonly text: string;
  /** Sentence about the benchmarks of this workspace; null if one of the kernels has none. */
  readonly measured: string | null;
}

export const specOfStep = (
  schedule: Schedule,
  { dtype, shape = GAIN_SHAPE }: Pick<Step, 'dtype' | 'shape'>,
): GemmSpec => ({
  version: 1,
  problem: { ...shape, ...(dtype === 'f32' ? {} : { a: { dtype }, b: { dtype } }) },
  schedule,
  targets: ['cuda'],
});

/** Returns the specs before and after the step of a chapter; null if it has no step. */
export function gainSpecs({ step }: Pick<Chapter, 'step'>): readonly [GemmSpec, GemmSpec] | null {
  return step === undefined ? null : [specOfStep(step.before, step), specOfStep(step.after, step)];
}

/** Returns the gain of a chapter; null if the chapter has no step or the model predicts no rate. */
export function gainOf(chapter: Chapter, measurements: readonly Measurement[] = []): Gain | null {
  const { step } = chapter;
  const specs = gainSpecs(chapter);
  if (step === undefined || specs === null) return null;
  const [before, after] = specs;
  const rates = [before, after].map(
    spec => specFacts(spec).analysis.prediction?.tflops.value ?? null,
  );
  const [slow, fast] = rates;
  if (slow === null || slow === undefined || fast === null || fast === undefined) return null;
  const { m, n, k } = step.shape ?? GAIN_SHAPE;
  const [first, second] = [
    kernelName(step.before, step.after),
    kernelName(step.after, step.before),
  ];
  return {
    text: [
      `The time model compares two kernels for ${m} x ${n} x ${k} in ${step.dtype} on an H200.`,
      `Before this step, ${first} reaches ${rateText(slow)}.`,
      `After it, ${second} reaches ${rateText(fast)}, ${factor(fast / slow)}.`,
      ...measuredOnH200(chapter),
    ].join(' '),
    measured: measuredText(before, after, measurements),
  };
}

function measuredOnH200({ id }: Chapter): readonly string[] {
  const rates = H200_GFLOPS[id];
  if (rates === undefined) return [];
  const [before, after] = rates;
  return [`On an H200, the benchmarks reach ${ratesText(before, after)}.`];
}

const ratesText = (before: number, after: number): string =>
  `${rateText(before / 1000)} before and ${rateText(after / 1000)} after, ${factor(after / before)}`;

/** Names a schedule by its algorithm and tile, and by the fields that `other` lacks. */
function kernelName(schedule: Schedule, other: Schedule): string {
  const text = (value: unknown): string =>
    typeof value === 'object' && value !== null ? Object.values(value).join(' x ') : String(value);
  const { algorithm, block = {} } = schedule;
  const changed =
    algorithm === other.algorithm
      ? Object.entries(schedule)
          .filter(([key, value]) => text(value) !== text(other[key as keyof Schedule]))
          .filter(([key]) => key !== 'block')
          .map(([key, value]) => `, ${key} ${text(value)}`)
      : [];
  return `${algorithm} (block ${text(block)}${changed.join('')})`;
}

function measuredText(
  before: GemmSpec,
  after: GemmSpec,
  measurements: readonly Measurement[],
): string | null {
  const newest = (spec: GemmSpec): Measurement | undefined => {
    const key = specKey(resolve(spec));
    return measurements.findLast(run => run.specKey === key && run.timing !== undefined);
  };
  const [slow, fast] = [newest(before), newest(after)];
  if (slow?.timing === undefined || fast?.timing === undefined) return null;
  const where =
    slow.device.name === fast.device.name
      ? fast.device.name
      : `${slow.device.name} and ${fast.device.name}`;
  return `The runs of this workspace measured ${ratesText(slow.timing.gflops, fast.timing.gflops)}, on ${where}.`;
}

const factor = (ratio: number): string => `a factor of ${ratio.toFixed(2)}`;
