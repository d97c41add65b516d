/** Warp-level loads, stores and MMAs of matrices that are distributed over the lanes of a warp. */
import { bufferType } from '../spec/resolved';
import { WARP_LANES } from '../hardware/warp';
import type { Expr, KernelIr, MatrixRegister, MatrixUse, Statement } from '../kernel/ir/ir';
import { DTYPE_BYTES } from '../types/dtype';
import { MATRIX_ROW_BYTES } from '../plan/mma/matrix';
import { arithmeticOf } from './arithmetic';
import { closure, fixed, product, sum, type Integer, type Linear } from './linear';
import type { Thread } from './memory';
import type { Bindings, Scope } from './values';

type MatrixStatement = Extract<
  Statement,
  { readonly op: 'matrices' | 'loadMatrix' | 'storeMatrix' | 'multiplyMatrices' }
>;

export const isOfMatrices = (statement: Statement): statement is MatrixStatement =>
  statement.op === 'matrices' ||
  statement.op === 'loadMatrix' ||
  statement.op === 'storeMatrix' ||
  statement.op === 'multiplyMatrices';

export interface MatrixArray {
  readonly base: number;
  readonly rows: number;
  readonly columns: number;
  readonly shape: readonly number[];
}

/** `slots` returns the number of matrix elements per warp. */
export interface Matrices {
  readonly slots: () => number;
  readonly arrays: ReadonlyMap<string, MatrixArray>;
  readonly action: (statement: MatrixStatement) => (threads: readonly Thread[]) => void;
}

export function createMatrices(
  ir: KernelIr,
  { constantOf, linear, address, origin, stride }: Scope,
  bindings: Bindings,
): Matrices {
  const { arithmetic = arithmeticOf(ir.accumulator) } = bindings;
  const arrays = new Map<string, MatrixArray>();
  let slots = 0;

  const extentsOf = (use: MatrixUse): readonly [number, number] => {
    const { m, n, k } = ir.matrices ?? absent('of any shape');
    const [rows, columns] = { a: [m, k], b: [k, n], sum: [m, n] }[use] as [Expr, Expr];
    return [constantOf(rows), constantOf(columns)];
  };

  function declare(name: string, use: MatrixUse, extents: readonly Expr[]): MatrixArray {
    const [rows, columns] = extentsOf(use);
    const shape = extents.map(constantOf);
    const declared = { base: slots, rows, columns, shape };
    arrays.set(name, declared);
    slots += shape.reduce((count, extent) => count * extent, rows * columns);
    return declared;
  }

  const declaredAs = ({ name }: MatrixRegister): MatrixArray => arrays.get(name) ?? absent(name);

  function placeOf(of: MatrixRegister): Integer {
    const { base, rows, columns, shape } = declaredAs(of);
    const which = of.index.reduce<Linear>(
      (at, expr, i) => sum(product(at, fixed(shape[i] ?? 1)), linear(expr)),
      fixed(0),
    );
    return closure(sum(fixed(base), product(which, fixed(rows * columns))));
  }

  /**
   * Returns a function that loads or stores a matrix; the lanes of the warp move its elements in
   * turn.
   */
  function transfer(statement: Extract<MatrixStatement, { op: 'loadMatrix' | 'storeMatrix' }>) {
    const loads = statement.op === 'loadMatrix';
    const [register, element] = loads
      ? [statement.place, statement.from]
      : [statement.value, statement.place];
    const { rows, columns } = declaredAs(register);
    const [first, line, held] = [address(element), stride(element), placeOf(register)];
    const { op: space, site } = element;
    const dtype =
      space === 'global' || site.operand === 'c'
        ? ir.accumulator
        : bufferType(ir.dtypes, site.operand);
    const unit = MATRIX_ROW_BYTES / DTYPE_BYTES[dtype];
    const byRows = statement.order === 'row';
    return (warp: readonly Thread[]): void => {
      const [thread] = warp;
      if (thread === undefined) return;
      const memory = bindings.memory();
      const [at, row, to] = [first(thread), line(thread), held(thread)];
      const other = warp.find(lane => first(lane) !== at || line(lane) !== row);
      if (other !== undefined) memory.diverged(statement, thread, other);
      const inArray = at - origin(element);
      if (inArray % unit !== 0 || row % unit !== 0)
        memory.misaligned({ site, statement, thread, index: inArray, width: unit });
      for (let i = 0; i < rows * columns; i++) {
        const [r, c] = [Math.floor(i / columns), i % columns];
        const index = at + (byRows ? r * row + c : c * row + r);
        const lane = warp[i % warp.length] ?? thread;
        const access = { space, site, statement, thread: lane, index, lane: 0 } as const;
        const { matrices } = thread.warp;
        if (loads) matrices[to + i] = memory.load({ ...access, op: 'load' });
        else memory.store({ ...access, op: 'store' }, matrices[to + i] ?? NaN);
      }
    };
  }

  function products({ place, left, right }: Extract<MatrixStatement, { op: 'multiplyMatrices' }>) {
    const { rows, columns } = declaredAs(place);
    const depth = declaredAs(left).columns;
    const [a, b, into] = [placeOf(left), placeOf(right), placeOf(place)];
    return ([thread]: readonly Thread[]): void => {
      if (thread === undefined) return;
      const { matrices } = thread.warp;
      const [ofA, ofB, to] = [a(thread), b(thread), into(thread)];
      for (let i = 0; i < rows * columns; i++) {
        const [r, c] = [Math.floor(i / columns), i % columns];
        let total = matrices[to + i] ?? NaN;
        for (let k = 0; k < depth; k++) {
          const [factor, other] = [matrices[ofA + r * depth + k], matrices[ofB + k * columns + c]];
          total = arithmetic.fma(factor ?? NaN, other ?? NaN, total);
        }
        matrices[to + i] = total;
      }
    };
  }

  function ofWarp(statement: MatrixStatement): (warp: readonly Thread[]) => void {
    if (statement.op === 'multiplyMatrices') return products(statement);
    if (statement.op !== 'matrices') return transfer(statement);
    const { name, use, shape } = statement;
    const { base } = declare(name, use, shape);
    const end = slots;
    const { initial } = bindings;
    if (use !== 'sum' || initial === undefined) {
      const value = use === 'sum' ? 0 : NaN;
      return ([thread]) => {
        thread?.warp.matrices.fill(value, base, end);
      };
    }
    return ([thread]) => {
      if (thread === undefined) return;
      for (let at = base; at < end; at++) thread.warp.matrices[at] = initial(thread, at);
    };
  }

  return {
    slots: () => slots,
    arrays,
    action: statement => byWarps(statement, ofWarp(statement), bindings),
  };
}

/**
 * Returns a function that executes an action warp by warp and reports warps whose lanes diverge.
 */
export function byWarps(
  statement: Statement,
  act: (warp: readonly Thread[]) => void,
  bindings: Bindings,
): (threads: readonly Thread[]) => void {
  return threads => {
    for (const warp of warpsOf(threads)) {
      const [thread] = warp;
      const missing = thread?.warp.threads.find(lane => !warp.includes(lane));
      if (thread !== undefined && missing !== undefined)
        bindings.memory().diverged(statement, thread, missing);
      else {
        if (thread !== undefined) bindings.executing?.(statement, thread);
        act(warp);
      }
    }
  };
}

function warpsOf(threads: readonly Thread[]): readonly (readonly Thread[])[] {
  const warps = new Map<number, Thread[]>();
  for (const thread of threads) {
    const number = Math.floor(thread.index / WARP_LANES);
    const warp = warps.get(number) ?? [];
    warps.set(number, warp);
    warp.push(thread);
  }
  return [...warps.values()];
}

function absent(what: string): never {
  throw new Error(`matrices ${what} are not declared`);
}
