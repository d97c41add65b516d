/** Expressions and element values as closures, and the slots that a thread keeps its state in. */
import type {
  Condition,
  Expr,
  GlobalElement,
  KernelIr,
  SharedElement,
  Statement,
  Value,
} from '../ir/ir';
import type { ArgumentRole } from '../emit/kernel';
import { roundTo } from '../spec/rounding';
import { arithmeticOf } from './arithmetic';
import type { Memory, Thread } from './memory';

export type Integer = (thread: Thread) => number;
type Element = (thread: Thread) => number;

export interface Bindings {
  readonly parameters: Readonly<Partial<Record<ArgumentRole, number>>>;
  readonly memory: () => Memory;
}

interface RegisterArray {
  readonly base: number;
  readonly shape: readonly number[];
}

interface SharedLayout {
  readonly base: number;
  readonly inner: number;
  /** Elements of one stage. */
  readonly stage: number;
}

const EMPTY = new Float64Array(0);
const NO_THREAD: Thread = { index: 0, x: 0, y: 0, z: 0, integers: EMPTY, registers: EMPTY };

/** The names of one kernel and how they compile. */
export interface Scope {
  /** What is compiled next belongs to this statement. */
  readonly within: (statement: Statement) => void;
  readonly integerSlots: () => number;
  readonly registerSlots: () => number;
  readonly sharedElements: number;
  readonly enterBlock: (at: { readonly x: number; readonly y: number; readonly z: number }) => void;
  readonly slot: (name: string) => number;
  readonly integer: (expr: Expr) => Integer;
  readonly condition: (terms: Condition) => (thread: Thread) => boolean;
  /** A value in one lane of a vector operation; lane 0 is the scalar one. */
  readonly value: (from: Value, lane?: number) => Element;
  readonly registerIndex: (name: string, index: readonly Expr[], lane?: number) => Integer;
  readonly address: (element: GlobalElement | SharedElement, lane?: number) => Integer;
  /** Elements before a shared array, which starts as aligned as any access asks for; 0 for matrices. */
  readonly origin: (element: GlobalElement | SharedElement) => number;
  /** Declares a register array; returns its first slot and its size. */
  readonly declareRegisters: (name: string, shape: readonly Expr[]) => readonly [number, number];
}

export function createScope(ir: KernelIr, bindings: Bindings): Scope {
  const constants = new Map(ir.constants.map(({ name, value: of }) => [name, of]));
  const integers = new Map<string, number>();
  const registers = new Map<string, RegisterArray>();
  const sharedArrays = new Map<string, SharedLayout>();
  const arithmetic = arithmeticOf(ir.accumulator);
  const block = { x: 0, y: 0, z: 0 };
  let registerSlots = 0;
  let sharedElements = 0;
  let statement: Statement = { op: 'blank' };

  const fixed = (expr: Expr): number => integer(expr)(NO_THREAD);
  const slot = (name: string): number => {
    const known = integers.get(name);
    if (known !== undefined) return known;
    integers.set(name, integers.size);
    return integers.size - 1;
  };

  function integer(expr: Expr): Integer {
    switch (expr.op) {
      case 'int': {
        const { value } = expr;
        return () => value;
      }
      case 'constant': {
        const value = constants.get(expr.name) ?? NaN;
        return () => value;
      }
      case 'parameter': {
        const value = bindings.parameters[expr.role] ?? NaN;
        return () => value;
      }
      case 'variable': {
        const at = slot(expr.name);
        return thread => thread.integers[at] ?? NaN;
      }
      case 'threadIdx': {
        const { axis } = expr;
        return thread => thread[axis];
      }
      case 'blockIdx': {
        const { axis } = expr;
        return () => block[axis];
      }
      default: {
        const [left, right] = [integer(expr.left), integer(expr.right)];
        switch (expr.op) {
          case '+':
            return thread => left(thread) + right(thread);
          case '-':
            return thread => left(thread) - right(thread);
          case '*':
            return thread => left(thread) * right(thread);
          case '/':
            return thread => Math.floor(left(thread) / right(thread));
          case '%':
            return thread => left(thread) % right(thread);
          case '^':
            return thread => left(thread) ^ right(thread);
          case '<<':
            return thread => left(thread) * 2 ** right(thread);
          case 'min':
            return thread => Math.min(left(thread), right(thread));
        }
      }
    }
  }

  function condition(terms: Condition): (thread: Thread) => boolean {
    const tests = terms.map(({ left, right, orEqual }) => {
      const [of, limit] = [integer(left), integer(right)];
      return orEqual
        ? (thread: Thread) => of(thread) <= limit(thread)
        : (thread: Thread) => of(thread) < limit(thread);
    });
    return thread => tests.every(test => test(thread));
  }

  function registerIndex(name: string, index: readonly Expr[], lane = 0): Integer {
    const array = registers.get(name);
    if (array === undefined) throw new Error(`register array ${name} is not declared`);
    const terms = index.map(integer);
    const first = array.base + lane;
    return thread =>
      terms.reduce((at, term, i) => at * (array.shape[i] ?? 1) + term(thread), 0) + first;
  }

  function layoutOf({ array }: SharedElement): SharedLayout {
    const layout = sharedArrays.get(array);
    if (layout === undefined) throw new Error(`shared array ${array} is not declared`);
    return layout;
  }

  const origin = (element: GlobalElement | SharedElement): number =>
    element.op === 'global' ? 0 : layoutOf(element).base;

  function address(element: GlobalElement | SharedElement, lane = 0): Integer {
    const [outer, inner] = [integer(element.outer), integer(element.inner)];
    if (element.op === 'global') {
      const stride = integer(element.stride);
      if (element.offset === undefined)
        return thread => outer(thread) * stride(thread) + inner(thread) + lane;
      const offset = integer(element.offset);
      return thread => offset(thread) + outer(thread) * stride(thread) + inner(thread) + lane;
    }
    const layout = layoutOf(element);
    const first = layout.base + lane;
    if (element.stage === undefined)
      return thread => first + outer(thread) * layout.inner + inner(thread);
    const stage = integer(element.stage);
    return thread =>
      first + stage(thread) * layout.stage + outer(thread) * layout.inner + inner(thread);
  }

  function value(from: Value, lane = 0): Element {
    switch (from.op) {
      case 'zero':
        return () => 0;
      case 'scalar': {
        const scalar = roundTo(ir.accumulator, bindings.parameters[from.role] ?? NaN);
        return () => scalar;
      }
      case 'register': {
        const at = registerIndex(from.name, from.index, lane);
        return thread => thread.registers[at(thread)] ?? NaN;
      }
      case 'global':
      case 'shared': {
        const at = address(from, lane);
        const { op: space, site } = from;
        const within = statement;
        return thread => {
          const index = at(thread);
          const access = {
            space,
            op: 'load',
            site,
            statement: within,
            thread,
            index,
            lane,
          } as const;
          return bindings.memory().load(access);
        };
      }
      case 'mul':
      case 'add': {
        const operation = arithmetic[from.op];
        const [left, right] = [value(from.left, lane), value(from.right, lane)];
        return thread => operation(left(thread), right(thread));
      }
      case 'guarded': {
        const [holds, inner] = [condition(from.condition), value(from.value, lane)];
        return thread => (holds(thread) ? inner(thread) : 0);
      }
      case 'broadcast':
        return value(from.value);
      case 'lanes':
        return value(from.values[lane] ?? { op: 'zero' });
      case 'convert': {
        const { to } = from;
        const inner = value(from.value, lane);
        return thread => roundTo(to, inner(thread));
      }
    }
  }

  function declareRegisters(name: string, extents: readonly Expr[]): readonly [number, number] {
    const shape = extents.map(fixed);
    const size = shape.reduce((product, extent) => product * extent, 1);
    const base = registerSlots;
    registers.set(name, { base, shape });
    registerSlots += size;
    return [base, size];
  }

  for (const array of ir.shared) {
    const inner = fixed(array.inner);
    const stage = fixed(array.outer) * inner;
    sharedArrays.set(array.name, { base: sharedElements, inner, stage });
    sharedElements += stage * (array.stages === undefined ? 1 : fixed(array.stages));
  }
  return {
    within: next => {
      statement = next;
    },
    integerSlots: () => integers.size,
    registerSlots: () => registerSlots,
    sharedElements,
    enterBlock: at => Object.assign(block, at),
    ...{ slot, integer, condition, value, registerIndex, address, origin, declareRegisters },
  };
}
