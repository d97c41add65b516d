/**
 * Finds register declarations whose next statement assigns the whole vector. Languages with
 * immutable variables, such as WGSL, declare them as constants.
 */
import type { Statement } from '../ir/ir';
import type { RegistersStatement } from './dialect';

export function loadedOnce(body: readonly Statement[]): ReadonlySet<RegistersStatement> {
  const named = new Set<RegistersStatement>();
  const visit = (statements: readonly Statement[]): void => {
    statements.forEach((statement, i) => {
      if (statement.op === 'registers' && isNamedBy(statement, statements[i + 1]))
        named.add(statement);
      if (statement.op === 'for' || statement.op === 'if') visit(statement.body);
      if (statement.op === 'if') visit(statement.otherwise ?? []);
    });
  };
  visit(body);
  return named;
}

const isNamedBy = (declared: RegistersStatement, next: Statement | undefined): boolean =>
  next?.op === 'assign' &&
  next.place.op === 'register' &&
  next.place.name === declared.name &&
  (next.width ?? 1) === declared.vector &&
  isOneVector(declared);

const isOneVector = ({ shape: [extent, ...others], vector }: RegistersStatement): boolean =>
  others.length === 0 &&
  extent !== undefined &&
  (vector !== 1 || (extent.op === 'int' && extent.value === 1));
