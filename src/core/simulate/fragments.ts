/**
 * Fragments of `mma`: loads of matrix rows, split terms and MMAs, executed per warp
 * (plan/mma/fragments.ts).
 */
import type { KernelIr, Statement } from '../kernel/ir/ir';
import { MATRIX_ROWS, WORD_BYTES } from '../plan/mma/fragments';
import { operandPosition, accumulatorPosition } from '../plan/mma/fragmentPositions';
import { WIDEST_BYTES } from '../plan/simt/lanes';
import { DTYPE_BYTES } from '../types/dtype';
import { arithmeticOf } from './arithmetic';
import type { Thread } from './memory';
import type { Bindings, Scope } from './values';

type FragmentStatement = Extract<
  Statement,
  { readonly op: 'loadRows' | 'takePiece' | 'multiplyFragments' }
>;

export const isOfFragments = (statement: Statement): statement is FragmentStatement =>
  statement.op === 'loadRows' ||
  statement.op === 'takePiece' ||
  statement.op === 'multiplyFragments';

type OfWarp = (warp: readonly Thread[]) => void;

export function fragmentAction(
  ir: KernelIr,
  scope: Scope,
  bindings: Bindings,
): (statement: FragmentStatement) => OfWarp {
  return statement => {
    switch (statement.op) {
      case 'loadRows':
        return rowLoads(statement, ir, scope, bindings);
      case 'takePiece':
        return splitTerms(statement, scope, bindings);
      case 'multiplyFragments':
        return products(statement, ir, scope, bindings);
    }
  };
}

function rowLoads(
  statement: Extract<FragmentStatement, { op: 'loadRows' }>,
  ir: KernelIr,
  { address, origin, registerIndex }: Scope,
  bindings: Bindings,
): OfWarp {
  const { from, place, matrices, transposed } = statement;
  const dtype = ir.shared.find(({ name }) => name === from.array)?.dtype ?? ir.accumulator;
  const [inRow, inWord] = [WIDEST_BYTES, WORD_BYTES].map(bytes => bytes / DTYPE_BYTES[dtype]) as [
    number,
    number,
  ];
  const { round } = bindings.arithmetic ?? arithmeticOf(ir.accumulator);
  const [first, to] = [address(from), registerIndex(place.name, place.index)];
  const { site } = from;
  return warp => {
    const memory = bindings.memory();
    const rows = warp.slice(0, MATRIX_ROWS * matrices).map(thread => {
      const at = first(thread);
      const inArray = at - origin(from);
      if (inArray % inRow !== 0)
        memory.misaligned({ site, statement, thread, index: inArray, width: inRow });
      return Array.from({ length: inRow }, (_, lane) =>
        memory.load({
          space: 'shared',
          op: 'load',
          site,
          statement,
          thread,
          index: at + lane,
          lane,
        }),
      );
    });
    warp.forEach((thread, l) => {
      const [slow, fast] = [Math.floor(l / 4), (l % 4) * inWord];
      const into = to(thread);
      for (let i = 0; i < matrices * inWord; i++) {
        const first = Math.floor(i / inWord) * MATRIX_ROWS;
        const along = fast + (i % inWord);
        const [row, column] = transposed ? [along, slow] : [slow, along];
        const value = rows[first + row]?.[column] ?? NaN;
        thread.registers[into + i] = dtype === 'tf32' ? round(dtype, value) : value;
      }
    });
  };
}

function products(
  { place, left, right }: Extract<FragmentStatement, { op: 'multiplyFragments' }>,
  ir: KernelIr,
  { constantOf, registerIndex }: Scope,
  bindings: Bindings,
): OfWarp {
  const { matrices: shape, factor, dtypes, accumulator } = ir;
  if (shape === undefined) throw new Error('matrix product without a shape');
  const [m, n, k] = [constantOf(shape.m), constantOf(shape.n), constantOf(shape.k)];
  const bytes = { a: DTYPE_BYTES[factor ?? dtypes.a], b: DTYPE_BYTES[factor ?? dtypes.b] };
  const { arithmetic = arithmeticOf(accumulator) } = bindings;
  const [sums, a, b] = [place, left, right].map(of => registerIndex(of.name, of.index)) as [
    ReturnType<typeof registerIndex>,
    ReturnType<typeof registerIndex>,
    ReturnType<typeof registerIndex>,
  ];
  const [rows, columns] = [new Float64Array(m * k), new Float64Array(n * k)];
  const gathered = (
    warp: readonly Thread[],
    use: 'a' | 'b',
    from: ReturnType<typeof registerIndex>,
  ): Float64Array => {
    const into = use === 'a' ? rows : columns;
    const each = into.length / warp.length;
    warp.forEach((thread, lane) => {
      const at = from(thread);
      for (let i = 0; i < each; i++) {
        const { side, depth } = operandPosition(use, bytes[use], lane, i);
        into[side * k + depth] = thread.registers[at + i] ?? NaN;
      }
    });
    return into;
  };
  return warp => {
    const [ofA, ofB] = [gathered(warp, 'a', a), gathered(warp, 'b', b)];
    warp.forEach((thread, lane) => {
      const at = sums(thread);
      for (let i = 0; i < (m * n) / warp.length; i++) {
        const { row, column } = accumulatorPosition(lane, i);
        let total = thread.registers[at + i] ?? NaN;
        for (let depth = 0; depth < k; depth++)
          total = arithmetic.fma(
            ofA[row * k + depth] ?? NaN,
            ofB[column * k + depth] ?? NaN,
            total,
          );
        thread.registers[at + i] = total;
      }
    });
  };
}

/** Returns an action that takes the leading term of each value and leaves the remainder. */
function splitTerms(
  { place, rest }: Extract<FragmentStatement, { op: 'takePiece' }>,
  { registerIndex, registerType }: Scope,
  bindings: Bindings,
): OfWarp {
  const dtype = registerType(place.name);
  const [to, from] = [registerIndex(place.name, place.index), registerIndex(rest.name, rest.index)];
  const { term, remainder } = bindings.arithmetic ?? arithmeticOf(registerType(rest.name));
  return warp => {
    for (const thread of warp) {
      const { registers } = thread;
      const [into, left] = [to(thread), from(thread)];
      for (let i = 0; i < WORD_BYTES / DTYPE_BYTES[dtype]; i++) {
        const value = registers[left + i] ?? NaN;
        const piece = term(dtype, value);
        registers[into + i] = piece;
        registers[left + i] = remainder(value, piece);
      }
    }
  };
}
