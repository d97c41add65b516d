/**
 * Schema of a measurement, the result of one kernel on one machine. `run` and `bench` print it as
 * JSON.
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
   * Largest |c - reference| over the compared elements; null if no elements were compared or the
   * error is not finite.
   */
  maxError: v.nullable(nonNegative),
  /** Error bound at the element with the largest error relative to its bound. */
  bound: v.nullable(nonNegative),
  /** Number of elements whose error exceeds its bound, or that are unwritten or not finite. */
  mismatches: nonNegative,
  /** Number of elements compared individually; `reference` describes all other checks. */
  samples: nonNegative,
  /**
   * Root mean square of the errors of the compared elements, and of their exact values. Missing for
   * integers, for results that are not finite, and in records of older versions.
   */
  rms: v.exactOptional(v.object({ error: nonNegative, exact: nonNegative })),
  /** First compared element whose error exceeds its bound; `actual` is null if not finite. */
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
   * Map of wrong elements. Omitted for correct or unverified results, and in records of older
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

/**
 * 95 % interval of a median time (`measure/intervals.ts`). Missing in records of older versions.
 */
const intervalMs = v.optional(
  v.pipe(
    v.tuple([nonNegative, nonNegative]),
    v.check(([low, high]) => low <= high, 'Expected the lower end of the interval first.'),
  ),
);

const timing = v.object({
  /** Timer: `timestamp-query`, `cuda-events` or `wall-clock`. */
  timer: text,
  /** Smallest observed timer step on this machine, in nanoseconds. */
  quantumNs: nonNegative,
  /** Number of warm-up launches before the first sample. */
  warmUp: nonNegative,
  /** Number of timed batches. */
  samples: nonNegative,
  /** Launches per batch. */
  batch: v.optional(nonNegative),
  /** Submits per batch if a long launch was divided; omitted for a single submit. */
  submits: v.optional(nonNegative),
  /** Median time of one launch in milliseconds. */
  medianMs: nonNegative,
  iqrMs: nonNegative,
  minMs: nonNegative,
  intervalMs,
  /** 2 m n k times the batch count, divided by the median time, in GFLOP/s. */
  gflops: nonNegative,
  /** Error of the median due to the timer resolution, in percent. */
  errorPercent: nonNegative,
  /** Cache state: `warm` if inputs may stay in the cache between launches, otherwise `cold`. */
  cache: v.picklist(['warm', 'cold']),
  /** Distribution of the matrix elements, such as `uniform [-1, 1)`. */
  inputs: text,
  /** SM and memory clocks during the timing. */
  clocks: v.optional(clocks),
  /** Number of matrix sets that launches rotate through, so that caches cannot hold the inputs. */
  sets: v.optional(nonNegative),
  /** Whether each batch is one CUDA graph, without host work between its launches. */
  graph: v.optional(v.boolean()),
  powerW: v.optional(v.object({ mean: nonNegative, limit: v.optional(nonNegative) })),
  temperatureC: v.optional(v.object({ mean: finite, max: v.optional(finite) })),
});
export type Timing = v.InferOutput<typeof timing>;

/** Energy of the whole GPU, including its idle power, during launches without pause. */
const energy = v.object({
  /** Energy per launch. */
  joules: nonNegative,
  gflopsPerWatt: nonNegative,
  /** Mean power in watts, and the duration of its measurement in milliseconds. */
  watts: v.optional(nonNegative),
  windowMs: v.optional(nonNegative),
});
export type Energy = v.InferOutput<typeof energy>;

/** Timing of a library on the same matrices. */
const baseline = v.object({
  /** Requested library id, such as `cublaslt-best`. Missing in records of older versions. */
  id: v.optional(text),
  name: text,
  medianMs: nonNegative,
  gflops: nonNegative,
  ratio: nonNegative,
  iqrMs: v.optional(nonNegative),
  intervalMs,
  /**
   * Error of the median due to the timer resolution, in percent. Missing in records of older
   * versions.
   */
  errorPercent: v.optional(nonNegative),
  energy: v.optional(energy),
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
   * All measured ceilings: compute by unit and type (`fma.f32`, `tensor.f16.f32`), memory by level
   * (`dram`, `l2`).
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

/** Maximum number of findings stored per run. */
export const MAX_FINDINGS = 8;

const finding = v.pipe(
  v.object({
    /**
     * Kind of finding, from the memory checker (`race`, `out-of-bounds`, `uninitialized`) or from
     * the judge (`cached-result`, `low-precision`; `verify/judge/ids.ts`).
     */
    id: v.optional(text),
    /** Name of `id` in records of older versions. */
    kind: v.optional(text),
    message: text,
    /** One-based line number in the kernel source that ran. */
    line: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
  }),
  v.transform(({ id, kind = 'unknown', ...rest }) => ({ id: id ?? kind, ...rest })),
);
export type RunFinding = v.InferOutput<typeof finding>;

export const SERIES_KINDS = ['ladder', 'tune'] as const;

/** Ladder or tuning run that a run belongs to. */
const series = v.object({
  kind: v.picklist(SERIES_KINDS),
  /** Identifier shared by the runs of one series. */
  id: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
});
export type Series = v.InferOutput<typeof series>;

const label = v.pipe(v.string(), v.minLength(1), v.maxLength(200));

/** Origin of a stored run, for teams. Missing in records of older versions. */
const origin = v.object({
  /** Order among the runs of all machines (`measure/runOrder.ts`). */
  order: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  /** Random identifier of the machine, or its host name if the user agreed. */
  machine: v.optional(label),
  /** `user.name` of git, if the user agreed. */
  author: v.optional(label),
  /** Commit of the repository during the run. */
  commit: v.optional(v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/))),
  /** True if tracked files differed from the commit. Files of `.gemm` do not count. */
  dirty: v.optional(v.boolean()),
});
export type RunOrigin = v.InferOutput<typeof origin>;

const fields = v.object({
  specKey: text,
  kernelKey: text,
  /**
   * SHA-256 of the kernel source; the run applies only to this source. Missing in records of older
   * versions.
   */
  sourceHash: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
  resolved: v.nullable(resolvedSpecSchema),
  /** Origin of the schedule if the spec does not specify one. */
  scheduleFrom: v.optional(text),
  backend: v.picklist(BACKENDS),
  device: v.object({
    name: text,
    adapter: text,
    driver: text,
    /** Process that ran the kernel, such as `extension host`, `webview` or `cli`. */
    where: text,
    /**
     * WebGPU only: whether WGSL accesses are bounds-checked. `name` contains this setting too, so
     * that runs with and without checks are not compared.
     */
    robustness: v.optional(v.picklist(ROBUSTNESS)),
    /** WebGPU only: whether Dawn enabled experimental features, which it disables by default. */
    experimental: v.optional(v.boolean()),
  }),
  outcome: v.picklist(OUTCOMES),
  message: v.optional(text),
  /** Findings during the run, most severe first. `message` contains all of them. */
  findings: v.optional(v.pipe(v.array(finding), v.maxLength(MAX_FINDINGS))),
  /** Time at which the run was stored, ISO 8601 in UTC. Missing in records of older versions. */
  at: v.optional(v.pipe(v.string(), v.isoTimestamp(), v.maxLength(40))),
  /** Missing for a single run, and in records of older versions. */
  series: v.optional(series),
  origin: v.optional(origin),
  verification,
  timing: v.optional(timing),
  /** Missing if it was not measured; `energyUnknown` is the reason of a measurement that failed. */
  energy: v.optional(energy),
  energyUnknown: v.optional(text),
  /** Timing of the first requested library that is available. */
  baseline: v.optional(baseline),
  /** Timings of all requested libraries that are available; the first is also `baseline`. */
  baselines: v.optional(v.pipe(v.array(baseline), v.maxLength(16))),
  resources: v.optional(resources),
  ceilings: v.optional(ceilings),
});

/**
 * Schema with two cross-field rules: only correct results have a timing, and a correct result has
 * at least one compared element.
 */
export const measurementSchema = v.pipe(
  fields,
  v.check(
    ({ outcome, timing, verification: { mismatches } }) =>
      timing === undefined || (outcome === 'correct' && mismatches === 0),
    'Expected no timing, because the result is not correct.',
  ),
  v.check(
    ({ outcome, verification: { samples } }) => outcome !== 'correct' || samples > 0,
    'Expected at least one compared element, because the outcome is "correct".',
  ),
);
export type Measurement = v.InferOutput<typeof measurementSchema>;

/** Verification record of a run whose result was not compared. */
export const NOT_VERIFIED: Verification = {
  reference: 'none',
  maxError: null,
  bound: null,
  mismatches: 0,
  samples: 0,
};
