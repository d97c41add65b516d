/** Writes a `// @gemm` comment from confirmed values, and from an inferred annotation. */
import type { Argument } from '../kernel/kernel';
import type { Layout } from '../spec/schema';
import type { DType } from '../types/dtype';
import type { InferredAnnotation } from './inferAnnotation';

export interface Answers {
  readonly sizes: { readonly m: number; readonly n: number; readonly k: number };
  readonly dtype: DType;
  /** Type of the elements of C, if it differs from that of A and B. */
  readonly cDtype?: DType | undefined;
  /** Layouts of A, B and C, in this order. */
  readonly layouts: readonly [Layout, Layout, Layout];
  /** Factor of C; absent for 0. */
  readonly beta?: number | undefined;
  readonly block: readonly number[];
  readonly grid: readonly string[];
  readonly args: readonly Argument[];
  /**
   * Kernel name; set if the file has more than one kernel, or if the kernel is an instance of a
   * template.
   */
  readonly entry?: string;
}

/** Returns the answers that the source determines; undefined if a value is missing. */
export function inferredAnswers(guess: InferredAnnotation, kernels: number): Answers | undefined {
  const { sizes, dtype, layouts, block, grid, args } = guess;
  const { m, n, k } = sizes;
  const known = args.filter(role => role !== undefined);
  const isComplete = known.length > 0 && known.length === args.length;
  const isLaunchable = guess.template.length === 0 || guess.instance !== undefined;
  if (m === undefined || n === undefined || k === undefined || !isLaunchable) return undefined;
  if (dtype === undefined || block === undefined || !isComplete) return undefined;
  const fixed = fixedAnswers(guess, kernels);
  return { sizes: { m, n, k }, dtype, layouts, block, grid, args: known, ...fixed };
}

/** Returns the answers for which no prompt exists. */
export function fixedAnswers(
  { cDtype, readsC, instance, entry }: InferredAnnotation,
  kernels: number,
): Pick<Answers, 'cDtype' | 'beta' | 'entry'> {
  const named = instance ?? (kernels > 1 ? entry : undefined);
  return {
    ...(cDtype === undefined ? {} : { cDtype }),
    ...(readsC ? { beta: 1 } : {}),
    ...(named === undefined ? {} : { entry: named }),
  };
}

/** Returns the annotation as a JSON value. Defaults of the spec are omitted. */
export function annotationOfAnswers(answers: Answers): object {
  const { sizes, dtype, cDtype, layouts, beta, block, grid, args, entry } = answers;
  const operand = (index: 0 | 1 | 2) => ({
    ...(dtype === 'f32' || (index > 0 && dtype !== 's8') ? {} : { dtype }),
    ...(index === 2 && cDtype !== undefined ? { dtype: cDtype } : {}),
    ...(layouts[index] === 'row' ? {} : { layout: layouts[index] }),
  });
  const [a, b, c] = [operand(0), operand(1), operand(2)];
  const given = (name: string, value: object) =>
    Object.keys(value).length === 0 ? {} : { [name]: value };
  const factor = beta === undefined ? {} : { beta };
  const problem = {
    ...sizes,
    ...given('a', a),
    ...given('b', b),
    ...given('c', c),
    ...factor,
  };
  return { ...(entry === undefined ? {} : { entry }), problem, grid, block, args };
}

export const commentOf = (annotation: object): string => `// @gemm ${JSON.stringify(annotation)}`;

export const annotationComment = (answers: Answers): string =>
  commentOf(annotationOfAnswers(answers));

/**
 * Returns the first line of a kernel's declaration. That line may precede the `__global__` line,
 * for example with `template <...>` or `extern "C"`.
 */
export function declarationLine(lines: readonly string[], markLine: number): number {
  let line = markLine;
  while (line > 0) {
    const above = lines[line - 1]?.trim() ?? '';
    if (above === '' || /[;{}\\]$|^(?:\/\/|\/\*|\*|#)|\*\/$/.test(above)) break;
    line -= 1;
  }
  return line;
}
