/**
 * Protocol between the host and the CUDA runner: JSON lines, one request at a time. All output of
 * the runner is decoded here. Unknown fields are ignored, and inconsistent responses are rejected.
 */
import * as v from 'valibot';
import type { ArgumentRole } from '../../../core/kernel/ir/arguments';
import type { TensorMaps } from '../../../core/kernel/file/tensorMaps';
import { BASELINES, type BaselineId } from '../../../core/measure/backend';
import type { Dim3 } from '../../../core/plan/plan';
import type { OperandName } from '../../../core/spec/resolved';
import type { DType } from '../../../core/types/dtype';
import {
  baseline,
  batches,
  clocks,
  count,
  finite,
  judgeEvidence,
  natural,
  nonNegative,
  optional,
  positive,
  text,
  verification,
  words,
} from './answerParts';
import { raceAnswer, type RaceBody, type RaceTiming } from './raceProtocol';

const SCHEMA = 2;
/** Id of the runner's first message, which no request uses. */
export const GREETING = 0;

type Vector = readonly [number, number, number];
export const vectorOf = ({ x, y, z }: Dim3): Vector => [x, y, z];

interface Matrix {
  readonly dtype: DType;
  readonly layout: 'row' | 'col';
  readonly ld: number;
  readonly batchStride: number;
}

/** One operation: with its operand, or with the error of its activation. A gate has both. */
export interface EpilogueStep {
  readonly op: string;
  /** Activation of a gate. */
  readonly act?: string;
  readonly error?: number;
  readonly operand?: Matrix & Readonly<Record<'rows' | 'columns' | 'inputBits', number>>;
}

/** Request to run a kernel. An infinite bound is encoded as null. */
export interface RunBody {
  readonly type: 'run';
  readonly mode: 'verify' | 'time';
  readonly seed: number;
  readonly cache: 'cold' | 'warm';
  /** Absolute path. */
  readonly cubin: string;
  readonly problem: Readonly<Record<OperandName, Matrix>> &
    Readonly<Record<'m' | 'n' | 'k' | 'batch' | 'alpha' | 'beta', number>> & {
      readonly accumulator: DType;
    };
  readonly bound: Readonly<
    Record<
      | 'gamma'
      | 'outputRoundoff'
      | 'smallestSum'
      | 'smallestStored'
      | 'overflowSum'
      | 'overflowStored',
      number
    >
  > & { readonly mayOverflow: boolean };
  readonly inputBits: Readonly<Record<OperandName, number>>;
  /** Operations of the epilogue, and the unit roundoff of the accumulator. */
  readonly epilogue?: { readonly unit: number; readonly steps: readonly EpilogueStep[] };
  readonly workspaceBytes: number;
  readonly launches: readonly {
    /** Mangled name. */
    readonly symbol: string;
    readonly grid: Vector;
    readonly block: Vector;
    readonly dynamicSharedBytes: number;
    readonly arguments: readonly ArgumentRole[];
    readonly tensorMaps?: TensorMaps;
    readonly programmatic?: true;
  }[];
  readonly baselines: readonly BaselineId[];
  /** Tile of C per thread block, which is the resolution of the error map. */
  readonly tile: { readonly m: number; readonly n: number };
  /** Timing parameters; default: the full protocol. */
  readonly timing?: RaceTiming;
  /**
   * Maximum number of FMAs for which every element is compared: `verifyLimit` before timing, and
   * `recheckLimit` after timing. For larger problems, a sample of tiles is compared.
   */
  readonly verifyLimit?: number;
  readonly recheckLimit?: number;
  /** Whether the runner collects evidence about later launches for the judge; default false. */
  readonly judges?: boolean;
}

export interface CeilingsBody {
  readonly type: 'ceilings';
}

export interface CompileBody {
  readonly type: 'compile';
  readonly source: string;
  readonly name: string;
  readonly arch: string;
  readonly flags: readonly string[];
  readonly out: string;
}

export type Body = RunBody | RaceBody | CeilingsBody | CompileBody;

export const requestLine = (id: number, body: Body): string =>
  `${JSON.stringify({ schema: SCHEMA, id, ...body })}\n`;

const ready = v.object({
  type: v.literal('ready'),
  device: v.object({
    index: natural,
    name: text,
    uuid: v.pipe(v.string(), v.regex(/^[\w-]{1,80}$/)),
    pciBusId: text,
    computeCapability: v.pipe(v.string(), v.regex(/^\d{1,2}\.\d$/)),
    multiprocessors: count,
    l2Bytes: natural,
    memoryBytes: positive,
    peakSmMHz: nonNegative,
    driver: v.nullable(text),
    driverCuda: text,
    runtimeCuda: text,
  }),
  libraries: v.object({
    nvrtc: v.nullable(text),
    nvml: v.boolean(),
  }),
});
export type Ready = v.InferOutput<typeof ready>;

const timing = v.object({
  ...batches,
  timer: text,
  quantumNs: nonNegative,
  cache: v.picklist(['cold', 'warm']),
  sets: optional(count),
  rotationBytes: optional(nonNegative),
  graph: optional(v.boolean()),
  clocks: optional(clocks),
  powerW: optional(v.object({ mean: nonNegative, limit: optional(nonNegative) })),
  temperatureC: optional(v.object({ mean: finite, max: optional(finite) })),
});
export type RunnerTiming = v.InferOutput<typeof timing>;

const result = v.pipe(
  v.object({
    type: v.literal('result'),
    outcome: v.picklist(['correct', 'incorrect', 'launch-error', 'constraint']),
    message: text,
    /** Whether the CUDA context is lost, so the process must end. */
    fatal: optional(v.boolean()),
    resources: optional(
      v.object({
        registers: natural,
        sharedBytes: natural,
        localBytes: natural,
        maxThreadsPerBlock: optional(natural),
      }),
    ),
    verification: optional(verification),
    timing: optional(timing),
    judge: v.exactOptional(judgeEvidence),
    baselines: optional(v.pipe(v.array(baseline), v.maxLength(BASELINES.length))),
    notes: optional(v.pipe(v.array(text), v.maxLength(20))),
  }),
  v.check(
    ({ outcome, verification: verification }) =>
      outcome !== 'correct' ||
      (verification !== undefined && verification.samples > 0 && verification.mismatches === 0),
    'The outcome is correct, but no elements were compared or elements differ.',
  ),
  v.check(
    ({ outcome, verification: verification }) =>
      outcome !== 'incorrect' || (verification?.mismatches ?? 0) > 0,
    'The outcome is incorrect, but no element differs.',
  ),
  v.check(
    ({ outcome, timing: timed, baselines = [] }) =>
      outcome === 'correct' || (timed === undefined && baselines.length === 0),
    'The outcome is not correct, but the response contains times.',
  ),
);
export type RunnerResult = v.InferOutput<typeof result>;

const ceilings = v.object({
  type: v.literal('ceilings'),
  ceilings: v.pipe(
    v.array(
      v.object({
        id: v.pipe(v.string(), v.regex(/^[a-z][a-z\d.-]{0,40}$/)),
        value: positive,
        unit: v.picklist(['GFLOP/s', 'GB/s']),
      }),
    ),
    v.maxLength(64),
  ),
  how: text,
  clocks: optional(clocks),
});
export type RunnerCeilings = v.InferOutput<typeof ceilings>;

const compiled = v.object({
  type: v.literal('compiled'),
  ok: v.boolean(),
  log: words(200_000),
  compiler: optional(text),
});
export type RunnerCompiled = v.InferOutput<typeof compiled>;

const failed = v.object({
  type: v.literal('failed'),
  outcome: v.picklist(['unavailable', 'constraint', 'launch-error']),
  message: text,
  fatal: optional(v.boolean()),
});

const progress = v.object({
  type: v.literal('progress'),
  stage: words(200),
  fraction: optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
});

const turn = v.object({
  type: v.literal('turn'),
  contestant: natural,
  doing: v.picklist(['result', 'batch']),
  sets: optional(count),
  launches: optional(count),
  warm: optional(v.boolean()),
});
/**
 * Request of the runner to the process of a foreign kernel: its result for inputs in `sets` copies,
 * or the time of a batch of launches. If `warm`, untimed launches precede the batch.
 */
export type Turn = v.InferOutput<typeof turn>;
/** Answer to a turn: a file with C, the time of the batch in milliseconds, or a failure. */
export type TurnAnswer =
  { readonly file: string } | { readonly ms: number } | { readonly failed: string };

/** Returns the line that answers a turn of request `id`. */
export const turnLine = (id: number, answer: TurnAnswer): string =>
  `${JSON.stringify({ schema: SCHEMA, id, ...answer })}\n`;

const ANSWERS = { ready, result, race: raceAnswer, ceilings, compiled, failed } as const;
const answer = v.variant('type', [ready, result, raceAnswer, ceilings, compiled, failed]);
export type Answer = v.InferOutput<typeof answer>;
export type Progress = v.InferOutput<typeof progress>;
/** A response that has a valid envelope but is inconsistent or violates the protocol. */
export interface InvalidResponse {
  readonly type: 'unbelievable';
  readonly why: string;
}

const envelope = v.object({ schema: v.literal(SCHEMA), id: natural, type: v.string() });

/**
 * Decodes a line of the response to request `id`. Returns undefined for other output, such as a
 * kernel's printf.
 */
export function decodeLine(
  line: string,
  id: number,
): Answer | Progress | Turn | InvalidResponse | undefined {
  const value = parse(line);
  const head = v.safeParse(envelope, value);
  if (!head.success || head.output.id !== id) return undefined;
  const { type } = head.output;
  if (type === 'progress') {
    const step = v.safeParse(progress, value);
    return step.success ? step.output : undefined;
  }
  if (type !== 'turn' && !Object.hasOwn(ANSWERS, type)) return undefined;
  const decoded = v.safeParse(type === 'turn' ? turn : answer, value);
  if (decoded.success) return decoded.output;
  const [issue] = decoded.issues;
  const where = v.getDotPath(issue);
  return { type: 'unbelievable', why: `${where === null ? '' : `${where}: `}${issue.message}` };
}

/** Parses a message. Text that a kernel's printf left at the beginning of the line is skipped. */
function parse(line: string): unknown {
  const start = line.lastIndexOf('{"schema":');
  if (start < 0) return undefined;
  try {
    return JSON.parse(line.slice(start));
  } catch {
    return undefined;
  }
}
