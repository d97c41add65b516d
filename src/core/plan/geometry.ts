/** Threads, grid and shared tiles of a schedule: plain arithmetic, legal or not. */
import { DTYPE_BYTES } from '../spec/dtype';
import { spanElements, type ResolvedOperand, type ResolvedSpec } from '../spec/resolved';
import type { Plan, SharedTile, ThreadMap } from './plan';

export type Geometry = Pick<
  Plan,
  | 'tile'
  | 'thread'
  | 'threadMap'
  | 'threads'
  | 'block'
  | 'grid'
  | 'guards'
  | 'shared'
  | 'sharedBytes'
  | 'wideOffsets'
  | 'registersEstimate'
>;

const ceilDiv = (a: number, b: number): number => Math.ceil(a / b);

/** Registers a thread spends on addresses, sizes and loop counters before any result: seen with nvcc 13 over the ladder. */
const REGISTERS_OVERHEAD = 24;

export function geometryOf(spec: ResolvedSpec): Geometry {
  const { problem, schedule } = spec;
  const tile = { m: schedule.block?.m ?? 1, n: schedule.block?.n ?? 1, k: schedule.block?.k ?? 0 };
  const thread = { m: schedule.thread?.m ?? 1, n: schedule.thread?.n ?? 1 };
  const columnsOfThreads = ceilDiv(tile.n, thread.n);
  const rowsOfThreads = ceilDiv(tile.m, thread.m);
  const threads = rowsOfThreads * columnsOfThreads;
  const threadMap = threadMapOf(spec);
  const tiles = { m: ceilDiv(problem.m, tile.m), n: ceilDiv(problem.n, tile.n) };
  const staged = tile.k > 0;
  const shared = staged
    ? {
        a: sharedTile(problem.a, tile.m, tile.k, schedule.padding?.a ?? 0),
        b: sharedTile(problem.b, tile.k, tile.n, schedule.padding?.b ?? 0),
      }
    : undefined;
  return {
    tile,
    thread,
    threadMap,
    threads,
    block:
      threadMap === 'linear'
        ? { x: threads, y: 1, z: 1 }
        : threadMap === 'x-rows'
          ? { x: rowsOfThreads, y: columnsOfThreads, z: 1 }
          : { x: columnsOfThreads, y: rowsOfThreads, z: 1 },
    grid:
      threadMap === 'x-rows' ? { x: tiles.m, y: tiles.n, z: 1 } : { x: tiles.n, y: tiles.m, z: 1 },
    guards: {
      m: problem.m % tile.m !== 0,
      n: problem.n % tile.n !== 0,
      k: staged && problem.k % tile.k !== 0,
    },
    ...(shared === undefined ? {} : { shared }),
    sharedBytes: shared === undefined ? 0 : shared.a.bytes + shared.b.bytes,
    wideOffsets: (['a', 'b', 'c'] as const).some(name => spanElements(problem, name) > 2 ** 31 - 1),
    registersEstimate: registersEstimate(spec, thread),
  };
}

function threadMapOf({ schedule }: ResolvedSpec): ThreadMap {
  const { algorithm, variant } = schedule;
  if (algorithm === 'naive' || variant === 'transposed') return 'x-rows';
  if (variant === 'swap' || variant === '2d') return 'x-columns';
  return 'linear';
}

function sharedTile(
  operand: ResolvedOperand,
  rows: number,
  columns: number,
  padding: number,
): SharedTile {
  const [outer, inner] = operand.layout === 'row' ? [rows, columns] : [columns, rows];
  return { outer, inner, padding, bytes: outer * (inner + padding) * DTYPE_BYTES[operand.dtype] };
}

function registersEstimate(spec: ResolvedSpec, thread: { m: number; n: number }): number {
  const perElement = DTYPE_BYTES[spec.problem.accumulator] === 8 ? 2 : 1;
  const results = thread.m * thread.n;
  const fragments = results === 1 ? 2 : thread.m + thread.n;
  return REGISTERS_OVERHEAD + perElement * (results + fragments);
}
