/** Owners in `wgmma` kernels, from their declared model. */
import { WARP_LANES } from '../hardware/warp';
import { computed } from '../kernel/wgmma/model';
import { clusterTile } from '../kernel/wgmma/tileOrder';
import type { DeclaredKernel } from '../kernel/kernel';
import { reducersOf } from '../plan/wgmma/clusterSplit';
import type { WgmmaOutput } from '../plan/wgmma/wgmmaPlan';
import { clusterSides, tileCount } from '../plan/tileCount';
import { producersOf } from '../plan/wgmma/specialization';
import { GROUP_ROWS } from '../plan/wgmma/wgmmaUnits';
import { isTransposedBox } from '../plan/wgmma/wgmmaOutput';
import type { Accumulator, Element, Owner, Owners } from './owner';
import { reductionWriter } from './reductionWriter';

/** Threads of a warp group. The producer, if there is one, is warp group 0 of a block. */
const GROUP_WARPS = 4;
const GROUP_THREADS = GROUP_WARPS * WARP_LANES;

export function wgmmaOwners(kernel: DeclaredKernel): Owners {
  const { model } = kernel;
  const { tile, cluster, blocks, splitK, output, twoPass } = model;
  const slicesInGrid = twoPass?.slices ?? 1;
  const [reduction] = kernel.after ?? [];
  const { problem } = computed(model, { problem: kernel.problem, of: { a: null, b: null } });
  const { m: rows, n: columns } = tileCount(problem, clusterSides(tile, cluster));
  const orderOf = clusterOrder(rows, columns, model.raster);
  const size = cluster.m * cluster.n * splitK;
  const clusters = blocks / size;
  const { c } = kernel.problem;
  const ownerOf = ({ entry, row, column }: Element): Owner => {
    // Rows and columns of the computed product, which swap-AB exchanges.
    const [m, n] = model.operandOrder === 'ab' ? [row, column] : [column, row];
    const [tileM, tileN] = [Math.floor(m / tile.m), Math.floor(n / tile.n)];
    const order = orderOf(Math.floor(tileM / cluster.m), Math.floor(tileN / cluster.n));
    // Two-pass split-K computes the slices of a tile as separate tiles.
    const indexOf = (slice: number): number =>
      (entry * slicesInGrid + slice) * rows * columns + order;
    const turnOf = (slice: number): number => Math.floor(indexOf(slice) / clusters);
    const rank = (tileM % cluster.m) + (tileN % cluster.n) * cluster.m;
    const inTile = { m: m % tile.m, n: n % tile.n };
    const held = accumulatorIn(model, { ...inTile, turn: turnOf(0) });
    const blockOf = (index: number, slice = 0) => ({
      x: (index % clusters) * size + slice * cluster.m * cluster.n + rank,
      y: 0,
      z: 0,
    });
    if (twoPass !== undefined && reduction !== undefined) {
      return {
        accumulators: Array.from({ length: slicesInGrid }, (_, slice) => ({
          block: blockOf(indexOf(slice)),
          turn: turnOf(slice),
          ...held,
        })),
        writer: reductionWriter(
          kernel,
          { launch: reduction, problem },
          { entry, row: m, column: n },
        ),
      };
    }
    const reducer = Math.floor(inTile.n / (tile.n / reducersOf(tile.n, splitK)));
    return {
      accumulators: Array.from({ length: splitK }, (_, slice) => ({
        block: blockOf(indexOf(0), slice),
        turn: turnOf(0),
        ...held,
      })),
      writer: {
        kernel: kernel.entry,
        block: blockOf(indexOf(0), reducer),
        thread: writerThread(output, {
          held,
          inTile,
          tile,
          index:
            entry * c.batchStride +
            (c.layout === 'row' ? row * c.ld + column : column * c.ld + row),
        }),
        line: null,
      },
    };
  };
  return {
    ownerOf,
    threadsOf: ({ entry, row, column, rows, columns: width }) =>
      Int32Array.from({ length: rows * width }, (_, i) => {
        const element = { entry, row: row + Math.floor(i / width), column: column + (i % width) };
        return ownerOf(element).accumulators[0]?.thread ?? -1;
      }),
  };
}

interface Stored {
  readonly held: Held;
  readonly inTile: { readonly m: number; readonly n: number };
  readonly tile: { readonly n: number };
  /** Index of the element in C. */
  readonly index: number;
}

/**
 * Returns the thread that stores an element, or null if TMA stores it. In a staged box, each lane
 * stores two adjacent elements at an even index of C. Each warp stores the rows of its box of a
 * row-major C, or every fourth column of the box of its warp group.
 */
function writerThread(output: WgmmaOutput, { held, inTile, tile, index }: Stored): number | null {
  if (output.by === 'tma') return null;
  if (output.by === 'registers') return held.thread;
  const { columns, box } = output;
  const lastBox = tile.n - columns;
  const first = inTile.n >= lastBox ? lastBox : inTile.n - (inTile.n % columns);
  const column = inTile.n - first;
  const pairOf = (inLine: number): number =>
    Math.max(0, Math.floor((inLine - ((index - inLine) % 2)) / 2));
  if (isTransposedBox(output)) {
    const firstWarp = held.warp - (held.warp % GROUP_WARPS);
    return (firstWarp + (column % GROUP_WARPS)) * WARP_LANES + pairOf(inTile.m % box[0]);
  }
  const rowLanes = columns / 2;
  const row = inTile.m % (WARP_LANES / rowLanes);
  return held.warp * WARP_LANES + row * rowLanes + pairOf(column);
}

type Held = Pick<Accumulator, 'warp' | 'lane' | 'register'> & { readonly thread: number };

function accumulatorIn(
  model: DeclaredKernel['model'],
  { m, n, turn }: { readonly m: number; readonly n: number; readonly turn: number },
): Held {
  const isPingpong = model.kernelSchedule === 'pingpong';
  const consumer = isPingpong ? turn % model.consumers : Math.floor(m / model.rowsPerConsumer);
  const row = isPingpong ? m : m % model.rowsPerConsumer;
  const instruction = Math.floor(row / GROUP_ROWS);
  const { thread: inGroup, register } = fragmentOf(row % GROUP_ROWS, n);
  const thread = (producersOf(model) + consumer) * GROUP_THREADS + inGroup;
  return {
    thread,
    warp: Math.floor(thread / WARP_LANES),
    lane: thread % WARP_LANES,
    register: `acc[${instruction}][${register}]`,
  };
}

/**
 * Inverts `accumulatorPlace` (kernel/wgmma/layouts.ts): the thread of the warp group and the
 * register of an element.
 */
function fragmentOf(row: number, column: number): { thread: number; register: number } {
  const warp = Math.floor(row / 16);
  const lane = (row % 8) * 4 + Math.floor((column % 8) / 2);
  const register = Math.floor(column / 8) * 4 + (Math.floor(row / 8) % 2) * 2 + (column % 2);
  return { thread: warp * WARP_LANES + lane, register };
}

/**
 * Returns a function from a cluster tile to its position in the raster order (the inverse of
 * clusterTile).
 */
function clusterOrder(
  rows: number,
  columns: number,
  raster: DeclaredKernel['model']['raster'],
): (m: number, n: number) => number {
  const order = new Int32Array(rows * columns);
  for (let index = 0; index < order.length; index++) {
    const [m, n] = clusterTile(index, rows, columns, raster);
    order[m * columns + n] = index;
  }
  return (m, n) => order[m * columns + n] ?? 0;
}
