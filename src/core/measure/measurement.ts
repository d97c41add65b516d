/**
 * A measurement: the result of running one kernel once on one machine. The contract of `run` and
 * `bench`.
 */
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

/** Whether WGSL accesses are bounds-checked, as in every browser. */
export const ROBUSTNESS = ['on', 'off'] as const;
export type Robustness = (typeof ROBUSTNESS)[number];

export const BACKENDS = ['simulate', 'cpu', 'webgpu', 'cuda'] as const;
export type BackendId = (typeof BACKENDS)[number];

const finite = v.pipe(v.number(), v.finite());
const nonNegative = v.pipe(v.number(), v.finite(), v.minValue(0));
const text = v.pipe(v.string(), v.maxLength(20_000));

const verification = v.object({
  /** Description of the reference; `none` if the result was not compared. */
  reference: text,
  /**
   * Largest |c - reference| over the compared elements; null if nothing was compared or it is not
   * finite.
   */
  maxError: v.nullable(nonNegative),
  /**
   * Bound on |c - reference| at the element that came closest to (or went furthest past) its bound.
   */
  bound: v.nullable(nonNegative),
  /** Elements outside their bound, unwritten or not finite. */
  mismatches: nonNegative,
  /** Elements compared one by one; `reference` describes the other checks. */
  samples: nonNegative,
  /** First compared element outside its bound; `actual` is null if not finite. */
  first: v.optional(
    v.object({
      row: nonNegative,
      column: nonNegative,
      bound: nonNegative,
      actual: v.nullable(v.pipe(v.number(), v.finite())),
      expected: v.pipe(v.number(), v.finite()),
    }),
  ),
  /**
   * Map of wrong elements; omitted for correct or unverified results and in records of older
   * versions.
   */
  wrong: v.optional(wrongMapSchema),
});
export type Verification = v.InferOutput<typeof verification>;

const clocks = v.object({
  smMHz: nonNegative,
  memoryMHz: v.optional(nonNegative),
  smMinMHz: v.optional(nonNegative),
  smMaxMHz: v.optional(nonNegative),
});

/** 95 % interval of a median time (`measure/intervals.ts`). Records of older versions have none. */
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
  /** Number of submits per launch if a long launch was divided; omitted: one submit per batch. */
  submits: v.optional(nonNegative),
  /** Times are per launch. */
  medianMs: nonNegative,
  iqrMs: nonNegative,
  minMs: nonNegative,
  intervalMs,
  /** 2 m n k / median, in 1e9 FLOP/s. */
  gflops: nonNegative,
  /** Error of the median due to the timer quantum, in percent. */
  errorPercent: nonNegative,
  /** `warm`: inputs may stay in the cache between launches; `cold`: they cannot. */
  cache: v.picklist(['warm', 'cold']),
  /** Content of the matrices, e.g. `uniform [-1, 1)`. */
  inputs: text,
  /** SM clocks during the timing: mean and range. */
  clocks: v.optional(clocks),
  /** Sets of matrices that launches rotate through, so that caches do not hold them. */
  sets: v.optional(nonNegative),
  /** Whether a batch is one CUDA graph, without host work between its launches. */
  graph: v.optional(v.boolean()),
  powerW: v.optional(v.object({ mean: nonNegative, limit: v.optional(nonNegative) })),
  temperatureC: v.optional(v.object({ mean: finite, max: v.optional(finite) })),
});
export type Timing = v.InferOutput<typeof timing>;

/** A library timed on the same matrices. */
const baseline = v.object({
  /** Requested id, such as `cublaslt-best`; missing in records of older versions. */
  id: v.optional(text),
  name: text,
  medianMs: nonNegative,
  gflops: nonNegative,
  ratio: nonNegative,
  iqrMs: v.optional(nonNegative),
  intervalMs,
  /** As in `timing`; missing in records of older versions. */
  errorPercent: v.optional(nonNegative),
});
export type Baseline = v.InferOutput<typeof baseline>;

const resources = v.object({
  registers: nonNegative,
  sharedBytes: nonNegative,
  spillStores: nonNegative,
  spillLoads: nonNegative,
});

/** Ceilings measured on the same machine and adapter. */
const ceilings = v.object({
  gflops: v.optional(nonNegative),
  bandwidthGBps: v.optional(nonNegative),
  /** Description of the measuring method. */
  how: text,
  /**
   * All measured ceilings: arithmetic by unit and type (`fma.f32`, `tensor.f16.f32`), memory by
   * level (`dram`, `l2`).
   */
  list: v.optional(
    v.pipe(
      v.array(v.object({ id: text, value: nonNegative, unit: v.picklist(['GFLOP/s', 'GB/s']) })),
      v.maxLength(64),
    ),
  ),
  /** SM and memory clocks during the measurement. */
  clocks: v.optional(clocks),
});
export type MeasuredCeilings = v.InferOutput<typeof ceilings>;

/** Maximum number of findings kept per run. */
export const MAX_FINDINGS = 8;

const finding = v.object({
  /** `race`, `out-of-bounds`, `uninitialised`, `misaligned`, `deadlock`, ... */
  kind: text,
  message: text,
  /** Line of the kernel's file as it ran; from 1. */
  line: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
});

const fields = v.object({
  specKey: text,
  kernelKey: text,
  /**
   * SHA-256 of the kernel's text: a run applies to this text only. Missing in records of older
   * versions.
   */
  sourceHash: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
  resolved: v.nullable(resolvedSpecSchema),
  /** Reason for the schedule, if the spec does not specify one. */
  scheduleFrom: v.optional(text),
  backend: v.picklist(BACKENDS),
  device: v.object({
    name: text,
    adapter: text,
    driver: text,
    /** Process that ran it: `extension host`, `webview` or `cli`. */
    where: text,
    /** webgpu backend only; the device name has it too, so that the two modes are not compared. */
    robustness: v.optional(v.picklist(ROBUSTNESS)),
    /** webgpu backend only: Dawn offered features that it withholds by default. */
    experimental: v.optional(v.boolean()),
  }),
  outcome: v.picklist(OUTCOMES),
  message: v.optional(text),
  /** Findings during the run, most severe first; `message` has them in one text. */
  findings: v.optional(v.pipe(v.array(finding), v.maxLength(MAX_FINDINGS))),
  /** When it was stored, ISO 8601 in UTC. Missing in records of older versions. */
  at: v.optional(v.pipe(v.string(), v.isoTimestamp(), v.maxLength(40))),
  verification,
  timing: v.optional(timing),
  /** The first requested library. */
  baseline: v.optional(baseline),
  /** All requested libraries that are available; the first is `baseline`. */
  baselines: v.optional(v.pipe(v.array(baseline), v.maxLength(16))),
  resources: v.optional(resources),
  ceilings: v.optional(ceilings),
});

/** Validates that only correct results are timed, and that correct results were compared. */
export const measurementSchema = v.pipe(
  fields,
  v.check(
    ({ outcome, timing, verification: { mismatches } }) =>
      timing === undefined || (outcome === 'correct' && mismatches === 0),
    'Only a correct result is timed.',
  ),
  v.check(
    ({ outcome, verification: { samples } }) => outcome !== 'correct' || samples > 0,
    'A result that was not compared cannot be correct.',
  ),
);
export type Measurement = v.InferOutput<typeof measurementSchema>;

/** Verification of a run that compared nothing. */
export const NOT_VERIFIED: Verification = {
  reference: 'none',
  maxError: null,
  bound: null,
  mismatches: 0,
  samples: 0,
};
