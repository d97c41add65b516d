/** Result of the final task, in `result.json` of the job folder. */
import path from 'node:path';
import * as v from 'valibot';
import { measurementSchema, OUTCOMES, BACKENDS } from '../../core/measure/measurement';
import { EFFORTS } from '../../core/measure/backend';
import type { TuneSummary } from '../../core/search/tune/events';
import type { ResolvedProblem } from '../../core/spec/resolved';
import { resolvedScheduleSchema, resolvedSpecSchema } from '../../core/spec/resolvedSchema';
import { TARGETS } from '../../core/spec/schema';
import { readRegular } from '../userFile';

const text = v.pipe(v.string(), v.maxLength(20_000));
const finite = v.pipe(v.number(), v.finite(), v.minValue(0));
const texts = v.array(text);

const tuneResult = v.object({
  medianMs: finite,
  joules: v.exactOptional(finite),
  tflops: finite,
  errorPercent: finite,
  timerPercent: finite,
  gpu: text,
  specKey: text,
  kernelKey: text,
  schedule: resolvedScheduleSchema,
  effort: v.picklist(EFFORTS),
  predictedTflops: v.nullable(finite),
  resources: v.exactOptional(
    v.object({
      registers: finite,
      sharedBytes: finite,
      spillStores: finite,
      spillLoads: finite,
    }),
  ),
  clocks: v.exactOptional(
    v.object({
      smMHz: finite,
      memoryMHz: v.optional(finite),
      smMinMHz: v.optional(finite),
      smMaxMHz: v.optional(finite),
    }),
  ),
});

/** The problem is decoded as part of a spec, which has the schema of its values. */
const problem = v.custom<ResolvedProblem>(
  value =>
    v.safeParse(resolvedSpecSchema, {
      version: 1,
      problem: value,
      schedule: { algorithm: 'naive' },
      device: '',
      targets: [],
    }).success,
  'Expected a resolved problem.',
);

const summarySchema: v.GenericSchema<unknown, TuneSummary> = v.object({
  type: v.literal('summary'),
  objective: v.exactOptional(v.literal('energy')),
  problem,
  place: v.object({
    backend: v.picklist(BACKENDS),
    target: v.picklist(TARGETS),
    device: text,
    gpus: texts,
  }),
  measuredOn: v.nullable(v.custom<NonNullable<TuneSummary['measuredOn']>>(isDevice)),
  ended: v.picklist(['done', 'cancelled', 'out-of-time', 'lost', 'nothing']),
  winner: v.nullable(tuneResult),
  ties: v.array(tuneResult),
  others: v.array(tuneResult),
  space: v.object({ members: finite, walked: finite, legal: finite }),
  measuredCount: finite,
  measuredShare: finite,
  measurements: finite,
  failures: v.array(v.object({ specKey: text, outcome: v.picklist(OUTCOMES), why: text })),
  elapsedMs: finite,
  notes: texts,
  journal: v.exactOptional(text),
});

function isDevice(value: unknown): boolean {
  const device = v.object({ name: text, adapter: text, driver: text, where: text });
  return v.safeParse(device, value).success;
}

const auditResult = v.object({
  kind: v.literal('audit'),
  /** Device of the default schedules. */
  device: text,
  measurements: v.array(v.object({ key: text, measurement: measurementSchema })),
  ended: v.picklist(['done', 'out-of-time', 'cancelled', 'lost']),
  notes: texts,
  seconds: finite,
  place: v.object({
    gpus: texts,
    driver: v.nullable(text),
    compiler: v.nullable(text),
    journal: v.nullable(text),
  }),
});

const resultSchema = v.variant('kind', [
  v.object({ kind: v.literal('tune'), summary: summarySchema }),
  auditResult,
]);
export type SlurmResult = v.InferOutput<typeof resultSchema>;

const fileSchema = v.object({
  /** Slurm's id of the final job. */
  job: text,
  result: resultSchema,
});

export const RESULT_FILE = 'result.json';
const MAX_RESULT_BYTES = 256_000_000;

/** Text of the result file. */
export const resultText = (job: string, result: SlurmResult): string =>
  `${JSON.stringify({ job, result })}\n`;

/** Reads the result of a final job; undefined if it has not written one. */
export async function readResult(folder: string, job: string): Promise<SlurmResult | undefined> {
  try {
    const file = path.join(folder, RESULT_FILE);
    const content: unknown = JSON.parse(
      (await readRegular(file, MAX_RESULT_BYTES)).toString('utf8'),
    );
    const decoded = v.safeParse(fileSchema, content);
    return decoded.success && decoded.output.job === job ? decoded.output.result : undefined;
  } catch {
    return undefined;
  }
}
