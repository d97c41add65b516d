/**
 * Executes the declared model of `wgmma` with actual values: cluster tile order, TMA boxes with
 * swizzle and zero fill, descriptor reads, f32 accumulators in their lanes, and the epilogue. With
 * two-pass split-K, the epilogue stores partial results.
 */
import { GROUP_ROWS } from '../plan/wgmma/wgmmaUnits';
import { isTransposedCopy } from '../plan/wgmma/wgmma';
import { DTYPE_BYTES } from '../types/dtype';
import { elementOperands, gateOf, isActivation, namedOps } from '../spec/epilogue';
import { extent } from '../spec/resolved';
import { activate } from '../types/activations';
import { roundTo } from '../types/rounding';
import type { ResolvedProblem } from '../spec/resolved';
import type { WgmmaModel } from '../kernel/wgmma/model';
import { blockTiles, type BlockTile } from '../kernel/wgmma/tileOrder';
import { placesOf, accumulatorPlace, type Places } from '../kernel/wgmma/layouts';
import type { Matrices } from './memory';
import type { Executed } from './execute';
import type { Finding } from './memory';

export interface Modelled {
  readonly model: WgmmaModel;
  readonly problem: ResolvedProblem;
  /** Thread blocks. */
  readonly grid: { readonly x: number };
}

/** Executes the model block by block; yields after each tile. */
export function* runModel(kernel: Modelled, matrices: ModelMatrices): Generator<Executed> {
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

interface ModelMatrices extends Matrices {
  /** Workspace as partial results of two-pass split-K. */
  readonly partials: Float64Array;
}

interface Source {
  /**
   * Returns the element at x along the contiguous dimension and y along the other dimension; zero
   * outside the matrix.
   */
  readonly at: (x: number, y: number, matrix: number) => number;
  readonly places: Places;
  /** Elements of a pipeline stage by position in shared memory. */
  readonly shared: Float64Array;
}

/** The second B of a gate (`gate`) is loaded as B. */
function sourceOf(kernel: Modelled, of: 'a' | 'b' | 'gate', matrices: Matrices): Source {
  const { problem, model } = kernel;
  const operand = of === 'gate' ? 'b' : of;
  const gate = of === 'gate' ? gateOf(problem) : undefined;
  const { layout, ld, batchStride } = gate ?? problem[operand];
  const { rows, columns } = extent(problem, operand);
  const { repacked } = model.loads[operand];
  const isRow = (layout === 'row') !== isTransposedCopy(model.loads[operand]);
  const [height, width] = isRow ? [rows, columns] : [columns, rows];
  const bytes = DTYPE_BYTES[model.element];
  const own = gate === undefined ? matrices[operand] : (matrices.epilogue?.[gate.name] ?? []);
  const data = repacked === undefined ? own : matrices.workspace;
  const first = (repacked?.offsetBytes ?? 0) / bytes;
  const pitch = repacked?.ld ?? ld;
  const stride = repacked?.batchStride ?? batchStride;
  const side = operand === 'a' ? model.tile.m : model.tile.n;
  const places = placesOf(model.loads[operand], { side, depth: model.tile.k, bytes });
  return {
    at: (x, y, matrix) =>
      x < width && y < height ? (data[first + matrix * stride + y * pitch + x] ?? NaN) : 0,
    places,
    shared: new Float64Array(side * model.tile.k),
  };
}

function tileRunner(
  kernel: Modelled,
  matrices: ModelMatrices,
  findings: Finding[],
): (tile: BlockTile) => void {
  const { problem, model } = kernel;
  const { m: BM, n: BN, k: BK } = model.tile;
  const { splitK, fp32Emulation, twoPass } = model;
  const a = sourceOf(kernel, 'a', matrices);
  const b = sourceOf(kernel, 'b', matrices);
  const second = gateOf(problem) === undefined ? null : sourceOf(kernel, 'gate', matrices);
  const secondSums = new Float32Array(second === null ? 0 : BM * BN);
  const tiles = { a: new Float64Array(BM * BK), b: new Float64Array(BN * BK) };
  const loadTile = (
    operand: 'a' | 'b',
    { at, places, shared }: Source,
    { tile, k, matrix }: { tile: BlockTile; k: number; matrix: number },
  ) => {
    // Poison the elements of the previous tile, so that missing loads are detected.
    shared.fill(NaN);
    const first = operand === 'a' ? tile.m : tile.n;
    for (const { side, depth: instructionK, place } of places.written) {
      const [x, y] = places.deep
        ? [k + instructionK, first + side]
        : [first + side, k + instructionK];
      shared[place] = at(x, y, matrix);
    }
    for (let i = 0; i < places.read.length; i++)
      tiles[operand][i] = shared[places.read[i] ?? -1] ?? NaN;
    if (findings.length === 0 && tiles[operand].some(Number.isNaN)) {
      const message = `The instruction reads an element of the ${operand.toUpperCase()} tile that no TMA box wrote.`;
      findings.push({ kind: 'uninitialized', message });
    }
  };
  const [parts, partial] = [
    Array.from({ length: splitK }, () => new Float32Array(BM * BN)),
    new Float32Array(BM * BN),
  ];
  const steps = Math.ceil(problem.k / BK);
  /** Returns the first k-iteration of a slice. */
  const firstStep = (slice: number): number =>
    twoPass === undefined
      ? Math.floor((steps * slice) / splitK)
      : Math.min(slice * twoPass.iterations, steps);
  const step = (into: Float32Array, tile: BlockTile, k: number, [pieceA, pieceB]: Pair) => {
    const first = tile.product * (fp32Emulation?.count ?? 1);
    loadTile('a', a, { tile, k: k * BK, matrix: first + pieceA });
    loadTile('b', b, { tile, k: k * BK, matrix: first + pieceB });
    multiply(into, tiles, model);
    if (second === null) return;
    loadTile('b', second, { tile, k: k * BK, matrix: first + pieceB });
    multiply(secondSums, tiles, model);
  };
  return tile => {
    for (const [part, sums] of parts.entries()) {
      sums.fill(0);
      secondSums.fill(0);
      const [from, to] = [firstStep(tile.slice + part), firstStep(tile.slice + part + 1)];
      if (fp32Emulation === undefined) {
        for (let k = from; k < to; k++) step(sums, tile, k, [0, 0]);
        continue;
      }
      const all = fp32Emulation.products.flatMap(pair =>
        Array.from({ length: to - from }, (_, i) => ({ pair, k: from + i })),
      );
      for (let run = 0; run < all.length; run += fp32Emulation.promotion) {
        partial.fill(0);
        for (const { pair, k } of all.slice(run, run + fp32Emulation.promotion)) {
          step(partial, tile, k, pair);
        }
        for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? NaN) + (partial[i] ?? NaN);
      }
    }
    store(kernel, matrices, [reduceSlices(parts), secondSums], tile);
  };
}

type Pair = readonly [a: number, b: number];

/** Adds the accumulators of the slices of a tile in ascending order. */
const reduceSlices = ([first = new Float32Array(), ...rest]: readonly Float32Array[]) =>
  rest.length === 0
    ? first
    : first.map((start, i) =>
        rest.reduce((sum, slice) => Math.fround(sum + (slice[i] ?? NaN)), start),
      );

/**
 * Accumulates the products of a tile, one instruction K extent at a time. The products of an
 * instruction are added to the accumulator, and the result is rounded once.
 */
function multiply(
  accumulators: Float32Array,
  tiles: Readonly<Record<'a' | 'b', Float64Array>>,
  { tile, shape }: WgmmaModel,
): void {
  for (let instructionK = 0; instructionK < tile.k; instructionK += shape.k) {
    for (let m = 0; m < tile.m; m++) {
      for (let n = 0; n < tile.n; n++) {
        let sum = accumulators[m * tile.n + n] ?? NaN;
        for (let k = instructionK; k < instructionK + shape.k; k++) {
          sum += (tiles.a[m * tile.k + k] ?? NaN) * (tiles.b[n * tile.k + k] ?? NaN);
        }
        accumulators[m * tile.n + n] = sum;
      }
    }
  }
}

function store(
  { problem, model }: Modelled,
  { c, partials, epilogue = {} }: ModelMatrices,
  [sums, secondSums]: readonly [Float32Array, Float32Array],
  tile: BlockTile,
): void {
  const { alpha, beta } = problem;
  const { twoPass } = model;
  const { n: BN } = model.tile;
  const isRow = problem.c.layout === 'row';
  const applied = epilogueF32(problem, epilogue);
  const gate = gateOf(problem);
  for (let part = 0; part < model.tile.m; part += GROUP_ROWS) {
    for (let thread = 0; thread < 128; thread++) {
      for (let register = 0; register < BN / 2; register++) {
        const place = accumulatorPlace(thread, register);
        const [row, column] = [tile.m + part + place.row, tile.n + place.column];
        if (row >= problem.m || column >= problem.n) continue;
        const [outer, inner] = isRow ? [row, column] : [column, row];
        const held = sums[(part + place.row) * BN + place.column] ?? NaN;
        if (twoPass !== undefined) {
          partials[partialIndex(problem, twoPass, { tile, outer, inner })] = held;
          continue;
        }
        const at = tile.product * problem.c.batchStride + outer * problem.c.ld + inner;
        const scaled = (value: number): number => Math.fround(Math.fround(alpha) * value);
        const other = secondSums[(part + place.row) * BN + place.column] ?? NaN;
        const sum =
          gate === undefined
            ? scaled(held)
            : Math.fround(Math.fround(activate(gate.op.act, scaled(held))) * scaled(other));
        const old = beta === 0 ? 0 : Math.fround(beta) * (c[at] ?? NaN);
        const total = applied({ row, column, product: tile.product }, Math.fround(sum + old));
        c[at] = roundTo(problem.c.dtype, total);
      }
    }
  }
}

interface ElementOfC {
  readonly row: number;
  readonly column: number;
  /** Batch entry. */
  readonly product: number;
}

/** Returns a function that applies the epilogue in f32, rounded after each operation. */
function epilogueF32(
  problem: ResolvedProblem,
  data: NonNullable<Matrices['epilogue']>,
): (at: ElementOfC, value: number) => number {
  const operands = elementOperands(problem);
  const steps = namedOps(problem.epilogue).map(({ op, operand: name }) => {
    if (isActivation(op))
      return (_: ElementOfC, value: number) => Math.fround(activate(op.op, value));
    const operand = operands.find(each => each.name === name);
    if (operand === undefined) return (_: ElementOfC, value: number) => value;
    const { layout, ld, rows, columns, batchStride } = operand;
    const values = data[operand.name] ?? [];
    return ({ row, column, product }: ElementOfC, value: number): number => {
      const [i, j] = [rows === 1 ? 0 : row, columns === 1 ? 0 : column];
      const at = product * batchStride + (layout === 'row' ? i * ld + j : j * ld + i);
      const right = values[at] ?? NaN;
      return Math.fround(op.op === 'scale' ? value * right : value + right);
    };
  });
  return (at, value) => steps.reduce((held, step) => step(at, held), value);
}

/** Returns the index of a partial result. Slices have no padding and the element order of C. */
function partialIndex(
  { m, n, c }: ResolvedProblem,
  { slices, offsetBytes }: NonNullable<WgmmaModel['twoPass']>,
  at: { readonly tile: BlockTile; readonly outer: number; readonly inner: number },
): number {
  const part = at.tile.product * slices + at.tile.slice;
  const [lines, stride] = c.layout === 'row' ? [m, n] : [n, m];
  return offsetBytes / DTYPE_BYTES.f32 + (part * lines + at.outer) * stride + at.inner;
}
