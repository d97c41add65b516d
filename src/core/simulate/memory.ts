/** What the interpreter reads and writes, and what it finds there that no kernel should do. */
import type { Site } from '../ir/ir';

/** One thread of the block that is being executed. */
export interface Thread {
  readonly index: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** Let-bound integers and loop indices, by slot. */
  readonly integers: Float64Array;
  readonly registers: Float64Array;
}

export interface Access {
  readonly space: 'global' | 'shared';
  readonly op: 'load' | 'store';
  readonly site: Site;
  readonly thread: Thread;
  /** Element index: in the operand's matrix, or in all shared arrays laid end to end. */
  readonly index: number;
  /** Which element of a vector access it is. */
  readonly lane: number;
}

/** The memory of one block: shared arrays and the three matrices. */
export interface Memory {
  load(access: Access): number;
  store(access: Access, value: number): void;
  /** An asynchronous store: it may happen at any time until its thread has waited for it. */
  storeLater(access: Access, value: number): void;
  /** Closes the thread's group of asynchronous stores. */
  commit(thread: Thread): void;
  /** The thread waits until no more than `pending` of its groups are left. */
  wait(thread: Thread, pending: number): void;
  /** All threads of the block have met. */
  barrier(): void;
  /** A vector access starts between two multiples of its width. */
  misaligned(site: Site, thread: Thread, index: number, width: number): void;
  /** Threads do not agree on a loop or branch that holds a barrier. */
  diverged(where: string): void;
}

/** A store that was begun. */
interface Later {
  readonly access: Access;
  readonly value: number;
}

export interface Finding {
  readonly kind: 'race' | 'uninitialised' | 'out-of-bounds' | 'misaligned' | 'deadlock';
  readonly message: string;
}

const MAX_FINDINGS = 20;

export interface Matrices {
  readonly a: ArrayLike<number>;
  readonly b: ArrayLike<number>;
  readonly c: { readonly length: number; [index: number]: number };
  /** Memory that the launches of a kernel share. */
  readonly workspace: { readonly length: number; [index: number]: number };
}

/** Memory that holds values and checks every access. */
export function checkedMemory(
  matrices: Matrices,
  sharedElements: number,
): Memory & { findings: Finding[] } {
  const findings: Finding[] = [];
  const find = (kind: Finding['kind'], message: string): void => {
    if (findings.length < MAX_FINDINGS) findings.push({ kind, message });
  };
  const shared = new Float64Array(sharedElements);
  const written = new Uint8Array(sharedElements);
  // Between two barriers: who wrote and who read each element (thread index + 1; 0 = nobody, -1 = several).
  const writer = new Int32Array(sharedElements);
  const reader = new Int32Array(sharedElements);
  const who = ({ thread, site, op }: Access): string =>
    `thread (${thread.x}, ${thread.y}), ${site.name}, ${op}`;

  const inside = (access: Access, length: number): boolean => {
    if (access.index >= 0 && access.index < length) return true;
    find('out-of-bounds', `${who(access)}: element ${access.index} of ${length}.`);
    return false;
  };

  const noteRace = (access: Access): void => {
    const me = access.thread.index + 1;
    const { index } = access;
    const other = writer[index] ?? 0;
    if (other !== 0 && other !== me) {
      find(
        'race',
        `${who(access)}: thread ${other - 1} wrote the same element and no barrier stands between.`,
      );
    }
    if (access.op === 'load') {
      reader[index] = (reader[index] ?? 0) === 0 || reader[index] === me ? me : -1;
      return;
    }
    const read = reader[index] ?? 0;
    if (read !== 0 && read !== me) {
      find(
        'race',
        `${who(access)}: another thread read the same element and no barrier stands between.`,
      );
    }
    writer[index] = me;
  };

  const matrix = (access: Access) => matrices[access.site.operand];

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

  // Elements that an asynchronous store may change at any time: the thread's index + 1.
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
    find('race', `${who(access)}: a copy by thread ${owner - 1} to it was not waited for.`);
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
        find('uninitialised', `${who(access)}: shared element ${access.index} was never written.`);
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
      // The last group is still being filled, and is not waited for.
      for (const { access, value } of open.splice(0, open.length - 1 - pending).flat()) {
        inFlight[access.index] = 0;
        store(access, value);
      }
    },
    misaligned: (site, thread, index, width) => {
      find(
        'misaligned',
        `thread (${thread.x}, ${thread.y}), ${site.name}: ${width} elements at element ${index}, which is no multiple of ${width}.`,
      );
    },
    barrier: () => {
      writer.fill(0);
      reader.fill(0);
    },
    diverged: where => {
      find('deadlock', `Threads of a block disagree on ${where}, which holds a barrier.`);
    },
  };
}
