/** Parses what a user enters for a `// @gemm` comment. */
import { t } from '@vscode/l10n';
import { evaluate, splitAtCommas } from '../../core/source/annotationSchema';
import { isGridExpression } from '../../core/source/annotationGuess';
import { type Argument } from '../../core/kernel/kernel';
import { ARGUMENT_ROLES, type ArgumentRole } from '../../core/kernel/ir/arguments';
import type { Sizes } from '../shared/sizes';

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
 * Returns the grid dimensions of a problem as text such as `64 x 64`, for the prompt. An invalid
 * expression yields `?`.
 */
export function gridSize(grid: readonly string[], sizes: Sizes, block: readonly number[]): string {
  const [x = 1, y = 1, z = 1] = block;
  const names = { ...sizes, 'block.x': x, 'block.y': y, 'block.z': z };
  return grid.map(entry => evaluate(entry, names) ?? '?').join(' x ');
}
