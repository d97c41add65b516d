/**
 * Finds the `asm` statements of a CUDA source, and parses their templates and operands. Comments
 * and literals are skipped.
 */
import { blankLiterals } from './hostCode';

export interface AsmStatement {
  /** Offsets of the word `asm` and of the character after the closing parenthesis. */
  readonly start: number;
  readonly end: number;
  /** PTX template: the concatenated string literals of the statement. */
  readonly template: string;
  /** Operands as C++ expressions, outputs first. */
  readonly operands: readonly string[];
}

export function asmStatements(source: string): readonly AsmStatement[] {
  const code = blankLiterals(source);
  const found: AsmStatement[] = [];
  for (const match of code.matchAll(
    /\b(?:asm|__asm__|__asm)\b(?:\s|\\|\bvolatile\b|\b__volatile__\b)*\(/g,
  )) {
    const open = match.index + match[0].length - 1;
    const close = closing(code, open);
    if (close === undefined) continue;
    const parts = cut(code, open + 1, close, ':');
    const [template, outputs, inputs] = parts;
    const listed = [outputs, inputs].flatMap(part =>
      part === undefined ? [] : cut(code, part[0], part[1], ','),
    );
    found.push({
      start: match.index,
      end: close + 1,
      template: template === undefined ? '' : literals(source.slice(...template)),
      operands: listed.flatMap(([from, to]) => expressionOf(source.slice(from, to))),
    });
  }
  return found;
}

/**
 * Returns the offset of the bracket that matches the bracket at `open`, or undefined if it is
 * missing.
 */
function closing(code: string, open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    depth += /[([{]/.test(code.charAt(at)) ? 1 : /[)\]}]/.test(code.charAt(at)) ? -1 : 0;
    if (depth === 0) return at;
  }
  return undefined;
}

function cut(
  code: string,
  from: number,
  to: number,
  separator: ':' | ',',
): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  let first = from;
  let depth = 0;
  for (let at = from; at < to; at++) {
    const letter = code.charAt(at);
    depth += /[([{]/.test(letter) ? 1 : /[)\]}]/.test(letter) ? -1 : 0;
    if (depth > 0 || letter !== separator) continue;
    ranges.push([first, at]);
    first = at + 1;
  }
  return [...ranges, [first, to]];
}

const LITERAL = /"((?:[^"\\\n]|\\.)*)"/g;

const literals = (text: string): string =>
  [...text.matchAll(LITERAL)]
    .map(([, inside = '']) => inside.replace(/\\[nt]/g, ' ').replace(/\\(.)/g, '$1'))
    .join('');

/**
 * Returns the C++ expression of an operand, such as `(to[0])` for `"=r"(to[0])`. The list is empty
 * if the operand cannot be parsed.
 */
function expressionOf(operand: string): readonly string[] {
  const [, expression] = /^[^"]*"[^"]*"\s*\(([\s\S]*)\)\s*\\?\s*$/.exec(operand) ?? [];
  return expression === undefined ? [] : [`(${expression.replace(/\\?\n\s*/g, ' ').trim()})`];
}
