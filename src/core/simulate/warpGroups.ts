/**
 * The declared model of `wgmma`, run on values: tiles in the order of clusters, boxes of TMA with their swizzle and zeros,
 * what descriptors make the instruction read of them, sums in f32 as its lanes hold them, and the way to C.
 */
import type { DeclaredKernel } from '../emit/kernel';
import { DTYPE_BYTES } from '../spec/dtype';
import { extent } from '../spec/resolved';
import { roundTo } from '../spec/rounding';
import { blockTiles, type BlockTile } from '../wgmma/tileOrder';
import { placesOf, sumPlace, type Places } from '../wgmma/layouts';
import type { Matrices } from './memory';
import type { Executed } from './execute';
import type { Finding } from './memory';

/** Yields after each tile of a block. */
export function* runModel(kernel: DeclaredKernel, matrices: Matrices): Generator<Executed> {
  const findings: Finding[] = [];
  const run = tileRunner(kernel, matrices, findings);
  const { x: blocks } = kernel.grid;
  for (let block = 0; block < blocks; block++) {
    for (const tile of blockTiles(kernel, block)) {
      run(tile);
      yield { blocks: block, findings };
      if (findings.length > 0) return;
    }
  }
  yield { blocks, findings };
}

/** An operand as TMA sees it. */
interface Source {
  /** Element at x along the contiguous index and y across it; zero outside. */
  readonly at: (x: number, y: number, product: number) => number;
  readonly places: Places;
  /** A stage's elements, by place. */
  readonly shared: Float64Array;
}

function sourceOf(kernel: DeclaredKernel, operand: 'a' | 'b', matrices: Matrices): Source {
  const { problem, model, plan } = kernel;
  const { layout, dtype, ld, batchStride } = problem[operand];
  const { rows, columns } = extent(problem, operand);
  const [height, width] = layout === 'row' ? [rows, columns] : [columns, rows];
  const bytes = DTYPE_BYTES[dtype];
  const { relaid } = plan.wgmma?.[operand] ?? {};
  const data = relaid === undefined ? matrices[operand] : matrices.workspace;
  const first = (relaid?.offsetBytes ?? 0) / bytes;
  const pitch = relaid?.ld ?? ld;
  const stride = relaid?.batchStride ?? batchStride;
  const side = operand === 'a' ? model.tile.m : model.tile.n;
  const places = placesOf(model.loads[operand], { side, depth: model.tile.k, bytes });
  return {
    at: (x, y, product) =>
      x < width && y < height ? (data[first + product * stride + y * pitch + x] ?? NaN) : 0,
    places,
    shared: new Float64Array(side * model.tile.k),
  };
}

function tileRunner(
  kernel: DeclaredKernel,
  matrices: Matrices,
  findings: Finding[],
): (tile: BlockTile) => void {
  const { problem, model } = kernel;
  const { m: BM, n: BN, k: BK } = model.tile;
  const a = sourceOf(kernel, 'a', matrices);
  const b = sourceOf(kernel, 'b', matrices);
  const tiles = { a: new Float64Array(BM * BK), b: new Float64Array(BN * BK) };
  const bring = (
    operand: 'a' | 'b',
    { at, places, shared }: Source,
    tile: BlockTile,
    k: number,
  ) => {
    // Nothing of the tile before may be read again.
    shared.fill(NaN);
    const first = operand === 'a' ? tile.m : tile.n;
    for (const { side, depth, place } of places.written) {
      const [x, y] = places.deep ? [k + depth, first + side] : [first + side, k + depth];
      shared[place] = at(x, y, tile.product);
    }
    for (let i = 0; i < places.read.length; i++)
      tiles[operand][i] = shared[places.read[i] ?? -1] ?? NaN;
    if (findings.length === 0 && tiles[operand].some(Number.isNaN)) {
      const message = `The instruction reads a place of the tile of ${operand.toUpperCase()} that no box wrote.`;
      findings.push({ kind: 'uninitialised', message });
    }
  };
  const sums = new Float32Array(BM * BN);
  return tile => {
    sums.fill(0);
    for (let k = 0; k < problem.k; k += BK) {
      bring('a', a, tile, k);
      bring('b', b, tile, k);
      multiply(sums, tiles, model);
    }
    store(kernel, matrices, sums, tile);
  };
}

/** Depth after depth of the instruction, whose products are added to a sum and rounded together. */
function multiply(
  sums: Float32Array,
  tiles: Readonly<Record<'a' | 'b', Float64Array>>,
  { tile, shape }: DeclaredKernel['model'],
): void {
  for (let depth = 0; depth < tile.k; depth += shape.k) {
    for (let m = 0; m < tile.m; m++) {
      for (let n = 0; n < tile.n; n++) {
        let sum = sums[m * tile.n + n] ?? NaN;
        for (let k = depth; k < depth + shape.k; k++) {
          sum += (tiles.a[m * tile.k + k] ?? NaN) * (tiles.b[n * tile.k + k] ?? NaN);
        }
        sums[m * tile.n + n] = sum;
      }
    }
  }
}

/** Each thread of a consumer stores what it holds, inside of C alone. */
function store(
  { problem, model }: DeclaredKernel,
  { c }: Matrices,
  sums: Float32Array,
  tile: BlockTile,
): void {
  const { alpha, beta } = problem;
  const { n: BN } = model.tile;
  for (let part = 0; part < model.tile.m; part += model.shape.m) {
    for (let thread = 0; thread < 128; thread++) {
      for (let register = 0; register < BN / 2; register++) {
        const place = sumPlace(thread, register);
        const [row, column] = [tile.m + part + place.row, tile.n + place.column];
        if (row >= problem.m || column >= problem.n) continue;
        const at = tile.product * problem.c.batchStride + row * problem.c.ld + column;
        const sum = Math.fround(
          Math.fround(alpha) * (sums[(part + place.row) * BN + place.column] ?? NaN),
        );
        const old = beta === 0 ? 0 : Math.fround(beta) * (c[at] ?? NaN);
        c[at] = roundTo(problem.c.dtype, Math.fround(sum + old));
      }
    }
  }
}
