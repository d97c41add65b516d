/** Compiles expressions and element values to closures, and assigns slots for thread state. */
import { WARP_LANES } from '../hardware/warp';
import type {
  Axis,
  Condition,
  Expr,
  GlobalElement,
  KernelIr,
  SharedElement,
  Statement,
  Value,
} from '../kernel/ir/ir';
import type { ArgumentRole } from '../kernel/ir/arguments';
import type { DType } from '../types/dtype';
import { roundTo } from '../types/rounding';
import { arithmeticOf, type Arithmetic } from './arithmetic';
import {
  binary,
  closure,
  difference,
  fixed,
  inSlot,
  isFixed,
  opaque,
  product,
  sum,
  type Integer,
  type Linear,
} from './linear';
import type { Memory, Thread } from './memory';

type Element = (thread: Thread) => number;

export interface Bindings {
  readonly parameters: Readonly<Partial<Record<ArgumentRole, number>>>;
  readonly memory: () => Memory;
  /**
   * Initial value of a zeroed register or accumulator matrix element, by its thread (of a matrix:
   * the first thread of the warp) and slot; default 0.
   */
  readonly initial?: (thread: Thread, slot: number) => number;
  /** Arithmetic on elements; default: the arithmetic of the accumulator type. */
  readonly arithmetic?: Arithmetic;
  /** Called before a thread executes a statement that accesses memory, multiplies or waits. */
  readonly executing?: (statement: Statement, thread: Thread) => void;
}

export interface RegisterArray {
  readonly dtype: DType;
  readonly base: number;
  readonly shape: readonly number[];
}

export interface SharedLayout {
  readonly base: number;
  readonly inner: number;
  /** Elements per stage. */
  readonly stage: number;
  readonly stages: number;
}

const AXES = { x: 0, y: 1, z: 2 } as const;
/** Slots of the thread and block indices, which precede all other slots. */
export const slotOf = {
  threadIdx: (axis: Axis): number => AXES[axis],
  blockIdx: (axis: Axis): number => 3 + AXES[axis],
};
const FIRST_FREE_SLOT = 6;

export interface Scope {
  /** Sets the statement to which subsequently compiled accesses belong. */
  readonly within: (statement: Statement) => void;
  readonly integerSlots: () => number;
  readonly registerSlots: () => number;
  readonly sharedElements: number;
  readonly sharedArrays: ReadonlyMap<string, SharedLayout>;
  readonly slot: (name: string) => number;
  readonly integer: (expr: Expr) => Integer;
  readonly linear: (expr: Expr) => Linear;
  /** Evaluates an expression of literals and constants. */
  readonly constantOf: (expr: Expr) => number;
  readonly condition: (terms: Condition) => (thread: Thread) => boolean;
  /** Compiles a value for one lane of a vector operation; scalar operations use lane 0. */
  readonly value: (from: Value, lane?: number) => Element;
  readonly registerIndex: (name: string, index: readonly Expr[], lane?: number) => Integer;
  readonly address: (element: GlobalElement | SharedElement, lane?: number) => Integer;
  /** Returns the offset of a shared array in elements; 0 for matrices. */
  readonly origin: (element: GlobalElement | SharedElement) => number;
  readonly stride: (element: GlobalElement | SharedElement) => Integer;
  readonly registerArrays: () => ReadonlyMap<string, RegisterArray>;
  readonly registerType: (name: string) => DType;
  /** Declares a register array; returns its first slot and its number of elements. */
  readonly declareRegisters: (
    array: Extract<Statement, { op: 'registers' }>,
  ) => readonly [number, number];
}

export function createScope(ir: KernelIr, bindings: Bindings): Scope {
  const constants = new Map(ir.constants.map(({ name, value: of }) => [name, of]));
  const integers = new Map<string, number>();
  const registers = new Map<string, RegisterArray>();
  const sharedArrays = new Map<string, SharedLayout>();
  const { arithmetic = arithmeticOf(ir.accumulator) } = bindings;
  let registerSlots = 0;
  let sharedElements = 0;
  let statement: Statement = { op: 'blank' };

  const slot = (name: string): number => {
    const known = integers.get(name);
    if (known !== undefined) return known;
    const next = FIRST_FREE_SLOT + integers.size;
    integers.set(name, next);
    return next;
  };

  function linear(expr: Expr): Linear {
    switch (expr.op) {
      case 'int':
        return fixed(expr.value);
      case 'constant':
        return fixed(constants.get(expr.name) ?? NaN);
      case 'parameter':
        return fixed(bindings.parameters[expr.role] ?? NaN);
      case 'variable':
        return inSlot(slot(expr.name));
      case 'threadIdx':
      case 'blockIdx':
        return inSlot(slotOf[expr.op](expr.axis));
      // Warp and lane indices assume a one-dimensional block.
      case 'warpIdx':
        return binary('/', inSlot(slotOf.threadIdx('x')), fixed(WARP_LANES));
      case 'laneIdx':
        return binary('%', inSlot(slotOf.threadIdx('x')), fixed(WARP_LANES));
      case 'select': {
        const holds = condition(expr.condition);
        const [value, otherwise] = [integer(expr.value), integer(expr.otherwise)];
        return opaque(thread => (holds(thread) ? value(thread) : otherwise(thread)));
      }
      default:
        return binary(expr.op, linear(expr.left), linear(expr.right));
    }
  }
  const integer = (expr: Expr): Integer => closure(linear(expr));
  const extent = (expr: Expr): number => {
    const of = linear(expr);
    if (!isFixed(of)) throw new Error('the extent of an array is not constant');
    return of.constant;
  };

  function condition(terms: Condition): (thread: Thread) => boolean {
    const tests = terms.map(({ left, right, orEqual }) => {
      const beyond = closure(difference(linear(left), linear(right)));
      return orEqual
        ? (thread: Thread) => beyond(thread) <= 0
        : (thread: Thread) => beyond(thread) < 0;
    });
    const [only, ...others] = tests;
    if (only !== undefined && others.length === 0) return only;
    return thread => tests.every(test => test(thread));
  }

  function registerArray(name: string): RegisterArray {
    const array = registers.get(name);
    if (array === undefined) throw new Error(`register array ${name} is not declared`);
    return array;
  }

  function registerIndex(name: string, index: readonly Expr[], lane = 0): Integer {
    const array = registerArray(name);
    const place = index.reduce(
      (at, expr, i) => sum(product(at, fixed(array.shape[i] ?? 1)), linear(expr)),
      fixed(0),
    );
    return closure(sum(fixed(array.base + lane), place));
  }

  function layoutOf({ array }: SharedElement): SharedLayout {
    const layout = sharedArrays.get(array);
    if (layout === undefined) throw new Error(`shared array ${array} is not declared`);
    return layout;
  }

  const origin = (element: GlobalElement | SharedElement): number =>
    element.op === 'global' ? 0 : layoutOf(element).base;

  const stride = (element: GlobalElement | SharedElement): Integer =>
    closure(element.op === 'global' ? linear(element.stride) : fixed(layoutOf(element).inner));

  function address(element: GlobalElement | SharedElement, lane = 0): Integer {
    const [outer, inner] = [linear(element.outer), linear(element.inner)];
    if (element.op === 'global') {
      const { stride, offset } = element;
      const first = offset === undefined ? fixed(0) : linear(offset);
      return closure(sum(first, product(outer, linear(stride)), inner, fixed(lane)));
    }
    const { base, inner: row, stage: size } = layoutOf(element);
    const stage = element.stage === undefined ? fixed(0) : linear(element.stage);
    const parts = [product(stage, fixed(size)), product(outer, fixed(row)), inner];
    return closure(sum(fixed(base + lane), ...parts));
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
      case 'add':
      case 'sub': {
        const operation = arithmetic[from.op];
        const [left, right] = [value(from.left, lane), value(from.right, lane)];
        return thread => operation(left(thread), right(thread));
      }
      case 'activation': {
        const [of, inner] = [from.of, value(from.value, lane)];
        return thread => arithmetic.activation(of, inner(thread));
      }
      case 'guarded': {
        const [holds, inner] = [condition(from.condition), value(from.value, lane)];
        return thread => (holds(thread) ? inner(thread) : 0);
      }
      case 'broadcast':
        return value(from.value);
      case 'lanes':
        return value(from.values[lane] ?? { op: 'zero' });
      case 'quadBroadcast': {
        const [held, of] = [value(from.value), integer(from.lane)];
        return thread => {
          const giver = thread.quad[of(thread)];
          return giver === undefined ? NaN : held(giver);
        };
      }
      case 'shuffleXor': {
        const [held, of] = [value(from.value), integer(from.mask)];
        return thread => {
          const giver = thread.warp.threads[(thread.index % WARP_LANES) ^ of(thread)];
          return giver === undefined ? NaN : held(giver);
        };
      }
      case 'convert': {
        const { to } = from;
        const inner = value(from.value, lane);
        return thread => arithmetic.round(to, inner(thread));
      }
    }
  }

  function declareRegisters({
    name,
    dtype,
    shape: extents,
  }: Extract<Statement, { op: 'registers' }>): readonly [number, number] {
    const shape = extents.map(extent);
    const size = shape.reduce((product, extent) => product * extent, 1);
    const base = registerSlots;
    registers.set(name, { dtype, base, shape });
    registerSlots += size;
    return [base, size];
  }

  for (const array of ir.shared) {
    const inner = extent(array.inner);
    const stage = extent(array.outer) * inner;
    const stages = array.stages === undefined ? 1 : extent(array.stages);
    sharedArrays.set(array.name, { base: sharedElements, inner, stage, stages });
    sharedElements += stage * stages;
  }
  return {
    within: next => {
      statement = next;
    },
    integerSlots: () => FIRST_FREE_SLOT + integers.size,
    registerSlots: () => registerSlots,
    sharedElements,
    sharedArrays,
    slot,
    integer,
    linear,
    constantOf: extent,
    condition,
    value,
    registerIndex,
    address,
    origin,
    stride,
    declareRegisters,
    registerArrays: () => registers,
    registerType: name => registerArray(name).dtype,
  };
}
