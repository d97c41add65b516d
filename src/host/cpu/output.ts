/** Decodes the JSON lines that the executable prints: progress, and one result per kernel. */
import * as v from 'valibot';

const whole = v.pipe(v.number(), v.integer());
const position = v.tuple([whole, whole, whole]);

const findingSchema = v.object({
  kind: v.picklist([
    'out-of-bounds',
    'misaligned',
    'uninitialized',
    'race',
    'in-flight',
    'deadlock',
    'written-input',
    'index',
    'overflow',
    'fault',
    'timeout',
    'trap',
  ]),
  launch: whole,
  thread: v.optional(position),
  block: v.optional(position),
  other: v.optional(position),
  otherBlock: v.optional(position),
  pc: whole,
  line: whole,
  otherPc: whole,
  otherLine: whole,
  /** Memory of the access: `shared`, the name of an operand, or `none`. */
  space: v.pipe(v.string(), v.maxLength(20)),
  offset: whole,
  bytes: whole,
  store: v.boolean(),
  otherStore: v.boolean(),
  detail: v.pipe(v.string(), v.maxLength(200)),
});
export type CpuFinding = v.InferOutput<typeof findingSchema>;

const resultSchema = v.object({
  type: v.literal('result'),
  job: whole,
  /**
   * How the kernel ended. `stopped`: a finding prevented further execution. `late`: the time limit
   * was exceeded.
   */
  ended: v.picklist(['done', 'stopped', 'late']),
  tooFine: v.boolean(),
  findings: v.pipe(v.array(findingSchema), v.maxLength(20)),
});
export type CpuResult = v.InferOutput<typeof resultSchema>;

const progressSchema = v.object({
  type: v.literal('progress'),
  job: whole,
  fraction: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
});

export type CpuLine = CpuResult | v.InferOutput<typeof progressSchema>;
const lineSchema = v.variant('type', [resultSchema, progressSchema]);

/**
 * Decodes a result or progress line. Returns undefined for other output. Text that a kernel's
 * printf left at the beginning of the line is skipped.
 */
export function decodeLine(line: string): CpuLine | undefined {
  try {
    const at = Math.max(0, line.lastIndexOf('{"type":'));
    const result = v.safeParse(lineSchema, JSON.parse(line.slice(at)));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}
