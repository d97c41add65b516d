/** Statement builders shared by all lowerings. */
import { int } from '../ir/expr';
import type { Advancing, Condition, Expr, Statement } from '../ir/ir';

export const BLANK: Statement = { op: 'blank' };
export const comment = (text: string): Statement => ({ op: 'comment', text });
export const declare = (name: string, value: Expr): Statement => ({ op: 'let', name, value });

export function forLoop(
  index: string,
  to: Expr,
  body: readonly Statement[],
  options: {
    readonly from?: Expr;
    readonly step?: Expr;
    readonly unroll?: boolean | 'written-out';
    readonly advancing?: readonly Advancing[];
  } = {},
): Statement {
  const { from = int(0), step = int(1), unroll = false, advancing = [] } = options;
  const advances = advancing.length === 0 ? {} : { advancing };
  return { op: 'for', index, from, to, step, unroll, ...advances, body };
}

export const onlyIf = (condition: Condition, body: readonly Statement[]): readonly Statement[] =>
  condition.length === 0 ? body : [{ op: 'if', condition, body }];
