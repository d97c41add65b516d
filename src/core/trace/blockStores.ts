/**
 * Owners of the elements of a block tile: the thread and register that accumulate an element, and
 * the thread that stores it. The epilogue of the IR is executed for one block on accumulators that
 * hold their own number, so the result describes the emitted code.
 */
import type { LoweredKernel } from '../kernel/kernel';
import type { Statement } from '../kernel/ir/ir';
import { parametersOf } from '../kernel/ir/arguments';
import type { Dim3 } from '../plan/plan';
import type { ResolvedProblem } from '../spec/resolved';
import { compile, type Program } from '../simulate/compile';
import type { Access, Memory } from '../simulate/memory';
import { makeThreads } from '../simulate/threads';
import { epilogueOf } from './epilogue';
import { recordingMemory } from './recordingMemory';
import { accumulatorOf, accumulatorTag } from './tags';

export interface OwnedStore {
  /** Element index in the buffer that is stored to. */
  readonly index: number;
  /**
   * Linear index in the block of the accumulating thread; for a matrix, of the first thread of its
   * warp.
   */
  readonly accumulator: number;
  /** Register slot, or element in the matrices of the warp. */
  readonly slot: number;
  /** Linear index in the block of the storing thread. */
  readonly storer: number;
  readonly statement: Statement;
}

export interface BlockStores {
  readonly operand: 'c' | 'workspace';
  readonly stores: readonly OwnedStore[];
  /** Returns the name of an accumulator in the source: `acc[2][3]`. */
  readonly nameOf: (slot: number) => string;
}

type Launched = Pick<LoweredKernel, 'ir' | 'block'> & { readonly problem: ResolvedProblem };

export function blockStores(launch: Launched, at: Dim3): BlockStores {
  const stores: OwnedStore[] = [];
  const { ir, originalOf } = epilogueOf(launch.ir);
  let operand: BlockStores['operand'] = 'c';
  const memory = tagMemory(({ site, index, thread, statement }, tag) => {
    operand = site.operand === 'workspace' ? 'workspace' : 'c';
    const held = accumulatorOf(tag);
    if (held === null) throw new Error(`Element ${index} of C is stored without an accumulator.`);
    const { thread: accumulator, slot } = held;
    const original = originalOf(statement);
    stores.push({ index, accumulator, slot, storer: thread.index, statement: original });
  });
  const program = compile(ir, {
    parameters: parametersOf(launch.problem),
    memory: () => memory,
    initial: (thread, slot) => accumulatorTag(thread.index, slot),
  });
  const threads = makeThreads(launch.block, program);
  const run = program.run(at, threads);
  while (run.next().done !== true);
  return { operand, stores, nameOf: slot => nameOf(program, slot) };
}

/**
 * Creates a memory that holds tags. Loads from global memory return NaN (no tag), and stores to
 * global memory are reported.
 */
function tagMemory(store: (access: Access, tag: number) => void): Memory {
  const shared = new Map<number, number>();
  return {
    ...recordingMemory(() => undefined),
    load: ({ space, index }) => (space === 'shared' ? (shared.get(index) ?? NaN) : NaN),
    store: (access, tag) => {
      if (access.space === 'shared') shared.set(access.index, tag);
      else store(access, tag);
    },
  };
}

function nameOf({ registerArrays, matrixArrays }: Program, slot: number): string {
  for (const [name, { base, shape }] of registerArrays) {
    const size = shape.reduce((product, extent) => product * extent, 1);
    if (slot >= base && slot < base + size) return name + subscripts(slot - base, shape);
  }
  for (const [name, { base, shape, rows, columns }] of matrixArrays) {
    const size = shape.reduce((product, extent) => product * extent, rows * columns);
    if (slot < base || slot >= base + size) continue;
    return name + subscripts(Math.floor((slot - base) / (rows * columns)), shape);
  }
  throw new Error(`no accumulator has slot ${slot}`);
}

function subscripts(index: number, shape: readonly number[]): string {
  const indices: number[] = [];
  let rest = index;
  for (const extent of shape.toReversed()) {
    indices.unshift(rest % extent);
    rest = Math.floor(rest / extent);
  }
  return indices.map(at => `[${at}]`).join('');
}
