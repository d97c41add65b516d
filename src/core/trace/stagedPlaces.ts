/**
 * Places of the elements of A and B in shared memory. The statements that move the tiles are
 * executed for one block, without its FMAs.
 */
import type { KernelIr, Statement, Value } from '../kernel/ir/ir';
import { parametersOf } from '../kernel/ir/arguments';
import { valueOf } from '../kernel/ir/writeOut';
import type { LoweredKernel } from '../kernel/kernel';
import { BANK_BYTES, BANKS } from '../memory/requestCost';
import { sharedOffsets } from '../memory/sharedOffsets';
import { compile } from '../simulate/compile';
import type { Access } from '../simulate/memory';
import { makeThreads } from '../simulate/threads';
import { epilogueAt } from '../spec/epilogue';
import {
  extent,
  type OperandName,
  type ResolvedOperand,
  type ResolvedProblem,
} from '../spec/resolved';
import { blockLookup } from './blockAt';
import { indexOf, type Position } from './position';
import { recordingMemory } from './recordingMemory';
import { shortened, withProblem } from './shortened';
import { elementTag, tagArithmetic } from './tags';

export interface StagedPlace {
  /** Shared array. */
  readonly array: string;
  /**
   * Row and column in the declared array, after the stage of an array with several stages. Null for
   * a one-dimensional array, and for the ring buffer of `wgmma`.
   */
  readonly subscripts: readonly number[] | null;
  readonly bank: number;
}

/** Position in the first block tile: rows of A or columns of B from its origin, any k. */
export type StagedPlaces = (operand: 'a' | 'b', inTile: Position) => StagedPlace | null;

/** Returns a function to the place of an element. It returns null without shared memory. */
export function stagedPlaces(whole: LoweredKernel): StagedPlaces {
  const { shared, constants } = whole.ir;
  if (shared.length === 0) return () => null;
  const values = new Map(constants.map(({ name, value }) => [name, value]));
  const numStages = Math.max(
    ...shared.map(({ stages }) => (stages === undefined ? 1 : valueOf(stages, values))),
  );
  // The first k-iteration may contain the remainder of K.
  const short = shortened(whole, 1 + numStages);
  if (!short.ok) return () => null;
  const full = withProblem(short.kernel, ofFullTile(short.kernel));
  if (!full.ok) return () => null;
  const { kernel } = full;
  const { problem, plan } = kernel;
  const stored = storedPlaces(kernel);
  const tileK = Math.max(1, plan.tile.k);
  const inFirstTiles = (k: number): number =>
    k < problem.k ? k : tileK + ((k - tileK) % (numStages * tileK));
  return (operand, { row, column }) => {
    const at =
      operand === 'a' ? { row, column: inFirstTiles(column) } : { row: inFirstTiles(row), column };
    return stored.get(elementTag(operand, indexOf(problem, operand, at))) ?? null;
  };
}

/**
 * Returns the problem with at least one full tile of C. Otherwise, loads outside of the matrices
 * would be clamped to elements inside, which then have several places.
 */
function ofFullTile({ problem, plan: { tile } }: LoweredKernel): ResolvedProblem {
  const [m, n] = [oddMultiple(problem.m, tile.m), oddMultiple(problem.n, tile.n)];
  const larger = { ...problem, m, n, batch: 1 };
  const withStride = (name: OperandName): ResolvedOperand => {
    const operand = problem[name];
    const { rows, columns } = extent(larger, name);
    const contiguous = operand.layout === 'row' ? columns : rows;
    return { ...operand, ld: oddMultiple(operand.ld, contiguous) };
  };
  const { epilogue } = problem;
  const operations =
    epilogue === undefined ? {} : { epilogue: epilogueAt(epilogue, problem, larger) };
  return { ...larger, a: withStride('a'), b: withStride('b'), c: withStride('c'), ...operations };
}

/** Returns the least odd multiple, which has the same alignment, that is at least `minimum`. */
function oddMultiple(value: number, minimum: number): number {
  const count = Math.max(1, Math.ceil(minimum / value));
  return value * (count % 2 === 0 ? count + 1 : count);
}

/** Executes the block of the first tile; returns the first place of each tag. */
function storedPlaces(kernel: LoweredKernel): ReadonlyMap<number, StagedPlace> {
  const { ir, problem, plan } = kernel;
  const places = new Map<number, StagedPlace>();
  const offsets = sharedOffsets(ir);
  const flat = new Set(ir.shared.filter(array => array.flat).map(({ name }) => name));
  const store = ({ index, site }: Access, tag: number): void => {
    if (!(tag > 0) || places.has(tag)) return;
    const [array, layout] =
      [...program.sharedArrays].find(
        ([, { base, stage, stages }]) => index >= base && index < base + stage * stages,
      ) ?? [];
    const offset = array === undefined ? undefined : offsets.get(array);
    if (array === undefined || layout === undefined || offset === undefined)
      throw new Error(`${site.name} accesses an undeclared shared array`);
    const at = index - layout.base;
    const inStage = at % layout.stage;
    const byte = (offset.base + at) * offset.bytes;
    places.set(tag, {
      array,
      subscripts: flat.has(array)
        ? null
        : [
            ...(layout.stages === 1 ? [] : [Math.floor(at / layout.stage)]),
            Math.floor(inStage / layout.inner),
            inStage % layout.inner,
          ],
      bank: Math.floor(byte / BANK_BYTES) % BANKS,
    });
  };
  const memory = {
    ...recordingMemory(() => undefined),
    load: ({ space, site, index }: Access) =>
      space === 'global' ? elementTag(site.operand, index) : NaN,
    store: (access: Access, tag: number) => {
      if (access.space === 'shared') store(access, tag);
    },
    storeLater: store,
  };
  const program = compile(stagingOf(ir), {
    parameters: parametersOf(problem),
    memory: () => memory,
    arithmetic: tagArithmetic({ multiplied: () => undefined, promoted: () => undefined }),
  });
  const at = blockLookup(plan)({ row: 0, column: 0 }, 0, 0);
  const run = program.run(at, makeThreads(kernel.block, program));
  while (run.next().done !== true);
  return places;
}

/** Returns the IR with only the statements that move A and B to shared memory. */
const stagingOf = (ir: KernelIr): KernelIr => ({ ...ir, body: kept(ir.body, new Set()) });

/** `carriers` are the register arrays that hold elements of A or B on their way. */
function kept(body: readonly Statement[], carriers: Set<string>): readonly Statement[] {
  return body.flatMap((statement): readonly Statement[] => {
    switch (statement.op) {
      case 'for':
        return [{ ...statement, body: kept(statement.body, carriers) }];
      case 'if': {
        const { body: then, otherwise = [] } = statement;
        return [{ ...statement, body: kept(then, carriers), otherwise: kept(otherwise, carriers) }];
      }
      case 'assign': {
        if (!isCarried(statement.value, carriers)) return [];
        if (statement.place.op === 'register') carriers.add(statement.place.name);
        return statement.place.op === 'global' ? [] : [statement];
      }
      case 'let':
      case 'registers':
      case 'barrier':
      case 'commit':
      case 'wait':
        return [statement];
      default:
        return [];
    }
  });
}

function isCarried(value: Value, carriers: ReadonlySet<string>): boolean {
  switch (value.op) {
    case 'global':
      return value.site.operand === 'a' || value.site.operand === 'b';
    case 'register':
      return carriers.has(value.name);
    case 'quadBroadcast':
    case 'shuffleXor':
    case 'guarded':
    case 'broadcast':
    case 'convert':
      return isCarried(value.value, carriers);
    case 'lanes':
      return value.values.some(each => isCarried(each, carriers));
    default:
      return false;
  }
}
