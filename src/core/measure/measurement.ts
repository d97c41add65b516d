/** A measurement: the result of running one kernel once on one machine. The contract of `run` and `bench`. */
import * as v from 'valibot';
import { resolvedSpecSchema } from '../spec/resolvedSchema';
import { wrongMapSchema } from './wrongMap';

export const OUTCOMES = [
  'correct',
  'incorrect',
  'compile-error',
  'launch-error',
  'constraint',
  'timeout',
  'cancelled',
  'unavailable',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Whether WGSL's accesses are checked against the bounds of their arrays, as every browser does. */
export const ROBUSTNESS = ['on', 'off'] as const;
export type Robustness = (typeof ROBUSTNESS)[number];

export const BACKENDS = ['simulate', 'cpu', 'webgpu', 'cuda'] as const;
export type BackendId = (typeof BACKENDS)[number];

const finite = v.pipe(v.number(), v.finite());
const nonNegative = v.pipe(v.number(), v.finite(), v.minValue(0));
const text = v.pipe(v.string(), v.maxLength(20_000));

const verification = v.object({
  /** What the result was compared with, in words; `none` when it was not compared. */
  reference: text,
  /** Largest |c - reference| over the compared elements; null when nothing was compared or it is not finite. */
  maxError: v.nullable(nonNegative),
  /** Bound on |c - reference| at the element that came closest to (or went furthest past) its own bound. */
  bound: v.nullable(nonNegative),
  /** Elements outside their bound, unwritten or not finite. */
  mismatches: nonNegative,
  /** Elements compared one by one; `reference` says what else was checked. */
  samples: nonNegative,
  /** The first element outside its bound, of those compared one by one; `actual` is null when it is not finite. */
  first: v.optional(
    v.object({
      row: nonNegative,
      column: nonNegative,
      bound: nonNegative,
      actual: v.nullable(v.pipe(v.number(), v.finite())),
      expected: v.pipe(v.number(), v.finite()),
    }),
  ),
  /** Where C is wrong; none where it is right, where nobody looked, and in lines of older versions. */
  wrong: v.optional(wrongMapSchema),
});
export type Verification = v.InferOutput<typeof verification>;

const clocks = v.object({
  smMHz: nonNegative,
  memoryMHz: v.optional(nonNegative),
  smMinMHz: v.optional(nonNegative),
  smMaxMHz: v.optional(nonNegative),
});

/** 95 % interval of a median time; `measure/intervals.ts` says of what. Lines of older versions have none. */
const intervalMs = v.optional(
  v.pipe(
    v.tuple([nonNegative, nonNegative]),
    v.check(([low, high]) => low <= high, 'The lower end comes first.'),
  ),
);

const timing = v.object({
  /** `timestamp-query`, `cuda-events` or `wall-clock`. */
  timer: text,
  /** Smallest step of the timer seen on this machine. */
  quantumNs: nonNegative,
  /** Launches before the first sample. */
  warmUp: nonNegative,
  /** Timed batches. */
  samples: nonNegative,
  /** Launches in each batch. */
  batch: v.optional(nonNegative),
  /** Submits that a launch was cut into, since it is long; absent: one held a whole batch. */
  submits: v.optional(nonNegative),
  /** Times are of one launch. */
  medianMs: nonNegative,
  iqrMs: nonNegative,
  minMs: nonNegative,
  intervalMs,
  /** 2 m n k / median, in 1e9 FLOP/s. */
  gflops: nonNegative,
  /** Error that the timer's quantum allows on the median, in percent. */
  errorPercent: nonNegative,
  /** `warm`: inputs may stay in the cache between launches; `cold`: they cannot. */
  cache: v.picklist(['warm', 'cold']),
  /** What filled the matrices, e.g. `uniform [-1, 1)`. */
  inputs: text,
  /** Of the multiprocessors while it was timed: their mean, and the ends of their range. */
  clocks: v.optional(clocks),
  /** Sets of matrices that launches take in turn, so that caches do not hold them. */
  sets: v.optional(nonNegative),
  /** Whether a batch is one CUDA graph, without the host between its launches. */
  graph: v.optional(v.boolean()),
  powerW: v.optional(v.object({ mean: nonNegative, limit: v.optional(nonNegative) })),
  temperatureC: v.optional(v.object({ mean: finite, max: v.optional(finite) })),
});
export type Timing = v.InferOutput<typeof timing>;

/** A library beside the kernel, on the same matrices. */
const baseline = v.object({
  /** What was asked for, such as `cublaslt-best`; lines of older versions do not say it. */
  id: v.optional(text),
  name: text,
  medianMs: nonNegative,
  gflops: nonNegative,
  ratio: nonNegative,
  iqrMs: v.optional(nonNegative),
  intervalMs,
  /** As of `timing`; lines of older versions have none. */
  errorPercent: v.optional(nonNegative),
});
export type Baseline = v.InferOutput<typeof baseline>;

const resources = v.object({
  registers: nonNegative,
  sharedBytes: nonNegative,
  spillStores: nonNegative,
  spillLoads: nonNegative,
});

/** Ceilings measured on the machine and adapter that made the measurement. */
const ceilings = v.object({
  gflops: v.optional(nonNegative),
  bandwidthGBps: v.optional(nonNegative),
  /** How they were measured, in words. */
  how: text,
  /** All that were measured: arithmetic by unit and type (`fma.f32`, `tensor.f16.f32`), memory by level (`dram`, `l2`). */
  list: v.optional(
    v.pipe(
      v.array(v.object({ id: text, value: nonNegative, unit: v.picklist(['GFLOP/s', 'GB/s']) })),
      v.maxLength(64),
    ),
  ),
  /** Of the multiprocessors and the memory meanwhile. */
  clocks: v.optional(clocks),
});
export type MeasuredCeilings = v.InferOutput<typeof ceilings>;

/** Findings that are kept of a run. */
export const MOST_FINDINGS = 8;

const finding = v.object({
  /** `race`, `out-of-bounds`, `uninitialised`, `misaligned`, `deadlock`, ... */
  kind: text,
  message: text,
  /** Of the kernel's file, as it was when it ran; from 1. */
  line: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
});

const fields = v.object({
  specKey: text,
  kernelKey: text,
  /** SHA-256 of the kernel's text: a run is of this text alone. Lines of older versions have none. */
  sourceHash: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
  resolved: v.nullable(resolvedSpecSchema),
  /** Of a spec that names no schedule, why this one ran, in words. */
  scheduleFrom: v.optional(text),
  backend: v.picklist(BACKENDS),
  device: v.object({
    name: text,
    adapter: text,
    driver: text,
    /** Machine part that ran it: `extension host`, `webview` or `cli`. */
    where: text,
    /** Of the webgpu backend; without it the name says so too, so that nothing compares the two. */
    robustness: v.optional(v.picklist(ROBUSTNESS)),
    /** Of the webgpu backend: Dawn offered features that it withholds by default. */
    experimental: v.optional(v.boolean()),
  }),
  outcome: v.picklist(OUTCOMES),
  message: v.optional(text),
  /** What was found while it ran, the gravest first; `message` has them in one text. */
  findings: v.optional(v.pipe(v.array(finding), v.maxLength(MOST_FINDINGS))),
  /** When it was kept, ISO 8601 in UTC. Lines of older versions do not say it. */
  at: v.optional(v.pipe(v.string(), v.isoTimestamp(), v.maxLength(40))),
  verification,
  timing: v.optional(timing),
  /** The library that was asked for first. */
  baseline: v.optional(baseline),
  /** All that were asked for and are there; the first is `baseline`. */
  baselines: v.optional(v.pipe(v.array(baseline), v.maxLength(16))),
  resources: v.optional(resources),
  ceilings: v.optional(ceilings),
});

/** A wrong result is never timed, and a right one was compared. */
export const measurementSchema = v.pipe(
  fields,
  v.check(
    ({ outcome, timing, verification: { mismatches } }) =>
      timing === undefined || (outcome === 'correct' && mismatches === 0),
    'Only a correct result is timed.',
  ),
  v.check(
    ({ outcome, verification: { samples } }) => outcome !== 'correct' || samples > 0,
    'A result that was not compared is not correct.',
  ),
);
export type Measurement = v.InferOutput<typeof measurementSchema>;

/** The verification of a run that compared nothing. */
export const NOT_VERIFIED: Verification = {
  reference: 'none',
  maxError: null,
  bound: null,
  mismatches: 0,
  samples: 0,
};
