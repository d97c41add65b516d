/**
 * Each element of C has one accumulator per split-K slice and one final writer: those of the
 * simulator.
 */
import assert from 'node:assert/strict';
import { drawnKernels } from '../../../scripts/grid/draws';
import { FRAGMENT_SEEDS, GEMV_SEEDS, LATER_SEEDS, MATRIX_SEEDS } from '../../../scripts/grid/specs';
import { resolve } from '../../../src/core/defaults/resolve';
import { emit } from '../../../src/core/kernel/emit';
import { parametersOf } from '../../../src/core/kernel/ir/arguments';
import {
  isLowered,
  launchesOf,
  type DeclaredKernel,
  type Kernel,
  type KernelLaunch,
  type LoweredKernel,
} from '../../../src/core/kernel/kernel';
import { GROUP_ROWS } from '../../../src/core/plan/wgmma/wgmmaUnits';
import { producersOf } from '../../../src/core/plan/wgmma/specialization';
import { accumulatorPlace } from '../../../src/core/kernel/wgmma/layouts';
import { plan } from '../../../src/core/plan/planner';
import { computed } from '../../../src/core/kernel/wgmma/model';
import { blockTiles } from '../../../src/core/kernel/wgmma/tileOrder';
import { extent } from '../../../src/core/spec/resolved';
import { compile } from '../../../src/core/simulate/compile';
import { blocksOf } from '../../../src/core/simulate/execute';
import { makeThreads } from '../../../src/core/simulate/threads';
import { blockStores } from '../../../src/core/trace/blockStores';
import type { Element, Owners } from '../../../src/core/trace/owner';
import { ownersOf } from '../../../src/core/trace/owners';
import { recordingMemory } from '../../../src/core/trace/recordingMemory';
import { tileAround } from '../../../src/core/trace/tileOfC';
import type { Dim3 } from '../../../src/core/plan/plan';
import { sampleOf } from '../../helpers/depth';
import { declaredFor, WARP_GROUP_SPECS, warpGroups } from '../../helpers/warpGroupSpecs';

interface Store {
  readonly operand: string;
  readonly index: number;
  readonly thread: number;
}

/** Executes one block of a launch as it is, and returns its stores to global memory. */
function simulatedStores(launch: KernelLaunch, kernel: Kernel, at: Dim3): readonly Store[] {
  const stores: Store[] = [];
  const memory = recordingMemory(({ op, site, index, thread }) => {
    if (op === 'store') stores.push({ operand: site.operand, index, thread: thread.index });
  });
  const bindings = { parameters: parametersOf(kernel.problem), memory: () => memory };
  const program = compile(launch.ir, bindings);
  const run = program.run(at, makeThreads(launch.block, program));
  while (run.next().done !== true);
  return stores;
}

/** Element indices of C, for all batch entries. */
function elementsOfC({ problem }: Kernel): readonly number[] {
  const { c, batch } = problem;
  const { rows, columns } = extent(problem, 'c');
  const [outer, inner] = c.layout === 'row' ? [rows, columns] : [columns, rows];
  return Array.from({ length: batch }, (_, entry) =>
    Array.from({ length: outer }, (__, i) =>
      Array.from({ length: inner }, (___, j) => entry * c.batchStride + i * c.ld + j),
    ),
  ).flat(2);
}

function checkOwners(kernel: LoweredKernel): void {
  const owners = new Map<number, number>();
  for (const at of blocksOf(kernel.grid)) {
    const { stores, operand } = blockStores(kernel, at);
    const simulated = simulatedStores(kernel, kernel, at);
    assert.deepEqual(
      stores.map(({ index, storer }) => ({ operand, index, thread: storer })),
      simulated,
      kernel.fileName,
    );
    const accumulators = new Set(stores.map(({ accumulator, slot }) => `${accumulator} ${slot}`));
    assert.equal(accumulators.size, stores.length, 'an accumulator is stored twice');
    assert.ok(stores.every(({ accumulator }) => accumulator < kernel.plan.threads));
    for (const { index } of stores) owners.set(index, (owners.get(index) ?? 0) + 1);
  }
  const slices = kernel.plan.split?.slices ?? 1;
  const reduced = kernel.plan.split?.reduction === 'two-pass';
  const elements = elementsOfC(kernel);
  if (reduced) {
    assert.equal(owners.size, elements.length * slices, kernel.fileName);
    assert.ok([...owners.values()].every(count => count === 1));
    return;
  }
  assert.deepEqual(
    [...owners.keys()].sort((a, b) => a - b),
    elements.toSorted((a, b) => a - b),
  );
  for (const count of owners.values()) assert.equal(count, slices, kernel.fileName);
}

/** Writers of the last launch by element index: block and thread. */
function finalWriters(kernel: LoweredKernel): ReadonlyMap<number, string> {
  const last = launchesOf<KernelLaunch>(kernel).at(-1) ?? kernel;
  const writers = new Map<number, string>();
  for (const at of blocksOf(last.grid))
    for (const { operand, index, thread } of simulatedStores(last, kernel, at)) {
      if (operand !== 'c') continue;
      // Atomic additions of split-K: the order of the slices is not defined.
      const isFirst = !writers.has(index) || kernel.plan.split?.reduction === 'atomic';
      assert.ok(isFirst, `C[${index}] is written twice: ${kernel.fileName}`);
      writers.set(index, `${last.entry} ${at.x} ${at.y} ${at.z} ${thread}`);
    }
  return writers;
}

/** The corners and elements in between, of all batch entries. */
function someElements({ problem: { m, n, batch } }: Kernel): readonly Element[] {
  const across = (size: number): readonly number[] =>
    [...new Set([0, 1, Math.floor(size / 3), Math.floor((2 * size) / 3), size - 1])].filter(
      at => at < size,
    );
  return Array.from({ length: batch }, (_, entry) =>
    across(m).flatMap(row => across(n).map(column => ({ entry, row, column }))),
  ).flat();
}

/** The picture of a tile shows the accumulating thread of each of its elements. */
function checkThreads(kernel: Kernel, element: Element): void {
  const { ownerOf, threadsOf } = ownersOf(kernel);
  const tile = tileAround(kernel, element);
  const threads = threadsOf(tile);
  assert.equal(threads.length, tile.rows * tile.columns);
  const [first] = ownerOf(element).accumulators;
  const at = (element.row - tile.row) * tile.columns + element.column - tile.column;
  assert.equal(threads[at], first?.thread ?? (first?.warp ?? NaN) * 32, kernel.fileName);
}

function checkFinalWriters(kernel: LoweredKernel): void {
  const writers = finalWriters(kernel);
  assert.deepEqual(
    [...writers.keys()].sort((a, b) => a - b),
    elementsOfC(kernel).toSorted((a, b) => a - b),
  );
  const { ownerOf } = ownersOf(kernel);
  const { c } = kernel.problem;
  for (const element of someElements(kernel)) {
    const { entry, row, column } = element;
    const [outer, inner] = c.layout === 'row' ? [row, column] : [column, row];
    const { writer, accumulators } = ownerOf(element);
    const { block: at } = writer;
    assert.equal(
      `${writer.kernel} ${at.x} ${at.y} ${at.z} ${writer.thread}`,
      writers.get(entry * c.batchStride + outer * c.ld + inner),
      `${kernel.fileName} ${JSON.stringify(element)}`,
    );
    assert.ok(writer.line !== null && writer.line > 1, kernel.fileName);
    checkThreads(kernel, element);
    assert.equal(accumulators.length, kernel.plan.split?.slices ?? 1);
    const distinct = new Set(accumulators.map(({ block: { x, y, z } }) => `${x} ${y} ${z}`));
    assert.equal(distinct.size, accumulators.length, 'each slice has its own block');
  }
}

const KINDS = {
  'SIMT kernels in CUDA': { target: 'cuda', from: 0, kinds: 6, share: 0.35 },
  'SIMT kernels in WGSL': { target: 'wgsl', from: 0, kinds: 6, share: 0.35 },
  'register tiles': { target: 'cuda', from: LATER_SEEDS, kinds: 1, share: 0.05 },
  'subgroup matrices': { target: 'wgsl', from: MATRIX_SEEDS, kinds: 1, share: 0.1 },
  'mma fragments': { target: 'cuda', from: FRAGMENT_SEEDS, kinds: 1, share: 0.15 },
  'matrix-vector products': { target: 'cuda', from: GEMV_SEEDS, kinds: 1, share: 0.1 },
} as const;

describe('owners of elements', () => {
  for (const [name, { target, from, kinds, share }] of Object.entries(KINDS))
    it(`are one accumulator per slice and one writer, as in the simulator: ${name}`, function () {
      this.timeout(900_000);
      const count = Math.ceil(share * sampleOf(2000, 20));
      const algorithms = new Set<string>();
      let checked = 0;
      for (const { kernel } of drawnKernels(target, from, { everyAdapter: false })) {
        if (checked === count) break;
        if (!isLowered(kernel)) continue;
        checked++;
        algorithms.add(kernel.plan.algorithm);
        checkOwners(kernel);
        checkFinalWriters(kernel);
      }
      assert.equal(checked, count);
      assert.ok(algorithms.size >= kinds, [...algorithms].join());
    });

  it('exist in mma kernels with FP32 emulation', () => {
    const planned = plan(
      resolve({
        problem: { m: 128, n: 64, k: 64 },
        schedule: { algorithm: 'mma', split: 'bf16x3' },
      }),
      'cuda',
    );
    assert.ok(planned.ok, JSON.stringify(planned));
    const kernel = emit(planned.plan);
    assert.ok(isLowered(kernel));
    checkOwners(kernel);
    checkFinalWriters(kernel);
  });

  it('counts the threads along K of gemv', () => {
    const planned = plan(
      resolve({
        problem: { m: 1, n: 64, k: 512, b: { layout: 'col' } },
        schedule: {
          algorithm: 'gemv',
          block: { m: 1, n: 4, k: 256 },
          thread: { m: 1, n: 1, k: 8 },
        },
        targets: ['cuda'],
      }),
      'cuda',
    );
    assert.ok(planned.ok, JSON.stringify(planned));
    const { ownerOf } = ownersOf(emit(planned.plan));
    const { accumulators } = ownerOf({ entry: 0, row: 0, column: 5 });
    assert.deepEqual(
      accumulators.map(({ block, threadsAlongK }) => [block.x, threadsAlongK]),
      [[1, 32]],
    );
  });
});

/** Threads of the consumers hold the accumulators, as the simulator stores them. */
function checkWarpGroups(kernel: DeclaredKernel): void {
  const { model } = kernel;
  const { problem } = computed(model, { problem: kernel.problem, of: { a: null, b: null } });
  const { ownerOf } = ownersOf(kernel);
  const numTiles = { seen: 0 };
  for (let block = 0; block < kernel.grid.x; block++) {
    for (const [turn, tile] of [...blockTiles({ problem, model }, block)].entries()) {
      if (numTiles.seen++ % 7 !== 0) continue;
      for (const thread of [0, 5, 37, 127])
        for (const register of [0, 3, model.tile.n / 2 - 1]) {
          const { row, column } = accumulatorPlace(thread, register);
          const part = model.tile.m - GROUP_ROWS;
          const [m, n] = [tile.m + part + row, tile.n + column];
          if (m >= problem.m || n >= problem.n) continue;
          const [r, c] = model.operandOrder === 'ab' ? [m, n] : [n, m];
          const { accumulators, writer } = ownerOf({ entry: tile.product, row: r, column: c });
          assert.equal(accumulators.length, model.twoPass?.slices ?? model.splitK);
          const isReduced = model.twoPass !== undefined;
          assert.equal(writer.kernel, isReduced ? `${kernel.entry}_reduce` : kernel.entry);
          const first = accumulators[tile.slice];
          assert.ok(first !== undefined);
          assert.deepEqual([first.block.x, first.turn], [block, turn], kernel.fileName);
          assert.equal(first.thread === null ? null : first.thread % 128, thread);
          assert.match(first.register, new RegExp(`\\[${register}\\]$`));
          const consumer = Math.floor((first.thread ?? 0) / 128) - producersOf(model);
          assert.ok(consumer >= 0 && consumer < model.consumers, kernel.fileName);
          if (model.kernelSchedule === 'pingpong') assert.equal(consumer, turn % 2);
          else assert.equal(consumer, Math.floor(part / model.rowsPerConsumer));
        }
    }
  }
  assert.ok(numTiles.seen > 0);
}

/**
 * Returns the lane that stores last at each index of C, for one staged box row of a tile: the loop
 * over boxes and lanes of `storeTile` (shaders/cuda/wgmma/output.cuh).
 */
function storingLanes(from: number, rowInBox: number, of: Staged): ReadonlyMap<number, number> {
  const rowLanes = of.columns / 2;
  const lanes = new Map<number, number>();
  for (let box = 0; box < Math.ceil(of.tileN / of.columns); box++) {
    const first = Math.min(box * of.columns, of.tileN - of.columns);
    const inside = Math.min(of.columns, of.inRow - first);
    for (let pair = 0; pair < rowLanes; pair++) {
      const lane = (rowInBox % (32 / rowLanes)) * rowLanes + pair;
      const n = pair * 2 + ((from + first) % 2);
      const stored = [n, n + 1, ...(n === 1 ? [0] : [])].filter(column => column < inside);
      for (const column of stored) lanes.set(from + first + column, lane);
    }
  }
  return lanes;
}

interface Staged {
  readonly columns: number;
  readonly tileN: number;
  /** Columns of the tile that are inside C. */
  readonly inRow: number;
}

describe('writers of staged rows', () => {
  for (const [n, tileN, columns] of [
    [203, 128, 64],
    [203, 96, 64],
    [101, 40, 32],
    [262, 64, 64],
  ] as const)
    it(`are the lanes that store pairs at even indices: ${n} columns, tiles of ${tileN}`, () => {
      const problem = {
        m: 70,
        n,
        k: 64,
        a: { dtype: 'bf16' },
        b: { dtype: 'bf16', layout: 'col' },
      } as const;
      const schedule = { block: { m: 64, n: tileN } };
      const kernel = declaredFor(warpGroups(problem, schedule));
      assert.equal(kernel.model.output.by, 'threads');
      const { ownerOf } = ownersOf(kernel);
      for (const row of [0, 1, 2, 17, 63, 69])
        for (let tile = 0; tile < n; tile += tileN) {
          const inRow = Math.min(tileN, n - tile);
          const lanes = storingLanes(row * n + tile, row % 16, { columns, tileN, inRow });
          assert.equal(lanes.size, inRow);
          for (const [index, lane] of lanes) {
            const { writer, accumulators } = ownerOf({ entry: 0, row, column: index - row * n });
            assert.ok(writer.thread !== null);
            assert.equal(writer.thread % 32, lane, `${row}, ${index - row * n}`);
            assert.equal(Math.floor(writer.thread / 32), accumulators[0]?.warp);
          }
        }
    });
});

describe('writers of staged columns', () => {
  for (const [n, tileM] of [
    [203, 128],
    [203, 72],
    [101, 40],
  ] as const)
    it(`are the lanes of the warp that stores the column: ${n} columns, tiles of ${tileM} rows`, () => {
      const problem = {
        m: 150,
        n,
        k: 64,
        a: { dtype: 'bf16' },
        b: { dtype: 'bf16', layout: 'col' },
      } as const;
      const schedule = { operandOrder: 'ba', block: { m: tileM, n: 64 } } as const;
      const kernel = declaredFor(warpGroups(problem, schedule));
      const { output } = kernel.model;
      assert.ok(output.by === 'threads');
      const { ownerOf } = ownersOf(kernel);
      for (const row of [0, 1, 39, tileM - 1, tileM, 149])
        for (let tile = 0; tile < n; tile += 64) {
          // The last box that has the row of C, which is a column of the computed C.
          const inTile: number = row % tileM;
          const lastBox: number = tileM - output.columns;
          const inBox: number = inTile >= lastBox ? inTile - lastBox : inTile % output.columns;
          const shift = (row * n + tile) % 2;
          for (let at = 0; at < Math.min(64, n - tile); at++) {
            const { writer, accumulators } = ownerOf({ entry: 0, row, column: tile + at });
            assert.ok(writer.thread !== null);
            const lane = at < shift ? 0 : Math.floor((at - shift) / 2);
            assert.equal(writer.thread % 32, lane, `${row}, ${tile + at}`);
            const [held] = accumulators;
            assert.equal(Math.floor(writer.thread / 32) % 4, inBox % 4);
            assert.equal(Math.floor(writer.thread / 128), Math.floor((held?.warp ?? 0) / 4));
          }
        }
    });
});

/** Block and tile of the accumulators of an element. */
function placeOf(owners: Owners, element: Omit<Element, 'entry'>): string {
  const [first] = owners.ownerOf({ entry: 0, ...element }).accumulators;
  assert.ok(first !== undefined);
  return `${first.block.x} ${first.turn}`;
}

describe('the block tile around an element', () => {
  for (const [name, spec] of Object.entries(WARP_GROUP_SPECS))
    it(`has the elements of one tile of one block, and no element beyond: ${name}`, () => {
      const kernel = declaredFor(spec);
      const owners = ownersOf(kernel);
      const { m, n } = kernel.problem;
      const { rows, columns } = tileAround(kernel, { entry: 0, row: 0, column: 0 });
      const own = placeOf(owners, { row: 0, column: 0 });
      assert.equal(placeOf(owners, { row: rows - 1, column: columns - 1 }), own);
      if (rows < m) assert.notEqual(placeOf(owners, { row: rows, column: 0 }), own);
      if (columns < n) assert.notEqual(placeOf(owners, { row: 0, column: columns }), own);
    });
});

describe('owners of elements of warp groups', () => {
  for (const [name, spec] of Object.entries(WARP_GROUP_SPECS))
    it(`are the consumer threads that the simulator stores from: ${name}`, () => {
      checkWarpGroups(declaredFor(spec));
    });
});
