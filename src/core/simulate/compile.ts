/** Turns the loop IR into closures (no eval, so it runs under a strict CSP and in a browser). */
import type { KernelIr, Statement } from '../ir/ir';
import type { Dim3 } from '../plan/plan';
import { arithmeticOf } from './arithmetic';
import type { Thread } from './memory';
import { createScope, type Bindings, type Integer } from './values';

/** A statement for the whole block: thread by thread, or in step where it holds a barrier. */
interface Action {
  readonly block: (threads: readonly Thread[]) => Generator<void>;
}

/** Threads between two places where the caller may let others run: a block alone can take seconds. */
const THREADS_AT_ONCE = 8;

export interface Program {
  readonly integerSlots: number;
  readonly registerSlots: number;
  readonly sharedElements: number;
  /** Runs one block, a few threads at a time. */
  run(block: Dim3, threads: readonly Thread[]): Generator<void>;
}

export function compile(ir: KernelIr, bindings: Bindings): Program {
  const scope = createScope(ir, bindings);
  const { slot, integer, condition, value, registerIndex, address } = scope;
  const arithmetic = arithmeticOf(ir.dtype);

  function single(statement: Statement): (thread: Thread) => void {
    switch (statement.op) {
      case 'comment':
      case 'blank':
      case 'barrier':
        return () => undefined;
      case 'let': {
        const [at, from] = [slot(statement.name), integer(statement.value)];
        return thread => {
          thread.integers[at] = from(thread);
        };
      }
      case 'registers': {
        const [base, size] = scope.declareRegisters(statement.name, statement.shape);
        const initial = statement.zeroed ? 0 : NaN;
        return thread => thread.registers.fill(initial, base, base + size);
      }
      case 'assign':
      case 'fma': {
        const from = statement.op === 'assign' ? value(statement.value) : fused(statement);
        const { place } = statement;
        if (place.op === 'register') {
          const at = registerIndex(place.name, place.index);
          return thread => {
            thread.registers[at(thread)] = from(thread);
          };
        }
        const at = address(place);
        const { op: space, site } = place;
        return thread => {
          const result = from(thread);
          bindings.memory().store({ space, op: 'store', site, thread, index: at(thread) }, result);
        };
      }
      case 'if': {
        const [holds, body] = [condition(statement.condition), statement.body.map(single)];
        return thread => {
          if (holds(thread)) for (const action of body) action(thread);
        };
      }
      case 'for': {
        const at = slot(statement.index);
        const [from, to, step] = [
          integer(statement.from),
          integer(statement.to),
          integer(statement.step),
        ];
        const body = statement.body.map(single);
        return thread => {
          const [limit, stride] = [to(thread), step(thread)];
          for (let i = from(thread); i < limit; i += stride) {
            thread.integers[at] = i;
            for (const action of body) action(thread);
          }
        };
      }
    }
  }

  function fused({ place, left, right }: Extract<Statement, { op: 'fma' }>): Integer {
    const [factor, other, addend] = [value(left), value(right), value(place)];
    return thread => arithmetic.fma(factor(thread), other(thread), addend(thread));
  }

  function lockStep(statement: Statement): Action {
    if (statement.op === 'barrier')
      return {
        *block() {
          bindings.memory().barrier();
          yield;
        },
      };
    if (!holdsBarrier(statement)) {
      const action = single(statement);
      return {
        *block(threads) {
          let sinceYield = 0;
          for (const thread of threads) {
            action(thread);
            if (++sinceYield % THREADS_AT_ONCE === 0) yield;
          }
        },
      };
    }
    if (statement.op === 'if') {
      const [holds, body] = [condition(statement.condition), statement.body.map(lockStep)];
      return {
        *block(threads) {
          const inside = threads.filter(holds);
          if (inside.length !== 0 && inside.length !== threads.length)
            bindings.memory().diverged('an if');
          if (inside.length > 0) for (const action of body) yield* action.block(inside);
        },
      };
    }
    if (statement.op !== 'for') throw new Error(`${statement.op} cannot hold a barrier`);
    return uniformLoop(statement);
  }

  function uniformLoop(statement: Extract<Statement, { op: 'for' }>): Action {
    const at = slot(statement.index);
    const [from, to, step] = [
      integer(statement.from),
      integer(statement.to),
      integer(statement.step),
    ];
    const body = statement.body.map(lockStep);
    return {
      *block(threads) {
        const [first] = threads;
        if (first === undefined) return;
        const agree = (of: Integer) => threads.every(thread => of(thread) === of(first));
        if (![from, to, step].every(agree)) {
          bindings.memory().diverged(`the loop over ${statement.index}`);
          return;
        }
        const [limit, stride] = [to(first), step(first)];
        for (let i = from(first); i < limit; i += stride) {
          for (const thread of threads) thread.integers[at] = i;
          for (const action of body) yield* action.block(threads);
        }
      },
    };
  }

  const body = ir.body.map(lockStep);
  return {
    integerSlots: scope.integerSlots(),
    registerSlots: scope.registerSlots(),
    sharedElements: scope.sharedElements,
    *run(at, threads) {
      scope.enterBlock(at);
      for (const action of body) yield* action.block(threads);
    },
  };
}

const holdsBarrier = (statement: Statement): boolean =>
  statement.op === 'barrier' ||
  ((statement.op === 'for' || statement.op === 'if') && statement.body.some(holdsBarrier));

/** The threads of a block, with room for what the program keeps in registers. */
export function makeThreads(block: Dim3, program: Program): readonly Thread[] {
  return Array.from({ length: block.x * block.y * block.z }, (_, index) => ({
    index,
    x: index % block.x,
    y: Math.floor(index / block.x) % block.y,
    z: Math.floor(index / (block.x * block.y)),
    integers: new Float64Array(program.integerSlots),
    registers: new Float64Array(program.registerSlots),
  }));
}
