/** Source lines that access or multiply the elements of A, B and C, by use. */
import type { Place, Statement, Value } from '../kernel/ir/ir';
import { allStatements } from '../kernel/ir/statements';
import { loweredLaunches, type Kernel, type KernelLaunch } from '../kernel/kernel';
import { statementLines, type Lines } from '../kernel/print/statementLines';
import type { GlobalOperand, OperandName } from '../spec/resolved';
import { wgmmaLines } from './wgmmaLines';

/**
 * Uses of an element. Loads are from global memory, and `store` is to global memory. `stageOutput`
 * copies accumulators to shared memory, from which TMA or the threads store them.
 */
export const USES = [
  'load',
  'sharedStore',
  'sharedLoad',
  'multiply',
  'epilogue',
  'stageOutput',
  'store',
] as const;
export type Use = (typeof USES)[number];

export interface UsedLines {
  readonly operand: OperandName;
  readonly use: Use;
  readonly lines: Lines;
}

/** Returns the lines in program order, without duplicates. */
export function operandLines(kernel: Kernel): readonly UsedLines[] {
  const printed = (launch: KernelLaunch): readonly UsedLines[] => {
    const linesOf = statementLines(kernel, launch);
    return [...allStatements(launch.ir.body)].flatMap(statement => {
      const lines = linesOf.get(statement);
      return lines === undefined ? [] : usesOf(statement).map(use => ({ ...use, lines }));
    });
  };
  const { before = [], after = [] } = kernel;
  const all =
    'ir' in kernel
      ? loweredLaunches(kernel).flatMap(printed)
      : wgmmaLines(kernel, {
          prePasses: before.flatMap(printed),
          reduction: after.flatMap(printed),
        });
  const known = new Set<string>();
  return all.filter(({ operand, use, lines }) => {
    const key = `${operand} ${use} ${lines.first}`;
    return !known.has(key) && known.add(key);
  });
}

type OperandUse = Omit<UsedLines, 'lines'>;

function usesOf(statement: Statement): readonly OperandUse[] {
  switch (statement.op) {
    case 'assign': {
      const read = [...accessesIn(statement.value)];
      return [...read.map(loadOf), ...storesOf(statement.place, read)];
    }
    case 'fma':
      return [
        ...[statement.left, statement.right].flatMap(value => [...accessesIn(value)]).map(loadOf),
        ...MULTIPLIED,
      ];
    case 'loadMatrix':
    case 'loadRows':
      return [loadOf(statement.from)];
    case 'storeMatrix':
      return storesOf(statement.place, []);
    case 'multiplyMatrices':
    case 'multiplyFragments':
      return MULTIPLIED;
    default:
      return [];
  }
}

const MULTIPLIED = (['a', 'b', 'c'] as const).map((operand): OperandUse => ({
  operand,
  use: 'multiply',
}));

type MemoryElement = Exclude<Place, { op: 'register' }>;

/** The workspace of split-K holds elements of C, and operands of the epilogue are added to them. */
const operandOf = (operand: GlobalOperand): OperandName =>
  operand === 'a' || operand === 'b' ? operand : 'c';

const loadOf = ({ op, site }: MemoryElement): OperandUse => ({
  operand: operandOf(site.operand),
  use: op === 'global' ? 'load' : 'sharedLoad',
});

/** Returns the use of a stored place. A line that copies from global to shared memory is a load. */
function storesOf(place: Place, read: readonly MemoryElement[]): readonly OperandUse[] {
  if (place.op === 'register') return [];
  const operand = operandOf(place.site.operand);
  if (place.op === 'global') return [{ operand, use: 'store' }];
  return read.some(({ op }) => op === 'global') ? [] : [{ operand, use: 'sharedStore' }];
}

function* accessesIn(value: Value): Generator<MemoryElement> {
  switch (value.op) {
    case 'global':
    case 'shared':
      yield value;
      break;
    case 'mul':
    case 'add':
    case 'sub':
      yield* accessesIn(value.left);
      yield* accessesIn(value.right);
      break;
    case 'convert':
    case 'broadcast':
    case 'guarded':
      yield* accessesIn(value.value);
      break;
    case 'lanes':
      for (const each of value.values) yield* accessesIn(each);
      break;
    default:
      break;
  }
}
