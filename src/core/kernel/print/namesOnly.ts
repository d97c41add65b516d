/** Registers that only name what the next statement loads: languages with constants need no variable for it. */
import type { Statement } from '../ir/ir';
import type { RegistersStatement } from './dialect';

/** Those of a kernel's body. */
export function namesOnly(body: readonly Statement[]): ReadonlySet<RegistersStatement> {
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

/** Whether a declaration's only purpose is to name the vector that the next statement loads. */
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
