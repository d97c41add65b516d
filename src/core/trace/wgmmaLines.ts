/** Source lines of a `wgmma` kernel, whose main loop is not printed from loop IR. */
import type { DeclaredKernel } from '../kernel/kernel';
import type { OperandName } from '../spec/resolved';
import type { Use, UsedLines } from './operandLines';

/** Statements of the main kernel by operand of the computed GEMM. */
const STATEMENTS: readonly (readonly [operand: OperandName, use: Use, statement: RegExp])[] = [
  ['a', 'load', /\btmaLoad\w*\(.*\bmapA\b/],
  ['b', 'load', /\btmaLoad\w*\(.*\bmapB\b/],
  ['a', 'sharedLoad', /\bloadA\(fragment/],
  ['b', 'sharedLoad', /\bloadB\(fragment/],
  ['c', 'multiply', /^ *(?:wg)?mma\(/],
  ['a', 'multiply', /^ *(?:wg)?mma\(/],
  ['b', 'multiply', /^ *(?:wg)?mma\(/],
  ['c', 'epilogue', /\bstoreTile\(acc/],
  ['c', 'stageOutput', /^ *stmatrix4\(/],
  ['c', 'store', /\btmaStore\(map,/],
  // Stores of threads, from staged boxes and from registers
  ['c', 'store', /^ *\*reinterpret_cast<uint32_t\*>\(line\b|\bline\[\w+\] = /],
  ['c', 'store', /^ *\*(?:to|first|second) = /],
];

/**
 * Returns the lines in the caller's operands. The given lines are in operands of the computed GEMM:
 * those of the kernels that repack A and B, and of the kernel that reduces split-K slices.
 */
export function wgmmaLines(
  { source, model }: DeclaredKernel,
  {
    prePasses,
    reduction,
  }: { readonly prePasses: readonly UsedLines[]; readonly reduction: readonly UsedLines[] },
): readonly UsedLines[] {
  const texts = source.split('\n');
  const main = texts.flatMap((text, i) =>
    STATEMENTS.filter(([, , statement]) => statement.test(text)).map(([operand, use]) => ({
      operand,
      use,
      lines: { first: i + 1, last: lastLineOf(texts, i) + 1 },
    })),
  );
  const loads = prePasses.filter(({ operand, use }) => operand !== 'c' && use === 'load');
  const all = [...loads, ...reduction, ...main].sort(
    (one, other) => one.lines.first - other.lines.first,
  );
  if (model.operandOrder === 'ab') return all;
  return all.map(({ operand, ...used }) => ({ ...used, operand: SWAPPED[operand] }));
}

/** Returns the index of the line with the semicolon that ends the statement. */
function lastLineOf(texts: readonly string[], first: number): number {
  const last = texts.findIndex((text, i) => i >= first && text.includes(';'));
  return last < 0 ? first : last;
}

const SWAPPED = { a: 'b', b: 'a', c: 'c' } as const;
