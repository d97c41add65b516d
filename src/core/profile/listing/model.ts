/**
 * Counts FMAs and memory accesses in the main loop of the loop IR, per thread and iteration.
 * Address computations are excluded because they depend on the compiler.
 */
import { bufferType } from '../../spec/resolved';
import { isLowered, type Kernel, type LoweredKernel } from '../../kernel/kernel';
import type {
  Condition,
  Expr,
  GlobalElement,
  SharedElement,
  Statement,
  Value,
} from '../../kernel/ir/ir';
import { WORD_BYTES } from '../../plan/mma/fragments';
import { DTYPE_BYTES } from '../../types/dtype';
import type { AccessCount } from './facts';
import type { InstructionClass } from './instruction';

export interface ModelLoop {
  readonly multiplyAdds: number;
  /** Warp-level MMA instructions. */
  readonly products: number;
  readonly barriers: number;
  readonly accesses: readonly AccessCount[];
}

interface Tally {
  multiplyAdds: number;
  products: number;
  barriers: number;
  readonly accesses: Map<string, AccessCount>;
}

type Loop = Extract<Statement, { readonly op: 'for' }>;

/**
 * Returns the counts of the main loop; null if no loop with a runtime trip count contains FMAs or
 * MMAs, or if the main loop is hand-written.
 */
export function modelLoop(kernel: Kernel): ModelLoop | null {
  return isLowered(kernel) ? loweredLoop(kernel) : null;
}

function loweredLoop(kernel: LoweredKernel): ModelLoop | null {
  const tallies = runTimeLoops(kernel.ir.body, kernel).map(loop => {
    const tally: Tally = { multiplyAdds: 0, products: 0, barriers: 0, accesses: new Map() };
    count(loop.body, 1, 1, tally, kernel, new Map());
    return tally;
  });
  const mainLoop = ({ multiplyAdds: fmas, products: mmas }: Tally): number => fmas + mmas || 0;
  const most = Math.max(0, ...tallies.map(mainLoop));
  const found = tallies.find(tally => mainLoop(tally) === most);
  if (found === undefined || most === 0) return null;
  return { ...found, accesses: [...found.accesses.values()] };
}

/** Finds the innermost loops whose trip count is known only at run time. */
function runTimeLoops(body: readonly Statement[], kernel: LoweredKernel): readonly Loop[] {
  return body.flatMap(statement => {
    if (statement.op === 'if') {
      return runTimeLoops([...statement.body, ...(statement.otherwise ?? [])], kernel);
    }
    if (statement.op !== 'for') return [];
    const inner = runTimeLoops(statement.body, kernel);
    if (inner.length > 0) return inner;
    return Number.isNaN(trips(statement, kernel)) ? [statement] : [];
  });
}

/** Computes the trip count; returns NaN if it is not a constant. */
function trips({ from, to, step }: Loop, kernel: LoweredKernel): number {
  const [first, end, by] = [from, to, step].map(expr => valueOf(expr, kernel));
  return Math.max(0, Math.ceil(((end ?? NaN) - (first ?? NaN)) / (by ?? NaN)));
}

function valueOf(expr: Expr, kernel: LoweredKernel, known: Indices = NONE): number {
  switch (expr.op) {
    case 'int':
      return expr.value;
    case 'constant':
      return kernel.ir.constants.find(({ name }) => name === expr.name)?.value ?? NaN;
    case 'variable':
      return known.get(expr.name) ?? NaN;
    case 'parameter':
    case 'threadIdx':
    case 'blockIdx':
    case 'warpIdx':
    case 'laneIdx':
    case 'select':
      return NaN;
    default: {
      const [left, right] = [expr.left, expr.right].map(side => valueOf(side, kernel, known)) as [
        number,
        number,
      ];
      switch (expr.op) {
        case '+':
          return left + right;
        case '-':
          return left - right;
        case '*':
          return left * right;
        case '/':
          return Math.floor(left / right);
        case '%':
          return left % right;
        case 'min':
          return Math.min(left, right);
        case '^':
        case '<<':
          return NaN;
      }
    }
  }
}

function count(
  body: readonly Statement[],
  times: number,
  outer: number,
  tally: Tally,
  kernel: LoweredKernel,
  known: Indices,
): void {
  for (const statement of body) {
    switch (statement.op) {
      case 'for':
        countLoop(statement, times, outer, tally, kernel, known);
        break;
      case 'if': {
        const { condition, body: then, otherwise = [] } = statement;
        const holds = truthOf(condition, kernel, known);
        const taken = holds === undefined ? [...then, ...otherwise] : holds ? then : otherwise;
        count(taken, times, outer, tally, kernel, known);
        break;
      }
      case 'multiplyFragments':
        tally.products += times;
        break;
      case 'loadRows':
        addBytes('shared-load', WORD_BYTES * statement.matrices, times, tally);
        break;
      case 'barrier':
        tally.barriers += times;
        break;
      case 'fma': {
        const { width = outer, left, right, place } = statement;
        tally.multiplyAdds += times * width;
        for (const value of [left, right]) read(value, times, width, tally, kernel);
        if (place.op !== 'register') note(place, 'load', times, width, tally, kernel);
        break;
      }
      case 'assign': {
        const { width = outer, place, value, asynchronous } = statement;
        if (asynchronous === true && place.op !== 'register') {
          add(place, 'async-copy', times, width, tally, kernel);
          break;
        }
        read(value, times, width, tally, kernel);
        if (place.op !== 'register') note(place, 'store', times, width, tally, kernel);
        break;
      }
      default:
        break;
    }
  }
}

type Indices = ReadonlyMap<string, number>;
const NONE: Indices = new Map();

/**
 * Counts the instructions of a loop. Enumerates its iterations if the body contains a condition,
 * for example if copies are distributed over k-steps.
 */
function countLoop(
  loop: Loop,
  times: number,
  outer: number,
  tally: Tally,
  kernel: LoweredKernel,
  known: Indices,
): void {
  const iterations = trips(loop, kernel);
  const [from, step] = [loop.from, loop.step].map(expr => valueOf(expr, kernel, known));
  if (Number.isNaN(iterations) || !loop.body.some(({ op }) => op === 'if')) {
    count(loop.body, times * iterations, outer, tally, kernel, known);
    return;
  }
  for (let i = 0; i < iterations; i++) {
    const index = (from ?? NaN) + i * (step ?? NaN);
    count(loop.body, times, outer, tally, kernel, new Map([...known, [loop.index, index]]));
  }
}

/**
 * Evaluates a conjunction of comparisons; returns undefined if its value is not known at compile
 * time.
 */
function truthOf(condition: Condition, kernel: LoweredKernel, known: Indices): boolean | undefined {
  const truths = condition.map(({ left, right, orEqual }) => {
    const [one, other] = [valueOf(left, kernel, known), valueOf(right, kernel, known)];
    if (Number.isNaN(one) || Number.isNaN(other)) return undefined;
    return orEqual === true ? one <= other : one < other;
  });
  if (truths.includes(false)) return false;
  return truths.includes(undefined) ? undefined : true;
}

function read(
  value: Value,
  times: number,
  width: number,
  tally: Tally,
  kernel: LoweredKernel,
): void {
  switch (value.op) {
    case 'global':
    case 'shared':
      note(value, 'load', times, width, tally, kernel);
      break;
    case 'mul':
    case 'add':
    case 'sub':
      for (const side of [value.left, value.right]) read(side, times, width, tally, kernel);
      break;
    case 'guarded':
    case 'convert':
      read(value.value, times, width, tally, kernel);
      break;
    case 'broadcast':
      read(value.value, times, 1, tally, kernel);
      break;
    case 'lanes':
      for (const each of value.values) read(each, times, 1, tally, kernel);
      break;
    default:
      break;
  }
}

const note = (
  element: GlobalElement | SharedElement,
  op: 'load' | 'store',
  times: number,
  width: number,
  tally: Tally,
  kernel: LoweredKernel,
): void => {
  add(element, `${element.op}-${op}`, times, width, tally, kernel);
};

function add(
  { site }: GlobalElement | SharedElement,
  kind: InstructionClass,
  times: number,
  width: number,
  tally: Tally,
  kernel: LoweredKernel,
): void {
  addBytes(kind, DTYPE_BYTES[bufferType(kernel.plan.dtypes, site.operand)] * width, times, tally);
}

function addBytes(
  kind: InstructionClass,
  widthBytes: number,
  times: number,
  { accesses }: Tally,
): void {
  const key = `${kind} ${widthBytes}`;
  accesses.set(key, { kind, widthBytes, count: (accesses.get(key)?.count ?? 0) + times });
}
