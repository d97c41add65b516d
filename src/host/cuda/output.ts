/** Decodes what the CUDA program prints: JSON lines, of which the last is the result. */
import * as v from 'valibot';
import { OUTCOMES } from '../../core/measure/measurement';
import { plainText } from '../text';

const SCHEMA = 2;
const nonNegative = v.pipe(v.number(), v.finite(), v.minValue(0));
const positive = v.pipe(v.number(), v.finite(), v.gtValue(0));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const text = v.pipe(v.string(), v.maxLength(2000), v.transform(plainText));

const batches = {
  warmUp: nonNegative,
  batch: count,
  batchMs: v.pipe(v.array(positive), v.minLength(1), v.maxLength(1000)),
};

const resultSchema = v.object({
  schema: v.literal(SCHEMA),
  type: v.literal('result'),
  outcome: v.picklist(OUTCOMES),
  message: text,
  device: v.optional(v.object({ name: text, computeCapability: text })),
  driver: v.optional(text),
  verification: v.optional(
    v.object({
      reference: text,
      maxError: v.nullable(nonNegative),
      bound: v.nullable(nonNegative),
      mismatches: nonNegative,
      samples: nonNegative,
      first: v.exactOptional(
        v.object({
          ...{ row: nonNegative, column: nonNegative, bound: nonNegative },
          actual: v.nullable(v.pipe(v.number(), v.finite())),
          expected: v.pipe(v.number(), v.finite()),
        }),
      ),
    }),
  ),
  timing: v.optional(
    v.object({
      ...batches,
      timer: text,
      quantumNs: nonNegative,
      cache: v.picklist(['cold', 'warm']),
      clocks: v.optional(v.object({ smMHz: nonNegative, memoryMHz: nonNegative })),
    }),
  ),
  baseline: v.optional(v.object({ ...batches, name: text })),
  baselineNote: v.optional(text),
  ceilings: v.optional(v.object({ gflops: positive, bandwidthGBps: positive, how: text })),
});
export type ProgramResult = v.InferOutput<typeof resultSchema>;

const progressSchema = v.object({
  schema: v.literal(SCHEMA),
  type: v.literal('progress'),
  stage: text,
  fraction: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
});
export type ProgramProgress = v.InferOutput<typeof progressSchema>;

/** A progress line, or undefined for any other. */
export function decodeProgress(line: string): ProgramProgress | undefined {
  const result = v.safeParse(progressSchema, parse(line));
  return result.success ? result.output : undefined;
}

/** The result in what a program printed; lines that a kernel's own printf added do not matter. */
export function decodeResult(stdout: string): ProgramResult | undefined {
  for (const line of stdout.split('\n').reverse()) {
    if (!line.includes('"result"')) continue;
    const result = v.safeParse(resultSchema, parse(line));
    if (result.success) return result.output;
  }
  return undefined;
}

/** A kernel's printf may leave a line unfinished, which ours then ends. */
function parse(line: string): unknown {
  try {
    return JSON.parse(line.slice(Math.max(0, line.lastIndexOf('{"schema":'))));
  } catch {
    return undefined;
  }
}
