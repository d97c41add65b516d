/** Executes one thread block on tags instead of values and records its steps. */
import { bufferType } from '../spec/resolved';
import { parametersOf } from '../kernel/ir/arguments';
import type { KernelIr, Statement } from '../kernel/ir/ir';
import { allStatements, withoutStatement } from '../kernel/ir/statements';
import type { KernelLaunch } from '../kernel/kernel';
import type { Dim3 } from '../plan/plan';
import { compile } from '../simulate/compile';
import { checkedMemory, type Access, type Memory, type Thread } from '../simulate/memory';
import { makeThreads } from '../simulate/threads';
import type { ResolvedProblem } from '../spec/resolved';
import { DTYPE_BYTES } from '../types/dtype';
import type { BlockTrace } from './blockTrace';
import { createRecorder, type StepRecorder } from './stepRecorder';
import { accumulatorTag, elementTag, tagArithmetic } from './tags';

type Traced = Pick<KernelLaunch, 'ir' | 'block'> & { readonly problem: ResolvedProblem };

export interface TraceOptions {
  /** Barrier that is left out, to show the race that it prevents. */
  readonly without?: Statement | undefined;
  /** Called with the tags of each FMA, in order of execution. */
  readonly onFma?: (accumulator: number, left: number, right: number) => void;
  /** Called when a temporary accumulator of FP32 emulation is added to an accumulator. */
  readonly onPromotion?: (accumulator: number, temporary: number) => void;
  /** Called regularly with the number of executed FMAs. */
  readonly onProgress?: (numFmas: number) => void;
}

export function traceBlock(
  { ir, block, problem }: Traced,
  at: Dim3,
  { without, onFma, onPromotion, onProgress }: TraceOptions = {},
): BlockTrace {
  const traced = without === undefined ? ir : { ...ir, body: withoutStatement(ir.body, without) };
  const bytesOf = ({ space, site }: Access): number =>
    DTYPE_BYTES[
      space === 'shared' && site.operand === 'c'
        ? ir.accumulator
        : bufferType(ir.dtypes, site.operand)
    ];
  const numThreads = block.x * block.y * block.z;
  const numAccumulators = new Map<string, number>();
  const numOf = (name: string): number => numAccumulators.get(name) ?? 1;
  const recorder = createRecorder({
    numThreads,
    bytesOf,
    promotes: isEmulated(ir),
    mostPerStep: statement => {
      if (statement.op === 'fma' && statement.place.op === 'register')
        return numOf(statement.place.name) / (statement.width ?? 1);
      const isMma = statement.op === 'multiplyFragments' || statement.op === 'multiplyMatrices';
      return isMma ? numOf(statement.place.name) : Infinity;
    },
  });
  const storedAt = new Map<number, number>();
  let memory: Memory | null = null;
  const program = compile(traced, {
    // Scalars only have to be distinct from accumulator tags.
    parameters: { ...parametersOf(problem), alpha: 1, beta: 1 },
    memory: () => {
      if (memory === null) throw new Error('No block is being executed.');
      return memory;
    },
    initial: (thread, slot) => accumulatorTag(thread.index, slot),
    arithmetic: tagArithmetic({
      multiplied: (accumulator, left, right) => {
        recorder.multiplied(accumulator, left, right);
        onFma?.(accumulator, left, right);
      },
      promoted: (accumulator, temporary) => {
        recorder.promoted(accumulator, temporary);
        onPromotion?.(accumulator, temporary);
      },
    }),
    executing: recorder.executing,
  });
  // The last index of a fragment array selects a register of a fragment.
  const isMma = [...allStatements(ir.body)].some(({ op }) => op === 'multiplyFragments');
  for (const [name, { shape }] of program.registerArrays)
    numAccumulators.set(name, sizeOf(isMma ? shape.slice(0, -1) : shape));
  for (const [name, { shape }] of program.matrixArrays) numAccumulators.set(name, sizeOf(shape));
  const threads = makeThreads(block, program);
  memory = recordingTags(recorder, storedAt, () =>
    checkedMemory(NO_MATRICES, program.sharedElements, {
      block: at,
      linesOf: () => undefined,
      fileName: '',
      threads,
    }),
  );
  const run = program.run(at, threads);
  while (run.next().done !== true) onProgress?.(recorder.numFmas());
  return {
    ...recorder.finish(storedAt),
    arrays: [...program.sharedArrays].map(([name, { base, inner, stage, stages }]) => ({
      name,
      base,
      stages,
      outer: stage / inner,
      inner,
    })),
  };
}

/** Tests whether a kernel splits elements into terms (FP32 emulation). */
const isEmulated = ({ body }: KernelIr): boolean =>
  [...allStatements(body)].some(({ op }) => op === 'takePiece');

const sizeOf = (shape: readonly number[]): number =>
  shape.reduce((product, extent) => product * extent, 1);

const NO_MATRICES = { a: [], b: [], c: [], workspace: [] };

/** Creates a memory that records accesses. Races in shared memory are found as in Simulate. */
function recordingTags(
  recorder: StepRecorder,
  storedAt: Map<number, number>,
  shared: () => ReturnType<typeof checkedMemory>,
): Memory {
  const checked = shared();
  let numFindings = 0;
  const report = (): void => {
    const finding = checked.findings[numFindings];
    if (finding !== undefined) recorder.found(finding.message);
    numFindings = checked.findings.length;
  };
  const inFlight = new Map<number, { index: number; tag: number }[][]>();
  const groupsOf = ({ index }: Thread): { index: number; tag: number }[][] => {
    const groups = inFlight.get(index) ?? [[]];
    inFlight.set(index, groups);
    return groups;
  };
  return {
    load: access => {
      const { statement, site, index, space } = access;
      const isAtomic = statement.op === 'assign' && statement.atomic === true;
      if (space === 'global') {
        const tag = elementTag(site.operand, index);
        if (!isAtomic) recorder.accessed(access, 'load', tag);
        return tag;
      }
      const tag = checked.load(access);
      recorder.accessed(access, 'load', tag);
      report();
      return tag;
    },
    store: (access, tag) => {
      recorder.accessed(access, 'store', tag);
      if (access.space === 'global') {
        storedAt.set(tag, access.index);
        return;
      }
      checked.store(access, tag);
      report();
    },
    storeLater: (access, tag) => {
      recorder.accessed(access, 'copy', tag);
      groupsOf(access.thread).at(-1)?.push({ index: access.index, tag });
      checked.storeLater(access, tag);
      report();
    },
    commit: thread => {
      groupsOf(thread).push([]);
      checked.commit(thread);
    },
    wait: (thread, pending) => {
      const groups = groupsOf(thread);
      for (const { index, tag } of groups.splice(0, groups.length - 1 - pending).flat())
        recorder.arrived(index, tag);
      checked.wait(thread, pending);
      report();
    },
    barrier: () => {
      recorder.barrier();
      checked.barrier();
    },
    misaligned: access => {
      checked.misaligned(access);
    },
    diverged: (statement, one, other) => {
      checked.diverged(statement, one, other);
    },
  };
}
