/**
 * What the loop IR says of the loop that multiplies: multiply-adds and accesses of a thread an iteration, by the width that
 * the text asks for. Leaves out addresses, which are the compiler's.
 */
import { isLowered, type Kernel, type LoweredKernel } from '../emit/kernel';
import type { Expr, GlobalElement, SharedElement, Statement, Value } from '../ir/ir';
import { DTYPE_BYTES } from '../spec/dtype';
import type { AccessCount } from './facts';
import type { InstructionClass } from './instruction';

export interface ModelLoop {
  readonly multiplyAdds: number;
  readonly barriers: number;
  readonly accesses: readonly AccessCount[];
}

interface Tally {
  multiplyAdds: number;
  barriers: number;
  readonly accesses: Map<string, AccessCount>;
}

type Loop = Extract<Statement, { readonly op: 'for' }>;

/** Null where the IR has no loop of unknown length that multiplies, and where a main loop is written by hand. */
export function modelLoop(kernel: Kernel): ModelLoop | null {
  return isLowered(kernel) ? loweredLoop(kernel) : null;
}

function loweredLoop(kernel: LoweredKernel): ModelLoop | null {
  const tallies = runTimeLoops(kernel.ir.body, kernel).map(loop => {
    const tally: Tally = { multiplyAdds: 0, barriers: 0, accesses: new Map() };
    count(loop.body, 1, 1, tally, kernel);
    return tally;
  });
  const most = Math.max(0, ...tallies.map(({ multiplyAdds }) => multiplyAdds || 0));
  const found = tallies.find(({ multiplyAdds }) => multiplyAdds === most);
  if (found === undefined || most === 0) return null;
  return { ...found, accesses: [...found.accesses.values()] };
}

/** The innermost around everything else: loops of unknown length that hold no other such loop. */
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

/** Iterations where they are the same for every thread and size; NaN where not. */
function trips({ from, to, step }: Loop, kernel: LoweredKernel): number {
  const [first, end, by] = [from, to, step].map(expr => valueOf(expr, kernel));
  return Math.max(0, Math.ceil(((end ?? NaN) - (first ?? NaN)) / (by ?? NaN)));
}

function valueOf(expr: Expr, kernel: LoweredKernel): number {
  switch (expr.op) {
    case 'int':
      return expr.value;
    case 'constant':
      return kernel.ir.constants.find(({ name }) => name === expr.name)?.value ?? NaN;
    case 'parameter':
    case 'variable':
    case 'threadIdx':
    case 'blockIdx':
    case 'warpIdx':
    case 'laneIdx':
      return NaN;
    default: {
      const [left, right] = [valueOf(expr.left, kernel), valueOf(expr.right, kernel)];
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
): void {
  for (const statement of body) {
    switch (statement.op) {
      case 'for':
        count(statement.body, times * trips(statement, kernel), outer, tally, kernel);
        break;
      case 'if':
        count([...statement.body, ...(statement.otherwise ?? [])], times, outer, tally, kernel);
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
  { accesses }: Tally,
  kernel: LoweredKernel,
): void {
  const widthBytes = DTYPE_BYTES[kernel.plan.dtypes[site.operand]] * width;
  const key = `${kind} ${widthBytes}`;
  accesses.set(key, { kind, widthBytes, count: (accesses.get(key)?.count ?? 0) + times });
}
