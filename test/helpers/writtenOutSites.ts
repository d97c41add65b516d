/** Loops that lanes go through out of step, written out with a site an iteration. */
import type { LoweredKernel } from '../../src/core/kernel/kernel';
import { add, int, mul } from '../../src/core/kernel/ir/expr';
import { DTYPE_BYTES } from '../../src/core/types/dtype';
import type { Expr, Site, Statement, Value } from '../../src/core/kernel/ir/ir';

const perLane = (expr: Expr): boolean =>
  expr.op === 'laneIdx' ||
  expr.op === 'threadIdx' ||
  ('left' in expr && (perLane(expr.left) || perLane(expr.right)));

/** Copies with sites of their own; `names` says of which site each is a copy. */
export function writtenOut(
  kernel: LoweredKernel,
  body: readonly Statement[],
  { names, widths }: { readonly names: Map<Site, Site>; readonly widths: Map<Site, number> },
): readonly Statement[] {
  const constant = (expr: Expr): number => {
    if (expr.op === 'int') return expr.value;
    if (expr.op === 'constant')
      return kernel.ir.constants.find(({ name }) => name === expr.name)?.value ?? NaN;
    if (expr.op === '*') return constant(expr.left) * constant(expr.right);
    throw new Error(`${expr.op} is no constant`);
  };
  const value = <V extends Value>(of: V, width = 1): V => {
    if (of.op === 'global' || of.op === 'shared') {
      const site = { ...of.site };
      names.set(site, names.get(of.site) ?? of.site);
      widths.set(site, width);
      return { ...of, site };
    }
    if (of.op === 'mul' || of.op === 'add')
      return { ...of, left: value(of.left, width), right: value(of.right, width) };
    if (of.op === 'convert') return { ...of, value: value(of.value, width) };
    if (of.op === 'guarded') return { ...of, value: value(of.value, width) };
    return of;
  };
  const copy = (statement: Statement): readonly Statement[] => {
    switch (statement.op) {
      case 'assign':
        // In this order: it is that of execution.
        return [
          {
            ...statement,
            value: value(statement.value, statement.width),
            place: value(statement.place, statement.width),
          },
        ];
      case 'loadRows': {
        const { from } = statement;
        const dtype = kernel.ir.shared.find(({ name }) => name === from.array)?.dtype;
        const width = dtype === undefined ? 1 : 16 / DTYPE_BYTES[dtype];
        return [{ ...statement, from: value(from, width) }];
      }
      case 'fma': {
        const [left, right] = [value(statement.left), value(statement.right)];
        return [{ ...statement, left, right, place: value(statement.place) }];
      }
      case 'if':
        return [
          {
            ...statement,
            body: statement.body.flatMap(copy),
            ...(statement.otherwise === undefined
              ? {}
              : { otherwise: statement.otherwise.flatMap(copy) }),
          },
        ];
      case 'for': {
        const { index, from, to, step } = statement;
        // Lanes that leave out an iteration would fall out of step, too.
        const isTested = (of: Statement): boolean =>
          of.op === 'if' || (of.op === 'assign' && of.value.op === 'guarded');
        const inStep = !(to.op === 'constant' && statement.body.some(isTested));
        if ((from.op === 'int' || to.op !== 'constant') && !perLane(from) && inStep)
          return [{ ...statement, body: statement.body.flatMap(copy) }];
        const iterations = Math.ceil(constant(to) / constant(step));
        return Array.from({ length: iterations }, (_, i): Statement => {
          const left = add(from, mul(int(i), step));
          const body = [{ op: 'let', name: index, value: left } as const];
          return {
            op: 'if',
            condition: [{ left, right: to }],
            body: [...body, ...statement.body.flatMap(copy)],
          };
        });
      }
      default:
        return [statement];
    }
  };
  return body.flatMap(copy);
}
