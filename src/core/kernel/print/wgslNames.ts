/** Names of WGSL variables: a register array becomes one variable per element or per vector. */
import type { Expr } from '../ir/ir';
import type { Printer, RegistersStatement } from './dialect';

type RegisterArray = Pick<RegistersStatement, 'name' | 'shape' | 'vector'>;

export function unsupported(what: string): never {
  throw new Error(`WGSL has no ${what}`);
}

export const literal = (expr: Expr): number =>
  expr.op === 'int' ? expr.value : unsupported('named indices');

/**
 * Returns the variables of a register array: acc0_0, acc0_1, ..., or the array's name if it has a
 * single element.
 */
export function variablesOf(statement: RegisterArray, printer: Printer): readonly string[] {
  const { vector = 1 } = statement;
  const extents = statement.shape.map(extent => printer.value(extent));
  return extents
    .map((extent, i) => (i === extents.length - 1 ? extent / vector : extent))
    .reduce<readonly (readonly number[])[]>(
      (all, extent) => all.flatMap(at => Array.from({ length: extent }, (_, i) => [...at, i])),
      [[]],
    )
    .map(at => nameOf(statement, at, printer));
}

/** Returns a variable's name; indices that can only be 0 are omitted. */
export function nameOf(
  { name, shape, vector = 1 }: RegisterArray,
  at: readonly number[],
  printer: Printer,
): string {
  const counts = shape.map(
    (extent, i) => printer.value(extent) / (i === shape.length - 1 ? vector : 1),
  );
  return name + at.filter((_, i) => (counts[i] ?? 1) > 1).join('_');
}
