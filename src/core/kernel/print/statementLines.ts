/** Maps the statements of a kernel's IR to lines of its source file. */
import type { Statement } from '../ir/ir';
import { cuda } from './cuda';
import type { Kernel, KernelLaunch } from '../kernel';
import { printOptionsOf } from './planOptions';
import { print, type Mark } from './print';
import { wgslOf } from './wgsl';

/**
 * First and last line number, counted from 1. The range of an unrolled statement spans all its
 * copies.
 */
export interface Lines {
  readonly first: number;
  readonly last: number;
}

const START = '\u0001';
const MARKED = new RegExp(`${START}(\\d+) `, 'g');

/**
 * Returns the offset and the number of the lines that belong to the statement itself, without
 * nested statements.
 */
function ownLines(statement: Statement, count: number): readonly [from: number, own: number] {
  if (statement.op === 'for') return [statement.advancing?.length ?? 0, 1];
  return [0, statement.op === 'if' ? 1 : count];
}

/**
 * Returns the lines of each statement of a launch: the header line of a loop or an if, all lines of
 * other statements. Prints the kernel again with marks and returns an empty map if the source file
 * does not contain the printed code.
 */
export function statementLines(
  { source, plan, target }: Kernel,
  { ir }: KernelLaunch,
): ReadonlyMap<Statement, Lines> {
  const marked: Statement[] = [];
  const mark: Mark = (lines, statement) => {
    const number = marked.push(statement) - 1;
    const [from, own] = ownLines(statement, lines.length);
    return lines.map((line, i) =>
      from <= i && i < from + own && line !== '' ? `${line}${START}${number} ` : line,
    );
  };
  const text = print(ir, printOptionsOf(plan), target === 'cuda' ? cuda : wgslOf(ir), mark);
  const from = source.indexOf(text.replace(MARKED, ''));
  const found = new Map<Statement, Lines>();
  if (from === -1) return found;
  const before = source.slice(0, from).split('\n').length;
  for (const [i, line] of text.split('\n').entries()) {
    for (const [, number] of line.matchAll(MARKED)) {
      const statement = marked[Number(number)];
      if (statement === undefined) continue;
      const { first = before + i } = found.get(statement) ?? {};
      found.set(statement, { first, last: before + i });
    }
  }
  return found;
}
