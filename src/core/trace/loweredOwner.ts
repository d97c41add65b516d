/** Owners in kernels that are printed from loop IR. */
import { WARP_LANES } from '../hardware/warp';
import { parametersOf } from '../kernel/ir/arguments';
import type { KernelLaunch, LoweredKernel } from '../kernel/kernel';
import { statementLines } from '../kernel/print/statementLines';
import type { Dim3 } from '../plan/plan';
import { compile } from '../simulate/compile';
import type { Access } from '../simulate/memory';
import { blockLookup } from './blockAt';
import { blockStores, type BlockStores, type OwnedStore } from './blockStores';
import type { Accumulator, Element, Owner, Writer } from './owner';
import { recordingMemory } from './recordingMemory';
import { makeThreads } from '../simulate/threads';

/**
 * Maximum number of blocks whose stores are cached; an element of a split-K kernel needs one block
 * per slice.
 */
const MAX_CACHED_BLOCKS = 64;

/** Returns a function that finds the owner of an element; blocks are executed on first use. */
export function loweredOwners(kernel: LoweredKernel): (element: Element) => Owner {
  const { plan, problem } = kernel;
  const blockAt = blockLookup(plan);
  const lines = statementLines(kernel, kernel);
  const known = new Map<string, IndexedStores>();
  const storesOf = (at: Dim3): IndexedStores => {
    const key = `${at.x} ${at.y} ${at.z}`;
    const found = known.get(key) ?? indexed(blockStores(kernel, at));
    if (known.size >= MAX_CACHED_BLOCKS) known.clear();
    known.set(key, found);
    return found;
  };
  const slices = plan.split?.slices ?? 1;
  return element => {
    const { entry, row, column } = element;
    const tile = { row: Math.floor(row / plan.tile.m), column: Math.floor(column / plan.tile.n) };
    const [outer, inner] = problem.c.layout === 'row' ? [row, column] : [column, row];
    const inC = entry * problem.c.batchStride + outer * problem.c.ld + inner;
    const [outerExtent, innerExtent] =
      problem.c.layout === 'row' ? [problem.m, problem.n] : [problem.n, problem.m];
    const found = Array.from({ length: slices }, (_, slice) => {
      const block = blockAt(tile, entry, slice);
      const { byIndex, operand, nameOf } = storesOf(block);
      const inWorkspace = ((entry * slices + slice) * outerExtent + outer) * innerExtent + inner;
      const store = byIndex.get(operand === 'c' ? inC : inWorkspace);
      if (store === undefined)
        throw new Error(`block ${block.x}, ${block.y} does not store C(${row}, ${column})`);
      return { store, block, accumulator: accumulatorOf(kernel, { store, block, nameOf }) };
    });
    const [last] = found.slice(-1);
    if (last === undefined) throw new Error('a kernel has at least one slice');
    const [reduction] = kernel.after ?? [];
    return {
      accumulators: found.map(({ accumulator }) => accumulator),
      writer:
        reduction === undefined
          ? {
              kernel: kernel.entry,
              block: last.block,
              thread: last.store.storer,
              line: lines.get(last.store.statement)?.first ?? null,
            }
          : reductionWriter(kernel, reduction, { element, inC }),
    };
  };
}

interface IndexedStores extends Pick<BlockStores, 'operand' | 'nameOf'> {
  readonly byIndex: ReadonlyMap<number, OwnedStore>;
}

const indexed = ({ operand, nameOf, stores }: BlockStores): IndexedStores => ({
  operand,
  nameOf,
  byIndex: new Map(stores.map(store => [store.index, store])),
});

function accumulatorOf(
  { plan }: LoweredKernel,
  { store, block, nameOf }: { store: OwnedStore; block: Dim3; nameOf: BlockStores['nameOf'] },
): Accumulator {
  const { accumulator: thread, slot } = store;
  const isKnown = plan.family !== 'subgroup-matrix';
  return {
    block,
    turn: 0,
    warp: Math.floor(thread / WARP_LANES),
    lane: isKnown ? thread % WARP_LANES : null,
    thread: isKnown ? thread : null,
    register: nameOf(slot),
  };
}

/**
 * Returns the thread of the reduction kernel that writes the element; each thread writes one
 * element of C.
 */
function reductionWriter(
  kernel: LoweredKernel,
  launch: KernelLaunch,
  { element, inC }: { readonly element: Element; readonly inC: number },
): Writer {
  const { layout } = kernel.problem.c;
  const { entry, row, column } = element;
  const [x, y] = layout === 'row' ? [column, row] : [row, column];
  const block = {
    x: Math.floor(x / launch.block.x),
    y: Math.floor(y / launch.block.y),
    z: entry,
  };
  const stores: Access[] = [];
  const memory = recordingMemory(access => {
    if (access.op === 'store' && access.index === inC) stores.push(access);
  });
  const program = compile(launch.ir, {
    parameters: parametersOf(kernel.problem),
    memory: () => memory,
  });
  const run = program.run(block, makeThreads(launch.block, program));
  while (run.next().done !== true);
  const [store] = stores;
  if (store === undefined) throw new Error(`${launch.entry} does not write C(${row}, ${column})`);
  const line = statementLines(kernel, launch).get(store.statement)?.first ?? null;
  return { kernel: launch.entry, block, thread: store.thread.index, line };
}
