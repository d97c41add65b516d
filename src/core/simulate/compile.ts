/**
 * Compiles the loop IR to closures, without eval, so that it runs in a browser under a strict CSP.
 */
import type { KernelIr, Place, Statement, Value } from '../kernel/ir/ir';
import type { Dim3 } from '../plan/plan';
import { advanced } from './loopCounters';
import { arithmeticOf } from './arithmetic';
import type { Integer } from './linear';
import { fragmentAction, isOfFragments } from './fragments';
import { byWarps, createMatrices, isOfMatrices, type MatrixArray } from './matrices';
import type { Thread } from './memory';
import { AXES } from './threads';
import {
  createScope,
  slotOf,
  type Bindings,
  type RegisterArray,
  type SharedLayout,
} from './values';

/**
 * Executes a statement for the whole block: thread by thread, or in lockstep if it is collective.
 */
interface Action {
  readonly block: (threads: readonly Thread[]) => Generator<void>;
}

/** Number of threads between two yields. */
const THREADS_PER_YIELD = 8;

export interface Program {
  readonly integerSlots: number;
  readonly registerSlots: number;
  /** Number of matrix elements per warp. */
  readonly matrixSlots: number;
  readonly sharedElements: number;
  readonly sharedArrays: ReadonlyMap<string, SharedLayout>;
  readonly registerArrays: ReadonlyMap<string, RegisterArray>;
  readonly matrixArrays: ReadonlyMap<string, MatrixArray>;
  /** Runs one block; yields after a few threads and at collective statements. */
  run(block: Dim3, threads: readonly Thread[]): Generator<void>;
}

export function compile(ir: KernelIr, bindings: Bindings): Program {
  const scope = createScope(ir, bindings);
  const { slot, integer, condition, value, registerIndex, address } = scope;
  const { arithmetic = arithmeticOf(ir.accumulator) } = bindings;
  const matrices = createMatrices(ir, scope, bindings);
  const fragments = fragmentAction(ir, scope, bindings);

  function single(statement: Statement): (thread: Thread) => void {
    if (isOfMatrices(statement) || isOfFragments(statement)) return () => undefined;
    switch (statement.op) {
      case 'comment':
      case 'blank':
      case 'barrier':
      case 'gridDependency':
        return () => undefined;
      case 'let': {
        const [at, from] = [slot(statement.name), integer(statement.value)];
        return thread => {
          thread.integers[at] = from(thread);
        };
      }
      case 'registers': {
        const [base, size] = scope.declareRegisters(statement);
        const { initial } = bindings;
        if (!statement.zeroed || initial === undefined) {
          const value = statement.zeroed ? 0 : NaN;
          return thread => thread.registers.fill(value, base, base + size);
        }
        return thread => {
          for (let at = base; at < base + size; at++) thread.registers[at] = initial(thread, at);
        };
      }
      case 'assign':
      case 'fma':
        return announced(statement, moves(statement));
      case 'commit':
        return announced(statement, thread => {
          bindings.memory().commit(thread);
        });
      case 'wait': {
        const { pending } = statement;
        return announced(statement, thread => {
          bindings.memory().wait(thread, pending);
        });
      }
      case 'if': {
        const [holds, body] = [condition(statement.condition), statement.body.map(single)];
        const otherwise = (statement.otherwise ?? []).map(single);
        return thread => {
          for (const action of holds(thread) ? body : otherwise) action(thread);
        };
      }
      case 'for': {
        const at = slot(statement.index);
        const [from, to, step] = [
          integer(statement.from),
          integer(statement.to),
          integer(statement.step),
        ];
        const advancing = advanced(statement, scope);
        const body = statement.body.map(single);
        return thread => {
          const [limit, stride] = [to(thread), step(thread)];
          for (const { start } of advancing) start(thread);
          for (let i = from(thread); i < limit; i += stride) {
            thread.integers[at] = i;
            for (const action of body) action(thread);
            for (const { add } of advancing) add(thread);
          }
        };
      }
    }
  }

  function announced(
    statement: Statement,
    action: (thread: Thread) => void,
  ): (thread: Thread) => void {
    const { executing } = bindings;
    if (executing === undefined) return action;
    return thread => {
      executing(statement, thread);
      action(thread);
    };
  }

  /**
   * Compiles a vector operation. Like a vector access, it reads all lanes before writing any lane.
   */
  function moves(
    statement: Extract<Statement, { op: 'assign' | 'fma' }>,
  ): (thread: Thread) => void {
    const { place, width = 1 } = statement;
    scope.within(statement);
    const lanes = Array.from({ length: width }, (_, lane) => lane);
    const from = lanes.map(lane =>
      statement.op === 'assign' ? value(statement.value, lane) : fused(statement, lane),
    );
    const to = lanes.map(lane => storeTo(place, lane, statement));
    const aligned = width === 1 ? [] : aligners(statement, width);
    const [onlyFrom, onlyTo] = [from[0], to[0]];
    if (width === 1 && onlyFrom !== undefined && onlyTo !== undefined)
      return thread => {
        onlyTo(thread, onlyFrom(thread));
      };
    return thread => {
      for (const check of aligned) check(thread);
      const values = from.map(load => load(thread));
      to.forEach((store, lane) => {
        store(thread, values[lane] ?? NaN);
      });
    };
  }

  function storeTo(
    place: Place,
    lane: number,
    statement: Statement,
  ): (thread: Thread, result: number) => void {
    if (place.op === 'register') {
      const at = registerIndex(place.name, place.index, lane);
      return (thread, result) => {
        thread.registers[at(thread)] = result;
      };
    }
    const at = address(place, lane);
    const { op: space, site } = place;
    const asynchronous = statement.op === 'assign' && statement.asynchronous === true;
    const atomic = statement.op === 'assign' && statement.atomic === true;
    return (thread, result) => {
      const index = at(thread);
      const access = { space, op: 'store', site, statement, thread, index, lane } as const;
      const memory = bindings.memory();
      if (atomic)
        memory.store(access, arithmetic.add(memory.load({ ...access, op: 'load' }), result));
      else if (asynchronous) memory.storeLater(access, result);
      else memory.store(access, result);
    };
  }

  /** Returns checks that vector accesses are aligned to their width. */
  function aligners(
    statement: Extract<Statement, { op: 'assign' | 'fma' }>,
    width: number,
  ): readonly ((thread: Thread) => void)[] {
    const touched =
      statement.op === 'assign'
        ? [
            statement.place,
            statement.value.op === 'convert' ? statement.value.value : statement.value,
          ]
        : [];
    return touched.flatMap(element => {
      if (element.op !== 'global' && element.op !== 'shared') return [];
      const [at, origin] = [address(element), scope.origin(element)];
      return (thread: Thread) => {
        const index = at(thread) - origin;
        const { site } = element;
        if (index % width !== 0)
          bindings.memory().misaligned({ site, statement, thread, index, width });
      };
    });
  }

  function fused({ place, left, right }: Extract<Statement, { op: 'fma' }>, lane: number): Integer {
    const [factor, other, addend] = [value(left, lane), value(right, lane), value(place, lane)];
    return thread => arithmetic.fma(factor(thread), other(thread), addend(thread));
  }

  function lockStep(statement: Statement): Action {
    if (statement.op === 'barrier')
      return {
        *block(threads) {
          if (threads[0] !== undefined) bindings.executing?.(statement, threads[0]);
          bindings.memory().barrier();
          yield;
        },
      };
    if (isOfMatrices(statement)) return inWarps(matrices.action(statement));
    if (isOfFragments(statement))
      return inWarps(byWarps(statement, fragments(statement), bindings));
    if (statement.op === 'assign' && readsOtherLanes(statement.value)) return exchange(statement);
    if (!isCollective(statement)) {
      const action = single(statement);
      return {
        *block(threads) {
          let sinceYield = 0;
          for (const thread of threads) {
            action(thread);
            if (++sinceYield % THREADS_PER_YIELD === 0) yield;
          }
        },
      };
    }
    if (statement.op === 'if') {
      const holds = condition(statement.condition);
      const body = statement.body.map(lockStep);
      const otherwise = (statement.otherwise ?? []).map(lockStep);
      return {
        *block(threads) {
          const inside = threads.filter(holds);
          const outside = threads.filter(thread => !holds(thread));
          const [one, other] = [inside[0], outside[0]];
          if (one !== undefined && other !== undefined)
            bindings.memory().diverged(statement, one, other);
          if (inside.length > 0) for (const action of body) yield* action.block(inside);
          if (outside.length > 0) for (const action of otherwise) yield* action.block(outside);
        },
      };
    }
    if (statement.op !== 'for')
      throw new Error(`${statement.op} cannot be executed by all threads together`);
    return uniformLoop(statement);
  }

  function inWarps(action: (threads: readonly Thread[]) => void): Action {
    return {
      *block(threads) {
        action(threads);
        yield;
      },
    };
  }

  /**
   * Compiles an assignment that reads values of other lanes: all values are read before any lane is
   * assigned.
   */
  function exchange(statement: Extract<Statement, { op: 'assign' }>): Action {
    scope.within(statement);
    const [from, to] = [value(statement.value), storeTo(statement.place, 0, statement)];
    return {
      *block(threads) {
        const values = threads.map(thread => {
          bindings.executing?.(statement, thread);
          return from(thread);
        });
        threads.forEach((thread, i) => {
          to(thread, values[i] ?? NaN);
        });
        yield;
      },
    };
  }

  function uniformLoop(statement: Extract<Statement, { op: 'for' }>): Action {
    const at = slot(statement.index);
    const [from, to, step] = [
      integer(statement.from),
      integer(statement.to),
      integer(statement.step),
    ];
    const advancing = advanced(statement, scope);
    const body = statement.body.map(lockStep);
    return {
      *block(threads) {
        const [first] = threads;
        if (first === undefined) return;
        const other = threads.find(thread => [from, to, step].some(of => of(thread) !== of(first)));
        if (other !== undefined) {
          bindings.memory().diverged(statement, first, other);
          return;
        }
        const [limit, stride] = [to(first), step(first)];
        for (const { start } of advancing) threads.forEach(start);
        for (let i = from(first); i < limit; i += stride) {
          for (const thread of threads) thread.integers[at] = i;
          for (const action of body) yield* action.block(threads);
          for (const { add } of advancing) threads.forEach(add);
        }
      },
    };
  }

  const body = ir.body.map(lockStep);
  return {
    integerSlots: scope.integerSlots(),
    registerSlots: scope.registerSlots(),
    matrixSlots: matrices.slots(),
    sharedElements: scope.sharedElements,
    sharedArrays: scope.sharedArrays,
    registerArrays: scope.registerArrays(),
    matrixArrays: matrices.arrays,
    *run(at, threads) {
      for (const axis of AXES)
        for (const { integers } of threads) integers[slotOf.blockIdx(axis)] = at[axis];
      for (const action of body) yield* action.block(threads);
    },
  };
}

const readsOtherLanes = (value: Value): boolean =>
  value.op === 'quadBroadcast' ||
  value.op === 'shuffleXor' ||
  (value.op === 'add' && [value.left, value.right].some(readsOtherLanes));

/**
 * Tests whether all threads of a block execute a statement together: it contains a barrier, a
 * warp-level matrix operation or a read of other lanes.
 */
const isCollective = (statement: Statement): boolean =>
  statement.op === 'barrier' ||
  isOfMatrices(statement) ||
  isOfFragments(statement) ||
  (statement.op === 'assign' && readsOtherLanes(statement.value)) ||
  ((statement.op === 'for' || statement.op === 'if') && statement.body.some(isCollective)) ||
  (statement.op === 'if' && (statement.otherwise ?? []).some(isCollective));
