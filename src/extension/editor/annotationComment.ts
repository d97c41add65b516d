/** Creates a `// @gemm` comment from user input, and parses each input. */
import { t } from '@vscode/l10n';
import { evaluate, splitAtCommas } from '../../core/source/annotationSchema';
import { isGridExpression } from '../../core/source/annotationGuess';
import type { InferredAnnotation } from '../../core/source/inferAnnotation';
import { type Argument } from '../../core/kernel/kernel';
import { ARGUMENT_ROLES, type ArgumentRole } from '../../core/kernel/ir/arguments';
import type { DType } from '../../core/types/dtype';
import type { Layout } from '../../core/spec/schema';
import type { Sizes } from '../shared/sizes';

export interface Answers {
  readonly sizes: Sizes;
  readonly dtype: DType;
  /** Layouts of A, B and C, in this order. */
  readonly layouts: readonly [Layout, Layout, Layout];
  readonly block: readonly number[];
  readonly grid: readonly string[];
  readonly args: readonly Argument[];
  /** Kernel name; set if the file has more than one kernel. */
  readonly entry?: string;
}

/**
 * Returns the answers that the source determines; undefined if a value is missing, or if the kernel
 * is a template, which cannot be launched directly.
 */
export function inferredAnswers(
  { sizes, dtype, layouts, block, grid, args, entry, isTemplate }: InferredAnnotation,
  kernels: number,
): Answers | undefined {
  const { m, n, k } = sizes;
  const known = args.filter(role => role !== undefined);
  const isComplete = known.length > 0 && known.length === args.length;
  if (m === undefined || n === undefined || k === undefined || isTemplate) return undefined;
  if (dtype === undefined || block === undefined || !isComplete) return undefined;
  const named = kernels > 1 ? { entry } : {};
  return { sizes: { m, n, k }, dtype, layouts, block, grid, args: known, ...named };
}

export function annotationComment(answers: Answers): string {
  const { sizes, dtype, layouts, block, grid, args, entry } = answers;
  const operand = (index: 0 | 1 | 2) => ({
    ...(dtype === 'f32' || (index > 0 && dtype !== 's8') ? {} : { dtype }),
    ...(layouts[index] === 'row' ? {} : { layout: layouts[index] }),
  });
  const [a, b, c] = [operand(0), operand(1), operand(2)];
  const given = (name: string, value: object) =>
    Object.keys(value).length === 0 ? {} : { [name]: value };
  const problem = { ...sizes, ...given('a', a), ...given('b', b), ...given('c', c) };
  const json = { ...(entry === undefined ? {} : { entry }), problem, grid, block, args };
  return `// @gemm ${JSON.stringify(json)}`;
}

export type Read<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** Parses threads per block along x, y and z: `16, 16` or `256`. */
export function readBlock(text: string): Read<readonly number[]> {
  const values = text.split(/[,x×\s]+/).flatMap(part => (part === '' ? [] : [Number(part)]));
  const whole = values.every(value => Number.isInteger(value) && value >= 1);
  if (values.length < 1 || values.length > 3 || !whole) {
    return { ok: false, why: t('Enter one to three positive integers, such as 256 or 16, 16.') };
  }
  const threads = values.reduce((product, value) => product * value, 1);
  return threads > 1024
    ? { ok: false, why: t('Expected at most 1,024 threads per block, got {0}.', threads) }
    : { ok: true, value: values };
}

/** Parses blocks along x, y and z: `ceil(n / 16), ceil(m / 16)`. */
export function readGrid(text: string): Read<readonly string[]> {
  const entries = splitAtCommas(text);
  if (entries.length < 1 || entries.length > 3) {
    return { ok: false, why: t('Enter one to three expressions, for x, y and z.') };
  }
  const invalid = entries.find(entry => !isGridExpression(entry));
  if (invalid === undefined) return { ok: true, value: entries };
  const words = 'm, n, k, block.x, block.y, block.z, + - * / ceil( )';
  return { ok: false, why: t('"{0}" is not a valid expression of {1}.', invalid, words) };
}

/** Parses `m, n, k, a, b, c`; a WGSL uniform block is written in brackets: `a, b, c, [m, n, k]`. */
export function readArguments(
  text: string,
  expected: number | undefined,
): Read<readonly Argument[]> {
  const entries = splitAtCommas(text);
  const args: Argument[] = [];
  for (const entry of entries) {
    const names = entry
      .replace(/^\[|\]$/g, '')
      .split(',')
      .map(name => name.trim());
    const invalid = names.find(name => !isRole(name));
    if (invalid !== undefined) {
      const roles = ARGUMENT_ROLES.join(', ');
      return { ok: false, why: t('"{0}" must be one of {1}.', invalid, roles) };
    }
    const roles = names.filter(isRole);
    const [only] = roles;
    args.push(entry.startsWith('[') || only === undefined ? roles : only);
  }
  if (expected !== undefined && args.length !== expected) {
    return {
      ok: false,
      why: t('The kernel takes {0} arguments, got {1}.', expected, args.length),
    };
  }
  return { ok: true, value: args };
}

const isRole = (text: string): text is ArgumentRole =>
  (ARGUMENT_ROLES as readonly string[]).includes(text);

export const argumentsText = (args: readonly (Argument | undefined)[]): string =>
  args
    .map(arg => (arg === undefined ? '?' : typeof arg === 'string' ? arg : `[${arg.join(', ')}]`))
    .join(', ');

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

/**
 * Returns the grid dimensions of a problem as text such as `64 x 64`, for the prompt. An invalid
 * expression yields `?`.
 */
export function gridSize(grid: readonly string[], sizes: Sizes, block: readonly number[]): string {
  const [x = 1, y = 1, z = 1] = block;
  const names = { ...sizes, 'block.x': x, 'block.y': y, 'block.z': z };
  return grid.map(entry => evaluate(entry, names) ?? '?').join(' x ');
}
