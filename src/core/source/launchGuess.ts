/** Finds the launch of a kernel in its file, with the values that the host code fixes. */
import { splitAtCommas } from './annotationSchema';
import { blanked } from './kernelSites';
import { constantsOf, valueOf, type Constants } from './sourceConstants';

export interface SourceLaunch {
  /** Extents along x, y and z; undefined if the source does not determine them. */
  readonly grid: readonly number[] | undefined;
  readonly block: readonly number[] | undefined;
  /** Value of each kernel argument; undefined for pointers and for values that are not fixed. */
  readonly values: readonly (number | undefined)[];
}

const MAX_LAUNCH_CHARACTERS = 4000;

/** Returns the first launch `entry<<<grid, block>>>(...)`; undefined if there is none. */
export function launchIn(text: string, entry: string): SourceLaunch | undefined {
  const code = blanked(text);
  const launch = new RegExp(`\\b${entry}\\s*(?:<[^<>;{}()]*>)?\\s*<<<([^;]*?)>>>\\s*\\(`).exec(
    code,
  );
  if (launch === null) return undefined;
  const constants = hostConstants(code);
  const [grid = '', block = ''] = splitAtCommas(launch[1] ?? '');
  const from = launch.index + launch[0].length;
  const list = code.slice(from, from + MAX_LAUNCH_CHARACTERS).split(';')[0] ?? '';
  const values = splitAtCommas(list.replace(/\)\s*$/, ''));
  return {
    grid: extentsOf(grid, code, constants),
    block: extentsOf(block, code, constants),
    values: values.map(value => integerOf(value, constants)),
  };
}

/**
 * Returns the constants of the source and its initialized integer variables. If a name has several
 * values, the first is used.
 */
function hostConstants(code: string): Constants {
  const found: Record<string, number> = { ...constantsOf(code) };
  const declarations = /\b(?:int|unsigned|long|size_t|auto|u?int\d+_t)\s+(\w+\s*=[^;{}()]*);/g;
  for (const [, declared = ''] of code.matchAll(declarations)) {
    for (const part of splitAtCommas(declared)) {
      const [, name = '', expression = ''] = /^(\w+)\s*=\s*(.+)$/s.exec(part) ?? [];
      const value = integerOf(expression, found);
      if (value !== undefined && !Object.hasOwn(found, name)) found[name] = value;
    }
  }
  return found;
}

/** Evaluates a `dim3` expression, a `dim3` variable or an integer. */
function extentsOf(
  expression: string,
  code: string,
  constants: Constants,
): readonly number[] | undefined {
  const list =
    /^dim3\s*[({]([\s\S]*)[)}]$/.exec(expression)?.[1] ??
    (/^\w+$/.test(expression)
      ? new RegExp(`\\bdim3\\s+${expression}\\s*(?:=\\s*(?:dim3)?\\s*)?[({]([^;]*)[)}]\\s*;`).exec(
          code,
        )?.[1]
      : undefined) ??
    expression;
  const values = splitAtCommas(list).map(part => integerOf(part, constants));
  const known = values.filter(value => value !== undefined && value >= 1);
  if (values.length > 3 || known.length !== values.length) return undefined;
  return known as readonly number[];
}

/** Macros and functions of the rounded-up quotient, such as `CEIL_DIV(M, 32)`, `cdiv(m, 32)`. */
const CEILING = /\b(?:\w*ceil\w*|cdiv|div_up|divup)\s*\(([^(),]+),([^(),]+)\)/gi;

/** Evaluates an integer expression. A quotient is rounded down, as in C. */
function integerOf(expression: string, constants: Constants): number | undefined {
  const plain = expression.replace(CEILING, 'ceil(($1) / ($2))').trim();
  const exact = valueOf(plain, constants);
  if (exact !== undefined) return exact;
  const [, above, below] = /^([\s\S]+)\/([^/]+)$/.exec(plain) ?? [];
  if (above === undefined || below === undefined) return undefined;
  const [numerator, denominator] = [valueOf(above, constants), valueOf(below, constants)];
  if (numerator === undefined || denominator === undefined || denominator === 0) return undefined;
  return Math.floor(numerator / denominator);
}
