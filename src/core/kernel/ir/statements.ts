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

/** Returns the statements with a copy of each statement that occurs again, as in a prologue. */
export function distinctStatements(
  body: readonly Statement[],
  known = new Set<Statement>(),
): readonly Statement[] {
  return body.map((statement): Statement => {
    const isKnown = known.has(statement);
    known.add(statement);
    if (statement.op === 'for')
      return { ...statement, body: distinctStatements(statement.body, known) };
    if (statement.op === 'if') {
      const { body: then, otherwise } = statement;
      return {
        ...statement,
        body: distinctStatements(then, known),
        ...(otherwise === undefined ? {} : { otherwise: distinctStatements(otherwise, known) }),
      };
    }
    return isKnown ? { ...statement } : statement;
  });
}
