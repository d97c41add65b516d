/** Protocol with the Python process: JSON lines, one request at a time. */
import * as v from 'valibot';
import { inputBits, streamOf } from '../../core/verify/inputs';
import type { Runnable } from '../../core/kernel/kernel';
import { OPERANDS, type OperandName } from '../../core/spec/resolved';
import { plainText } from '../text';

const text = (most: number) =>
  v.pipe(
    v.string(),
    v.transform(given => plainText(given).slice(0, most)),
  );
const version = text(80);

/** Outcomes that the process reports; the host adds timeouts and crashes. */
const OUTCOMES = [
  'incorrect',
  'compile-error',
  'launch-error',
  'constraint',
  'unavailable',
] as const;

const opened = v.object({ python: version, torch: version, triton: v.nullable(version) });
const wrote = v.object({});
const timed = v.object({
  ms: v.pipe(v.number(), v.finite(), v.gtValue(0)),
  graph: v.boolean(),
  note: v.nullable(text(1000)),
});
export const ANSWERS = { open: opened, result: wrote, batch: timed } as const;
export type Asked = keyof typeof ANSWERS;
export type AnswerTo<T extends Asked> = v.InferOutput<(typeof ANSWERS)[T]>;

const failed = v.object({
  ok: v.literal(false),
  outcome: v.picklist(OUTCOMES),
  message: text(2000),
});

export type Decoded<T extends Asked> =
  | { readonly kind: 'answer'; readonly answer: AnswerTo<T> }
  | {
      readonly kind: 'failed';
      readonly outcome: (typeof OUTCOMES)[number];
      readonly message: string;
    }
  | { readonly kind: 'invalid'; readonly why: string };

/** Decodes the answer to request `id`. Returns undefined for other lines. */
export function decodeAnswer<T extends Asked>(
  line: string,
  id: number,
  asked: T,
): Decoded<T> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const head = v.safeParse(v.object({ id: v.literal(id), ok: v.boolean() }), value);
  if (!head.success) return undefined;
  const schema: v.GenericSchema = head.output.ok ? ANSWERS[asked] : failed;
  const decoded = v.safeParse(schema, value);
  if (!decoded.success) {
    const [issue] = decoded.issues;
    return { kind: 'invalid', why: `${v.getDotPath(issue) ?? 'answer'}: ${issue.message}` };
  }
  if (head.output.ok) return { kind: 'answer', answer: decoded.output as AnswerTo<T> };
  const { outcome, message } = decoded.output as v.InferOutput<typeof failed>;
  return { kind: 'failed', outcome, message };
}

/**
 * Describes a function and its problem for the process. The inputs are generated there, from the
 * streams of the seed, and equal those of every backend.
 */
export function openRequest(
  { source, problem, entry, arguments: args, foreign }: Runnable,
  { seed, gpu }: { readonly seed: number; readonly gpu: number },
): object {
  if (foreign?.kind !== 'python') throw new Error('only a Python file has a function');
  const { m, n, k, batch, alpha, beta } = problem;
  const operand = (name: OperandName): object => {
    const { dtype, layout, ld, batchStride } = problem[name];
    const bits = inputBits(dtype);
    return { dtype, layout, ld, batchStride, bits, stream: streamOf(name, seed) };
  };
  const [a, b, c] = OPERANDS.map(operand);
  return {
    do: 'open',
    path: foreign.path,
    source,
    callable: entry,
    execute: foreign.execute,
    args: args.flat(),
    gpu,
    problem: { m, n, k, batch, alpha, beta, a, b, c },
  };
}
