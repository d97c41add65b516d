/** Owners in kernels that are printed from loop IR. */
import { WARP_LANES } from '../hardware/warp';
import type { LoweredKernel } from '../kernel/kernel';
import { statementLines } from '../kernel/print/statementLines';
import type { Dim3 } from '../plan/plan';
import { blockLookup } from './blockAt';
import { blockStores, type BlockStores, type OwnedStore } from './blockStores';
import type { Accumulator, Element, Owners } from './owner';
import { reductionWriter } from './reductionWriter';
import { tileAround, type TileOfC } from './tileOfC';

/** Tiles of equal extent have the same stores, relative to their origin. */
interface TileStores extends Pick<BlockStores, 'nameOf'> {
  /** By row and column in the tile, row-major. */
  readonly stores: readonly OwnedStore[];
}

export function loweredOwners(kernel: LoweredKernel): Owners {
  const { plan } = kernel;
  const slices = plan.split?.slices ?? 1;
  const blockAt = blockLookup(plan);
  const blockOf = ({ entry, row, column }: Element, slice: number): Dim3 =>
    blockAt(
      { row: Math.floor(row / plan.tile.m), column: Math.floor(column / plan.tile.n) },
      entry,
      slice,
    );
  const known = new Map<string, TileStores>();
  const storesOf = (tile: TileOfC): TileStores => {
    const key = `${tile.rows} ${tile.columns}`;
    const found = known.get(key) ?? storesOfTile(kernel, tile, blockOf(tile, 0));
    known.set(key, found);
    return found;
  };
  let lines: ReturnType<typeof statementLines> | undefined;
  return {
    ownerOf: element => {
      const { row, column } = element;
      const tile = tileAround(kernel, element);
      const { stores, nameOf } = storesOf(tile);
      const store = stores[(row - tile.row) * tile.columns + column - tile.column];
      if (store === undefined) throw new Error(`C(${row}, ${column}) has no owner`);
      lines ??= statementLines(kernel, kernel);
      const [reduction] = kernel.after ?? [];
      return {
        accumulators: Array.from({ length: slices }, (_, slice) =>
          accumulatorOf(kernel, { store, block: blockOf(element, slice), nameOf }),
        ),
        writer:
          reduction === undefined
            ? {
                kernel: kernel.entry,
                block: blockOf(element, slices - 1),
                thread: store.storer,
                line: lines.get(store.statement)?.first ?? null,
              }
            : reductionWriter(kernel, { launch: reduction, problem: kernel.problem }, element),
      };
    },
    threadsOf: tile => Int32Array.from(storesOf(tile).stores, ({ accumulator }) => accumulator),
  };
}

/** Executes the epilogue of slice 0 and sorts its stores by their position in the tile. */
function storesOfTile(kernel: LoweredKernel, tile: TileOfC, block: Dim3): TileStores {
  const { problem, plan } = kernel;
  const { operand, stores, nameOf } = blockStores(kernel, block);
  const { c, m, n } = problem;
  const isRow = c.layout === 'row';
  const slices = plan.split?.slices ?? 1;
  // The workspace holds the partial results of all slices without padding.
  const [first, ld] =
    operand === 'c'
      ? [tile.entry * c.batchStride, c.ld]
      : [tile.entry * slices * m * n, isRow ? n : m];
  const inTile: OwnedStore[] = [];
  for (const store of stores) {
    const [outer, inner] = [Math.floor((store.index - first) / ld), (store.index - first) % ld];
    const [row, column] = isRow ? [outer, inner] : [inner, outer];
    inTile[(row - tile.row) * tile.columns + column - tile.column] = store;
  }
  return { stores: inTile, nameOf };
}

function accumulatorOf(
  { plan }: LoweredKernel,
  { store, block, nameOf }: { store: OwnedStore; block: Dim3; nameOf: BlockStores['nameOf'] },
): Accumulator {
  const { accumulator: thread, slot } = store;
  const isKnown = plan.family !== 'subgroup-matrix';
  const gemv = plan.family === 'simt' ? plan.lanes?.gemv : undefined;
  return {
    block,
    turn: 0,
    warp: Math.floor(thread / WARP_LANES),
    lane: isKnown ? thread % WARP_LANES : null,
    thread: isKnown ? thread : null,
    register: nameOf(slot),
    ...(gemv === undefined ? {} : { threadsAlongK: gemv.threads.k }),
  };
}
