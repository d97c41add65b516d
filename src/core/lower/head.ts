/** What stands above a kernel's body: its constants, its parameters and a summary in words. */
import type { ArgumentRole } from '../emit/kernel';
import type { NamedConstant } from '../ir/ir';
import type { Plan } from '../plan/plan';
import type { Layout } from '../spec/schema';
import { isThreadTiled } from './names';

/** The named constants that the text of this kernel uses. */
export function constantsOf(plan: Plan): readonly NamedConstant[] {
  const { tile, thread, shared, threads } = plan;
  const tiled = isThreadTiled(plan);
  const c = (name: string, value: number, comment: string): NamedConstant => ({
    name,
    value,
    comment,
  });
  const what = plan.shared === undefined ? 'a block computes, one a thread' : 'a block computes';
  return [
    c('BM', tile.m, `rows of C ${what}`),
    c('BN', tile.n, `columns of C ${what}`),
    ...(shared === undefined
      ? []
      : [c('BK', tile.k, 'depth of the tiles staged in shared memory')]),
    ...(tiled ? [c('TM', thread.m, 'rows of C a thread computes')] : []),
    ...(plan.algorithm === 'thread-tile-2d'
      ? [c('TN', thread.n, 'columns of C a thread computes')]
      : []),
    ...(shared !== undefined && shared.a.padding > 0
      ? [c('PAD_A', shared.a.padding, 'elements between rows of As, against bank conflicts')]
      : []),
    ...(shared !== undefined && shared.b.padding > 0
      ? [c('PAD_B', shared.b.padding, 'elements between rows of Bs, against bank conflicts')]
      : []),
    c('THREADS', threads, 'threads a block'),
  ];
}

/** Run-time scalars: sizes and leading dimensions always, alpha and beta when they are not 1 and 0. */
export function parametersOf(plan: Plan): readonly ArgumentRole[] {
  const { alpha, beta } = plan.spec.problem;
  return [
    ...(['m', 'n', 'k', 'lda', 'ldb', 'ldc'] as const),
    ...(alpha === 1 ? [] : ['alpha' as const]),
    ...(beta === 0 ? [] : ['beta' as const]),
  ];
}

/** The idea of the kernel, for its file's head. */
export function summaryOf(plan: Plan): readonly string[] {
  const { tile, thread, algorithm, threadMap } = plan;
  const block = `${tile.m} x ${tile.n}`;
  switch (algorithm) {
    case 'naive':
      return [
        'Each thread computes one element of C from global memory; threadIdx.x walks rows, so a warp touches',
        `${touched(plan, 'row', ['a', 'c'])}.`,
      ];
    case 'coalesced':
      return [
        'Each thread computes one element of C from global memory; threadIdx.x walks columns, so a warp touches',
        `${touched(plan, 'col', ['b', 'c'])}.`,
      ];
    case 'shared-tile':
      return [
        `Each block computes a ${block} tile of C, one element a thread, and walks K in steps of ${tile.k}`,
        threadMap === 'x-rows'
          ? 'through shared memory. threadIdx.x walks rows.'
          : 'through shared memory, where each element is loaded once and read by a whole row or column.',
      ];
    default:
      return [
        `Each block computes a ${block} tile of C, ${thread.m} x ${thread.n} results a thread in registers, and walks K`,
        `in steps of ${tile.k} through shared memory: ${thread.m * thread.n} multiply-adds for ${thread.m + thread.n} loads.`,
      ];
  }
}

/** What the lanes of a warp do to two matrices when they walk rows or columns of C. `apart` is the unlucky layout. */
function touched(plan: Plan, apart: Layout, operands: readonly ['a' | 'b', 'c']): string {
  const isApart = (operand: 'a' | 'b' | 'c') => plan.spec.problem[operand].layout === apart;
  const [first, second] = operands;
  const [one, other] = [first.toUpperCase(), second.toUpperCase()];
  if (isApart(first) && isApart(second)) {
    return `${one} and ${other} a leading dimension apart: uncoalesced`;
  }
  if (!isApart(first) && !isApart(second))
    return `neighbouring elements of ${one} and ${other}: coalesced`;
  const [near, far] = isApart(first) ? [other, one] : [one, other];
  return `neighbouring elements of ${near}, but elements of ${far} a leading dimension apart: half coalesced`;
}
