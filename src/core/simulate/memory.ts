/** Memory of the loop IR interpreter, with checks for invalid accesses and races. */
import type { Site, Statement } from '../kernel/ir/ir';
import type { Lines } from '../kernel/print/statementLines';
import { isEpilogueName, type EpilogueName } from '../spec/epilogue';
import type { Dim3 } from '../plan/plan';

export interface Thread {
  readonly index: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** Thread and block indices, loop indices, and integers declared by `let`, by slot. */
  readonly integers: Float64Array;
  readonly registers: Float64Array;
  /** The four threads of this thread's quad; fewer at the end of the block. */
  readonly quad: readonly Thread[];
  readonly warp: Warp;
}

/** 32 consecutive threads; fewer at the end of the block. */
export interface Warp {
  readonly threads: readonly Thread[];
  /** Elements of the matrices that the warp holds jointly. */
  readonly matrices: Float64Array;
}

export interface Access {
  readonly space: 'global' | 'shared';
  readonly op: 'load' | 'store';
  readonly site: Site;
  readonly statement: Statement;
  readonly thread: Thread;
  /** Element index: in the operand's matrix, or in the concatenated shared arrays. */
  readonly index: number;
  /** Element within a vector access. */
  readonly lane: number;
}

export interface Memory {
  load(access: Access): number;
  store(access: Access, value: number): void;
  /**
   * Starts an asynchronous store, which may take effect at any time until its thread has waited for
   * it.
   */
  storeLater(access: Access, value: number): void;
  /** Commits the thread's group of asynchronous stores. */
  commit(thread: Thread): void;
  /** Waits until at most `pending` of the thread's groups are in flight. */
  wait(thread: Thread, pending: number): void;
  /** Resets race detection when all threads of the block have arrived at a barrier. */
  barrier(): void;
  misaligned(access: Misaligned): void;
  /**
   * Reports two threads that diverge at a loop or branch that contains a barrier, or at a
   * warp-level statement.
   */
  diverged(statement: Statement, one: Thread, other: Thread): void;
}

export interface Misaligned {
  readonly site: Site;
  readonly statement: Statement;
  readonly thread: Thread;
  readonly index: number;
  readonly width: number;
}

interface Later {
  readonly access: Access;
  readonly value: number;
}

export interface Finding {
  readonly kind: 'race' | 'uninitialized' | 'out-of-bounds' | 'misaligned' | 'deadlock';
  readonly message: string;
  /** First source line of the finding, if known. */
  readonly line?: number;
}

export interface Surroundings {
  readonly block: Dim3;
  readonly linesOf: (statement: Statement) => Lines | undefined;
  readonly fileName: string;
  /** Threads of the block, by index. */
  readonly threads: readonly Thread[];
}

const MAX_FINDINGS = 20;

export interface Matrices {
  readonly a: ArrayLike<number>;
  readonly b: ArrayLike<number>;
  readonly c: { readonly length: number; [index: number]: number };
  /** Operands of the epilogue. */
  readonly epilogue?: Readonly<Partial<Record<EpilogueName, ArrayLike<number>>>>;
  /** Memory that the launches of a kernel share. */
  readonly workspace: { readonly length: number; [index: number]: number };
}

export function checkedMemory(
  matrices: Matrices,
  sharedElements: number,
  { block, linesOf, fileName, threads }: Surroundings,
): Memory & { findings: Finding[] } {
  const findings: Finding[] = [];
  const find = (kind: Finding['kind'], statement: Statement, message: () => string): void => {
    if (findings.length >= MAX_FINDINGS) return;
    const line = linesOf(statement)?.first;
    findings.push({ kind, message: message(), ...(line === undefined ? {} : { line }) });
  };
  const lineOf = (statement: Statement | undefined): string => {
    const lines = statement === undefined ? undefined : linesOf(statement);
    if (lines === undefined) return '';
    const { first, last } = lines;
    return first === last ? ` in line ${first}` : ` in lines ${first} to ${last}`;
  };
  const here = (statement: Statement): string => {
    const line = lineOf(statement);
    return line === '' ? '' : `${line} of ${fileName}`;
  };
  const shared = new Float64Array(sharedElements);
  const written = new Uint8Array(sharedElements);
  // Writer and reader of each element since the last barrier (thread index + 1; 0 = none; reader -1
  // = several).
  const writer = new Int32Array(sharedElements);
  const reader = new Int32Array(sharedElements);
  const writing: Statement[] = [];
  const reading: Statement[] = [];
  const nameOf = (thread: Thread | undefined): string =>
    thread === undefined ? 'another thread' : `thread ${point(thread)}`;
  const ofBlock = (thread: Thread): string => `${nameOf(thread)} of block ${point(block)}`;
  const who = ({ thread, site, op, statement }: Access): string =>
    `${ofBlock(thread)}, ${site.name}, ${op}${here(statement)}`;

  const inside = (access: Access, length: number): boolean => {
    if (access.index >= 0 && access.index < length) return true;
    find(
      'out-of-bounds',
      access.statement,
      () => `${who(access)}: element ${access.index} of ${length}.`,
    );
    return false;
  };

  const noteRace = (access: Access): void => {
    const me = access.thread.index + 1;
    const { index } = access;
    const other = writer[index] ?? 0;
    if (other !== 0 && other !== me) {
      find(
        'race',
        access.statement,
        () =>
          `${who(access)}: ${nameOf(threads[other - 1])} wrote the same element${lineOf(writing[index])} without a barrier in between.`,
      );
    }
    if (access.op === 'load') {
      reader[index] = (reader[index] ?? 0) === 0 || reader[index] === me ? me : -1;
      reading[index] = access.statement;
      return;
    }
    const read = reader[index] ?? 0;
    if (read !== 0 && read !== me) {
      find(
        'race',
        access.statement,
        () =>
          `${who(access)}: ${nameOf(threads[read - 1])} read the same element${lineOf(reading[index])} without a barrier in between.`,
      );
    }
    writer[index] = me;
    writing[index] = access.statement;
  };

  const matrix = ({ site: { operand } }: Access): ArrayLike<number> =>
    isEpilogueName(operand) ? (matrices.epilogue?.[operand] ?? []) : matrices[operand];

  const store = (access: Access, value: number): void => {
    if (access.space === 'global') {
      const into = access.site.operand === 'workspace' ? matrices.workspace : matrices.c;
      if (inside(access, into.length)) into[access.index] = value;
      return;
    }
    if (!inside(access, sharedElements)) return;
    noteRace(access);
    noteFlight(access);
    written[access.index] = 1;
    shared[access.index] = value;
  };

  // Thread index + 1 for each element with an asynchronous store in flight.
  const inFlight = new Int32Array(sharedElements);
  const groups = new Map<number, Later[][]>();
  const groupsOf = ({ index }: Thread): Later[][] => {
    const known = groups.get(index) ?? [[]];
    groups.set(index, known);
    return known;
  };
  const noteFlight = (access: Access): void => {
    const owner = inFlight[access.index] ?? 0;
    if (owner === 0) return;
    find(
      'race',
      access.statement,
      () =>
        `${who(access)}: missing wait for the asynchronous copy by ${nameOf(threads[owner - 1])}${lineOf(writing[access.index])}.`,
    );
  };

  return {
    findings,
    load: access => {
      if (access.space === 'global') {
        const from = matrix(access);
        return inside(access, from.length) ? (from[access.index] ?? NaN) : NaN;
      }
      if (!inside(access, sharedElements)) return NaN;
      noteRace(access);
      noteFlight(access);
      if (written[access.index] === 0) {
        find(
          'uninitialized',
          access.statement,
          () => `${who(access)}: shared element ${access.index} is uninitialized.`,
        );
        return NaN;
      }
      return shared[access.index] ?? NaN;
    },
    store,
    storeLater: (access, value) => {
      if (!inside(access, sharedElements)) return;
      noteRace(access);
      noteFlight(access);
      inFlight[access.index] = access.thread.index + 1;
      groupsOf(access.thread).at(-1)?.push({ access, value });
    },
    commit: thread => {
      groupsOf(thread).push([]);
    },
    wait: (thread, pending) => {
      const open = groupsOf(thread);
      // The last group is still open, so the wait does not include it.
      for (const { access, value } of open.splice(0, open.length - 1 - pending).flat()) {
        inFlight[access.index] = 0;
        store(access, value);
      }
    },
    misaligned: ({ site, statement, thread, index, width }) => {
      find(
        'misaligned',
        statement,
        () =>
          `${ofBlock(thread)}, ${site.name}${here(statement)}: ${width} elements at element ${index}, which is not a multiple of ${width}.`,
      );
    },
    barrier: () => {
      writer.fill(0);
      reader.fill(0);
    },
    diverged: (statement, one, other) => {
      const whole = statement.op !== 'for' && statement.op !== 'if';
      const what = statement.op === 'for' ? `the loop over ${statement.index}` : 'the if';
      find('deadlock', statement, () =>
        whole
          ? `${ofBlock(one)} and ${nameOf(other)} of its warp diverge at a warp-level matrix operation${here(statement)}.`
          : `${ofBlock(one)} and ${nameOf(other)} diverge at ${what}${here(statement)}, which contains a barrier.`,
      );
    },
  };
}

const point = ({ x, y, z }: Dim3): string => (z === 0 ? `(${x}, ${y})` : `(${x}, ${y}, ${z})`);
