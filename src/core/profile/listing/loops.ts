/**
 * Finds the natural loops in the control-flow graph of a compiled kernel (Aho, Lam, Sethi, Ullman,
 * "Compilers", 9.6.6), and selects its main loop.
 */
import type { Instruction, Listing } from './instruction';

export interface Loop {
  /** Indices of the loop's instructions, in ascending order. */
  readonly body: readonly number[];
  /** Indices of the instructions that every iteration executes. */
  readonly always: readonly number[];
  /** Nesting depth: 1 for an outermost loop. */
  readonly depth: number;
  readonly inner: number;
}

interface Block {
  readonly first: number;
  readonly last: number;
  readonly next: readonly number[];
}

export function loopsOf({ instructions }: Listing): readonly Loop[] {
  const blocks = blocksOf(instructions);
  const flow = flowOf(blocks);
  const heads = new Map<number, { readonly members: Set<number>; readonly latches: number[] }>();
  for (const at of flow.order) {
    for (const head of blocks[at]?.next ?? []) {
      if (!flow.dominates(head, at)) continue;
      const loop = heads.get(head) ?? { members: new Set([head]), latches: [] };
      heads.set(head, loop);
      loop.latches.push(at);
      collect(at, loop.members, flow);
    }
  }
  const around = new Map<number, number>();
  for (const { members } of heads.values()) {
    for (const at of members) around.set(at, (around.get(at) ?? 0) + 1);
  }
  return [...heads].map(([head, { members, latches }]) => {
    const unconditional = [...members].filter(at =>
      latches.every(latch => flow.dominates(at, latch)),
    );
    return {
      body: indicesOf(members, blocks),
      always: indicesOf(unconditional, blocks),
      depth: around.get(head) ?? 1,
      inner: [...members].filter(at => at !== head && heads.has(at)).length,
    };
  });
}

const indicesOf = (members: Iterable<number>, blocks: readonly Block[]): readonly number[] =>
  [...members]
    .sort((one, other) => one - other)
    .flatMap(at => blocks[at] ?? [])
    .flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, i) => first + i));

/** Collects the blocks that reach the latch without passing through the loop header. */
function collect(latch: number, members: Set<number>, { before }: Flow): void {
  const open = [latch];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (members.has(at)) continue;
    members.add(at);
    open.push(...(before[at] ?? []));
  }
}

function blocksOf(instructions: readonly Instruction[]): readonly Block[] {
  const starts = new Set([0]);
  for (const [i, { target, ends }] of instructions.entries()) {
    if (ends || target !== undefined) starts.add(i + 1);
    if (target !== undefined) starts.add(target);
  }
  const firsts = [...starts]
    .filter(at => at < instructions.length)
    .sort((one, other) => one - other);
  const blockAt = new Map(firsts.map((first, block) => [first, block]));
  return firsts.map((first, block) => {
    const last = (firsts[block + 1] ?? instructions.length) - 1;
    const { ends = false, target = -1 } = instructions[last] ?? {};
    const falls = ends || block + 1 >= firsts.length ? [] : [block + 1];
    const jumps = blockAt.get(target);
    return { first, last, next: jumps === undefined ? falls : [...falls, jumps] };
  });
}

interface Flow {
  /** Reachable blocks in reverse postorder. */
  readonly order: readonly number[];
  /** Reachable predecessors of each block. */
  readonly before: readonly (readonly number[])[];
  readonly dominates: (block: number, at: number) => boolean;
}

/** Computes dominators (Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm"). */
function flowOf(blocks: readonly Block[]): Flow {
  const order = reversePostorder(blocks);
  const place = new Map(order.map((block, i) => [block, i]));
  const before: number[][] = blocks.map(() => []);
  for (const at of order) for (const next of blocks[at]?.next ?? []) before[next]?.push(at);
  // Immediate dominator of each block, by position in `order`. A dominator precedes the blocks that
  // it dominates.
  const nearest: number[] = order.map((_, i) => (i === 0 ? 0 : -1));
  const common = (one: number, other: number): number => {
    let [left, right] = [one, other];
    while (left !== right) {
      if (left > right) left = nearest[left] ?? 0;
      else right = nearest[right] ?? 0;
    }
    return left;
  };
  for (let changed = true; changed;) {
    changed = false;
    for (const [i, block] of order.entries()) {
      if (i === 0) continue;
      const known = (before[block] ?? []).flatMap(from => place.get(from) ?? []);
      const done = known.filter(from => (nearest[from] ?? -1) >= 0);
      const found = done.reduce(common);
      changed ||= found !== nearest[i];
      nearest[i] = found;
    }
  }
  const dominates = (block: number, at: number): boolean => {
    const [wanted, from] = [place.get(block), place.get(at)];
    if (wanted === undefined || from === undefined) return false;
    let i = from;
    while (i > wanted) i = nearest[i] ?? 0;
    return i === wanted;
  };
  return { order, before, dominates };
}

function reversePostorder(blocks: readonly Block[]): readonly number[] {
  const order: number[] = [];
  const seen = new Set<number>();
  const open: { readonly at: number; next: number }[] = [];
  const enter = (at: number): void => {
    if (seen.has(at) || at >= blocks.length) return;
    seen.add(at);
    open.push({ at, next: 0 });
  };
  enter(0);
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const next = blocks[top.at]?.next[top.next++];
    if (next !== undefined) enter(next);
    else order.push(open.pop()?.at ?? 0);
  }
  return order.reverse();
}

const ASSUMED_TRIP_COUNT = 8;

/**
 * Selects the loop with the most executed FMAs and MMAs at the assumed trip count, without those of
 * its inner loops. Returns undefined if no loop contains any.
 */
export function mainLoopOf({ instructions }: Listing, loops: readonly Loop[]): Loop | undefined {
  const innermost = new Map<number, Loop>();
  for (const loop of loops.toSorted((one, other) => one.depth - other.depth)) {
    for (const at of loop.body) innermost.set(at, loop);
  }
  const weights = new Map<Loop, number>();
  for (const [at, loop] of innermost) {
    if (!/^(fma|mma)$/.test(instructions[at]?.kind ?? '')) continue;
    weights.set(loop, (weights.get(loop) ?? 0) + ASSUMED_TRIP_COUNT ** (loop.depth - 1));
  }
  let hottest: Loop | undefined;
  for (const loop of loops) {
    if ((weights.get(loop) ?? 0) > (hottest === undefined ? 0 : (weights.get(hottest) ?? 0))) {
      hottest = loop;
    }
  }
  return hottest;
}
