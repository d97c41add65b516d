/** Finds the source line and expression of an instruction's access. */
import type { Instruction } from '../listing/instruction';
import { splitAtCommas } from '../../source/annotationSchema';
import { constantsOf } from '../../source/sourceConstants';

export interface SourceAccess {
  /**
   * Source line (one-based); null if neither the line information nor the source code identifies
   * the access.
   */
  readonly line: number | null;
  /**
   * Access expression, such as `A[(i + i0) * K + k]`; only the name of the array if the expression
   * is not found.
   */
  readonly code: string;
}

const MOST_CHARACTERS = 60;

function indexed(line: string, name: string): readonly string[] {
  const found: string[] = [];
  const start = new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}\\s*\\[`, 'g');
  for (const match of line.matchAll(start)) {
    let [depth, at] = [0, match.index];
    for (; at < line.length; at++) {
      const c = line.charAt(at);
      depth += c === '[' ? 1 : c === ']' ? -1 : 0;
      if (depth === 0 && c === ']' && !/^\s*\[/.test(line.slice(at + 1))) break;
    }
    found.push(line.slice(match.index, at + 1).replace(/\s+/g, ' '));
  }
  return found;
}

const shortened = (code: string): string =>
  code.length <= MOST_CHARACTERS ? code : `${code.slice(0, MOST_CHARACTERS - 1)}…`;

/**
 * Finds the source line and expression of an access. `names` lists the array and then the pointers
 * derived from it; `file` is a suffix of the source's path.
 */
export function sourceAccess(
  { from }: Pick<Instruction, 'from'>,
  { names, op }: { readonly names: readonly string[]; readonly op: 'load' | 'store' },
  { lines, file }: { readonly lines: readonly string[]; readonly file: string },
): SourceAccess {
  const written = (at: number): string => lines[at - 1] ?? '';
  const isNamed = (line: string): boolean => names.some(name => indexed(line, name).length > 0);
  const own = from
    .filter(place => `/${place.file.replaceAll('\\', '/')}`.endsWith(`/${file}`))
    .map(({ line }) => line);
  const at = own.find(line => isNamed(written(line))) ?? own.at(-1);
  if (at !== undefined) return { line: at, code: codeIn(written(at), names, op) };
  // Without line information, for example if the compiler merged two branches, use the first
  // matching line.
  const found = lines.findIndex(
    line => !line.includes('__shared__') && accessesIn(line, names, op).length > 0,
  );
  return found < 0
    ? { line: null, code: names[0] ?? '' }
    : { line: found + 1, code: codeIn(written(found + 1), names, op) };
}

/**
 * Finds accesses to the named arrays in a line. Searches left of the assignment for a store, and
 * right of the assignment for a load.
 */
function accessesIn(
  line: string,
  names: readonly string[],
  op: 'load' | 'store',
): readonly string[] {
  const assigned = /^(.*?[\w\])])\s*[-+*/]?=(?!=)(.*)$/.exec(line);
  const side = op === 'store' ? (assigned?.[1] ?? '') : (assigned?.[2] ?? line);
  return [...new Set(names.flatMap(name => indexed(side, name)))];
}

function codeIn(line: string, names: readonly string[], op: 'load' | 'store'): string {
  const sided = accessesIn(line, names, op);
  const codes = sided.length > 0 ? sided : [...new Set(names.flatMap(name => indexed(line, name)))];
  const [only] = codes;
  if (only === undefined) return names[0] ?? '';
  return codes.length === 1 ? shortened(only) : `${/^\w+/.exec(only)?.[0] ?? ''}[…]`;
}

/**
 * Collects the array and all pointers derived from it, as in `float *As = smem, *Bs = As + BM *
 * BK;`.
 */
export function namesOf(text: string, name: string): readonly string[] {
  const names = new Set([name]);
  for (const statement of text.split(/[;{}]/)) {
    for (const part of splitAtCommas(statement)) {
      const [, alias, value = ''] = /(\w+)\s*=(?!=)\s*(.+)$/s.exec(part) ?? [];
      if (alias === undefined) continue;
      const isMade = [...names].some(
        known =>
          new RegExp(`\\b${known}\\b`).test(value) &&
          !new RegExp(`(?<!&\\s*)\\b${known}\\s*\\[`).test(value),
      );
      if (isMade) names.add(alias);
    }
  }
  return [...names];
}

/**
 * Returns the declared row extent of an array, such as BK + 1 for `[BM][BK + 1]`; undefined for a
 * one-dimensional array or an unknown extent.
 */
export function declaredRow(text: string, name: string): number | undefined {
  const declared = new RegExp(`__shared__[^;]*?\\b${name}\\s*((?:\\[[^\\]]*\\]\\s*){2,})`);
  const extents = declared.exec(text)?.[1]?.match(/\[[^\]]*\]/g) ?? [];
  const inner = extents.at(-1)?.slice(1, -1);
  if (inner === undefined) return undefined;
  const value = constantsOf(`${text}\nconst int row_ = ${inner};`)['row_'];
  return value !== undefined && value > 0 ? value : undefined;
}
