/** Traversal of the statements of a kernel. */
import type { Statement } from './ir';

/** Yields all statements in program order, including those nested in loops and branches. */
export function* allStatements(body: readonly Statement[]): Generator<Statement> {
  for (const statement of body) {
    yield statement;
    if (statement.op === 'for' || statement.op === 'if') yield* allStatements(statement.body);
    if (statement.op === 'if') yield* allStatements(statement.otherwise ?? []);
  }
}

/** Replaces a statement by an empty line. Statements without it stay the same objects. */
export function withoutStatement(
  body: readonly Statement[],
  gone: Statement,
): readonly Statement[] {
  const changed = body.map((statement): Statement => {
    if (statement === gone) return { op: 'blank' };
    if (statement.op !== 'for' && statement.op !== 'if') return statement;
    const inner = withoutStatement(statement.body, gone);
    if (statement.op === 'for')
      return inner === statement.body ? statement : { ...statement, body: inner };
    const { otherwise } = statement;
    const other = otherwise === undefined ? undefined : withoutStatement(otherwise, gone);
    if (inner === statement.body && other === otherwise) return statement;
    return { ...statement, body: inner, ...(other === undefined ? {} : { otherwise: other }) };
  });
  return changed.every((statement, i) => statement === body[i]) ? body : changed;
}
