/**
 * Finds the reconvergence points of divergent branches, which are immediate post-dominators (Aho,
 * Lam, Sethi, Ullman, "Compilers", 9.6.1, dominators of the reversed graph).
 */
import type { Instruction } from '../listing/instruction';

export interface Flow {
  /** Indices of the first instruction of each basic block, in ascending order. */
  readonly leaders: readonly number[];
  /**
   * Returns the reconvergence point of a branch; the number of instructions if the paths join only
   * at the end.
   */
  readonly meeting: (branch: number) => number;
  /**
   * Returns the indices of the instructions between a branch and its reconvergence point. Includes
   * the branch only if a path leads back to it.
   */
  readonly between: (branch: number) => ReadonlySet<number>;
}

export function flowOf(instructions: readonly Instruction[]): Flow {
  const end = instructions.length;
  const after = (at: number): readonly number[] => {
    const { ends = true, target = end, kind, opcode = '' } = instructions[at] ?? {};
    const jumps = kind === 'branch' && !opcode.startsWith('call');
    return [...(jumps ? [target] : []), ...(ends ? [] : [at + 1])];
  };
  const leaders = leadersOf(instructions);
  const blocks = leaders.map((first, i) => ({ first, last: (leaders[i + 1] ?? end) - 1 }));
  const indexOf = new Map(leaders.map((first, i) => [first, i]));
  const exit = blocks.length;
  const next = blocks.map(({ last }) => {
    const found = after(last).map(at => indexOf.get(at) ?? exit);
    return found.length === 0 ? [exit] : found;
  });
  const nearest = postDominators(next);
  const blockAt = (at: number): number => leaders.findLastIndex(first => first <= at);
  const placeOf = (block: number): number => blocks[block]?.first ?? end;
  const between = (branch: number): ReadonlySet<number> => {
    const own = blockAt(branch);
    const stop = nearest[own] ?? exit;
    const seen = new Set<number>();
    const open = [...(next[own] ?? [])];
    for (let block = open.pop(); block !== undefined; block = open.pop()) {
      if (block === stop || block === exit || seen.has(block)) continue;
      seen.add(block);
      open.push(...(next[block] ?? []));
    }
    const inside = [...seen].flatMap(block => {
      const { first, last } = blocks[block] ?? { first: 0, last: -1 };
      return Array.from({ length: last - first + 1 }, (_, i) => first + i);
    });
    return new Set(inside);
  };
  return { leaders, meeting: branch => placeOf(nearest[blockAt(branch)] ?? exit), between };
}

function leadersOf(instructions: readonly Instruction[]): readonly number[] {
  const leaders = new Set([0]);
  for (const [at, { kind, ends, target }] of instructions.entries()) {
    if (target !== undefined) leaders.add(target);
    if (kind === 'branch' || ends) leaders.add(at + 1);
  }
  return [...leaders].filter(at => at < instructions.length).sort((a, b) => a - b);
}

/**
 * Computes the immediate post-dominator of each block (Cooper, Harvey, Kennedy 2001). The index
 * after the last block represents the end.
 */
function postDominators(next: readonly (readonly number[])[]): readonly number[] {
  const exit = next.length;
  const order = reverseOrder(next);
  const rank = new Map(order.map((block, i) => [block, i]));
  const nearest = new Map<number, number>([[exit, exit]]);
  const common = (one: number, other: number): number => {
    let [a, b] = [one, other];
    while (a !== b) {
      if ((rank.get(a) ?? 0) > (rank.get(b) ?? 0)) a = nearest.get(a) ?? exit;
      else b = nearest.get(b) ?? exit;
    }
    return a;
  };
  for (let changed = true; changed;) {
    changed = false;
    for (const block of order) {
      if (block === exit) continue;
      const known = (next[block] ?? []).filter(other => nearest.has(other));
      const [first, ...others] = known;
      if (first === undefined) continue;
      const found = others.reduce(common, first);
      if (nearest.get(block) !== found) changed = true;
      nearest.set(block, found);
    }
  }
  return next.map((_, block) => nearest.get(block) ?? exit);
}

function reverseOrder(next: readonly (readonly number[])[]): readonly number[] {
  const exit = next.length;
  const before = Array.from({ length: exit + 1 }, (): number[] => []);
  for (const [block, others] of next.entries())
    for (const other of others) before[other]?.push(block);
  const done: number[] = [];
  const seen = new Set([exit]);
  const open: { readonly block: number; rest: readonly number[] }[] = [
    { block: exit, rest: before[exit] ?? [] },
  ];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const [first, ...rest] = top.rest;
    if (first === undefined) {
      done.push(top.block);
      open.pop();
      continue;
    }
    top.rest = rest;
    if (seen.has(first)) continue;
    seen.add(first);
    open.push({ block: first, rest: before[first] ?? [] });
  }
  return done.reverse();
}
