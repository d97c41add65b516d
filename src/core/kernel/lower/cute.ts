/** Head and constants of a `layout` kernel, in CuTe notation: `_128` is a compile-time constant. */
import { valueTextOf } from '../../layout/print';
import type { NamedConstant } from '../ir/ir';
import { cuteLayouts, cuteSource } from '../../plan/cuteSource';
import type { LanedPlan } from '../../plan/plan';

/** Layouts in the head, in the order of the operands. */
const IN_HEAD = ['mA', 'gA', 'sA', 'tA', 'mB', 'gB', 'sB', 'tB', 'gC', 'tC'] as const;

export function layoutConstants({ lanes }: LanedPlan): readonly NamedConstant[] {
  const layouts = lanes.threadLayouts;
  if (layouts === undefined) return [];
  const c = (name: string, value: number, comment: string): NamedConstant => ({
    name,
    value,
    comment,
  });
  return [
    c('TA_M', layouts.a.shape[0], 'rows of A copied per repetition of tA'),
    c('TA_K', layouts.a.shape[1], 'columns of A copied per repetition of tA'),
    c('TB_N', layouts.b.shape[0], 'columns of B copied per repetition of tB'),
    c('TB_K', layouts.b.shape[1], 'rows of B copied per repetition of tB'),
  ];
}

/** Describes the tensors in CuTe's notation: A is (M,K), B is (N,K), C is (M,N). */
export function layoutSummary(plan: LanedPlan): readonly string[] {
  const { tile, lanes, shared } = plan;
  if (lanes.threadLayouts === undefined || shared === undefined) return [];
  const named = cuteLayouts(plan);
  // A tile is defined by its matrix. The other definitions are left out, to parse less text.
  const textOf = (name: string): string => {
    const used = named.filter(one => one.name === name || one.name === `m${name.slice(1)}`);
    return `  ${name} ${valueTextOf(name, cuteSource(used))}`;
  };
  return [
    `Each thread block computes a ${tile.m} x ${tile.n} tile of C as in CuTe's tutorial. The thread layouts tA and tB are repeated over the tiles of A and B to copy them; tC is repeated over the tile of C.`,
    '',
    'CuTe layouts (shape:stride) of the matrices (m), their tiles (g), the shared-memory tiles (s) and the threads (t):',
    ...IN_HEAD.map(textOf),
  ];
}
