/**
 * Reads a Python file with a function that multiplies matrices. A comment `# @gemm {...}` describes
 * the problem and the function. All of its fields are optional.
 */
import * as v from 'valibot';
import { decodeSpec } from '../spec/decode';
import { resolve } from '../defaults/resolve';
import { ARGUMENT_ROLES } from '../kernel/ir/arguments';
import type { Runnable } from '../kernel/kernel';
import { epilogueOperands } from '../spec/epilogue';
import { specSchema } from '../spec/schema';
import type { ResolvedProblem } from '../spec/resolved';

/** Name of the function that is called without an annotation. */
const DEFAULT_CALLABLE = 'gemm';

const NAME = /^[\p{ID_Start}_][\p{ID_Continue}]{0,200}$/u;
/** Matches a line with an annotation. */
export const PYTHON_ANNOTATION = /^[ \t]*#[ \t]*@gemm[ \t](.*)$/m;

/** Roles that a Python function can take; tensors carry their own strides. */
const ROLES = ['a', 'b', 'c', 'm', 'n', 'k', 'batch', 'alpha', 'beta'] as const;

const schema = v.strictObject({
  problem: v.optional(specSchema.pipe[0].entries.problem),
  callable: v.optional(v.pipe(v.string(), v.regex(NAME, 'Expected the name of a function.'))),
  args: v.optional(
    v.pipe(
      v.array(v.picklist(ROLES)),
      v.minLength(1),
      v.maxLength(ARGUMENT_ROLES.length),
      v.check(
        args => args.includes('a') && args.includes('b'),
        'Expected the arguments "a" and "b".',
      ),
    ),
  ),
  execute: v.optional(v.picklist(['needed', 'all'])),
});

export type ReadPython =
  | { readonly ok: true; readonly runnable: Runnable }
  | { readonly ok: false; readonly path: string; readonly reason: string };

export interface PythonPlace {
  readonly fileName: string;
  /** Absolute path. */
  readonly path: string;
  /** Function to call; takes precedence over the annotation. */
  readonly callable?: string | undefined;
  /** Problem if the annotation has none, for example that of the other kernels of a benchmark. */
  readonly problem?: ResolvedProblem | undefined;
}

/** Reads the function that multiplies; returns the first error. Never throws. */
export function readPythonFile(
  given: string,
  { fileName, path, callable, problem: otherwise }: PythonPlace,
): ReadPython {
  const source = given.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const annotation = annotationIn(source);
  if (!annotation.ok) {
    const reason = `${fileName}:${annotation.line + 1}: ${annotation.reason}`;
    return { ok: false, path: annotation.path, reason };
  }
  const { problem, args = ['a', 'b'], execute = 'needed' } = annotation.value;
  const name = callable ?? annotation.value.callable ?? DEFAULT_CALLABLE;
  const resolved = problem === undefined ? otherwise : resolvedOf(problem);
  if (resolved === undefined) {
    const reason = `${fileName} does not state its problem. Fix: add a comment # @gemm {"problem":{"m":4096,"n":4096,"k":4096}}, or benchmark it together with a spec.`;
    return { ok: false, path: '@gemm.problem', reason };
  }
  if ('reason' in resolved) return { ok: false, ...resolved };
  const [operand] = epilogueOperands(resolved);
  if (operand !== undefined) {
    const reason = `${fileName}: a Python function gets A and B, but no operand of an epilogue, so its result would be incorrect. Fix: use a problem without the operation "${operand.op.op}".`;
    return { ok: false, path: `@gemm.problem.epilogue`, reason };
  }
  const one = { x: 1, y: 1, z: 1 };
  return {
    ok: true,
    runnable: {
      target: 'cuda',
      source,
      problem: resolved,
      entry: name,
      grid: one,
      block: one,
      dynamicSharedBytes: 0,
      arguments: args,
      specKey: fileName.replace(/\.[^.]+$/, ''),
      foreign: { kind: 'python', path, execute },
    },
  };
}

function resolvedOf(
  problem: v.InferOutput<typeof specSchema>['problem'],
): ResolvedProblem | { readonly path: string; readonly reason: string } {
  const decoded = decodeSpec({ problem });
  if (decoded.ok) return resolve(decoded.spec).problem;
  const [error] = decoded.errors;
  return { path: `@gemm.${error?.path ?? ''}`, reason: error?.message ?? '' };
}

type Annotation =
  | { readonly ok: true; readonly value: v.InferOutput<typeof schema> }
  | { readonly ok: false; readonly line: number; readonly path: string; readonly reason: string };

function annotationIn(source: string): Annotation {
  const found = [...source.matchAll(new RegExp(PYTHON_ANNOTATION, 'gm'))];
  const [first, second] = found;
  if (first === undefined) return { ok: true, value: {} };
  const lineOf = (at: number): number => source.slice(0, at).split('\n').length - 1;
  const fail = (path: string, reason: string, line = lineOf(first.index)): Annotation => ({
    ok: false,
    line,
    path,
    reason,
  });
  if (second !== undefined) {
    const reason = 'the file has two @gemm comments. Fix: remove one of them.';
    return fail('@gemm', reason, lineOf(second.index));
  }
  let value: unknown;
  try {
    value = JSON.parse(first[1] ?? '');
  } catch (error) {
    return fail('@gemm', `the @gemm comment is not JSON (${String(error)})`);
  }
  const decoded = v.safeParse(schema, value);
  if (decoded.success) return { ok: true, value: decoded.output };
  const [issue] = decoded.issues;
  const path = v.getDotPath(issue);
  return fail(path === null ? '@gemm' : `@gemm.${path}`, `the @gemm comment: ${issue.message}`);
}
