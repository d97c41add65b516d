/** `wgmma`: defaults, both sides of its limits, and how C is stored. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { plan, planIfLegal } from '../../../../src/core/plan/planner';
import { isTransposedBox } from '../../../../src/core/plan/wgmma/wgmmaOutput';
import { check } from '../../../../src/core/defaults/check';
import { resolve } from '../../../../src/core/defaults/resolve';
import type { GemmSpec, Schedule } from '../../../../src/core/spec/schema';
import { violationFailures } from '../../../../scripts/grid/properties';
import { broken, planOf, specOf, type Problem } from '../../../helpers/warpGroupPlans';
import { warpGroupSpecs } from '../../../helpers/warpGroupSpecs';
import { runs } from '../../../helpers/depth';

describe('a spec that names wgmma alone', () => {
  const told = (problem: Problem, schedule: Schedule = {}): string => {
    const { tile, wgmma } = planOf(specOf(schedule, problem));
    const { kernelSchedule, consumers, cluster, stages, raster } = wgmma;
    return `${tile.m}x${tile.n} s${stages} ${kernelSchedule} ${consumers} c${cluster.m}x${cluster.n} ${raster.order}${raster.group}`;
  };
  const cube = (m: number, n = m, k = m) => ({ m, n, k });

  it('gets what was fastest on an H200: tiles whose last wave is full, pairs of blocks where C is huge', () => {
    const defaults = [
      cube(1024),
      cube(2048),
      cube(4096),
      cube(6144),
      cube(8192),
      cube(16_384),
      cube(2048, 14_336, 4096),
      cube(256, 8192, 8192),
      cube(128, 28_672, 4096),
    ].map(problem => told(problem));
    assert.deepEqual(defaults, [
      '128x64 s8 pingpong 2 c1x1 row16',
      '128x128 s6 pingpong 2 c1x1 row16',
      '128x128 s6 pingpong 2 c1x1 row16',
      '128x192 s5 pingpong 2 c1x1 row16',
      '128x192 s5 pingpong 2 c1x1 row16',
      '256x192 s3 cooperative 2 c1x2 row8',
      '128x160 s5 pingpong 2 c1x1 row16',
      '128x128 s6 pingpong 2 c1x1 row16',
      '128x112 s7 pingpong 2 c1x1 row16',
    ]);
  });

  it('gets one consumer, and a block for each multiprocessor, where rows are few', () => {
    assert.equal(told(cube(64, 28_672, 8192)), '64x224 s6 cooperative 1 c1x1 row32');
    assert.equal(told(cube(16, 14_336, 4096)), '64x112 s8 cooperative 1 c1x1 row32');
    assert.equal(told(cube(1, 4096, 4096)), '64x32 s8 cooperative 1 c1x1 row32');
    assert.equal(told(cube(64), { kernelSchedule: 'pingpong' }), '64x32 s8 pingpong 2 c1x1 row32');
  });

  it('keeps what is given, and has the rest fit it', () => {
    assert.match(told(cube(8192), { consumers: 3 }), /^192x128 s5 cooperative 3/);
    assert.match(
      told(cube(16_384), { consumers: 2, kernelSchedule: 'cooperative' }),
      /^128x160 s5 cooperative 2 c1x1/,
    );
    assert.match(told(cube(16_384), { stages: 5 }), /^128x160 s5 pingpong/);
    assert.match(told(cube(8192), { block: { n: 96 } }), /^128x96/);
    assert.match(told(cube(8192), { cluster: { m: 2, n: 1 } }), / c2x1 row8$/);
  });

  it('is legal for any size, layout and type that wgmma has', () => {
    const sizes = [1, 5, 33, 64, 65, 100, 129, 257, 1000, 4097, 12_289];
    for (const m of sizes) {
      for (const n of sizes) {
        const problem = { m, n, k: 100, c: { ld: n } };
        planOf(specOf({}, problem));
        planOf(specOf({}, { ...problem, b: { layout: 'row' } }));
        planOf(specOf({}, { ...problem, a: { dtype: 'e4m3' } }));
        planOf(specOf({ split: 'bf16x6' }, { ...problem, a: { dtype: 'f32' } }));
      }
    }
  });

  it('shares tiles that are too large for one consumer, with as many as they have rows for', () => {
    const groups = (m: number, n: number) => {
      const { wgmma } = planOf(specOf({ block: { m, n } }));
      return [wgmma.kernelSchedule, wgmma.consumers, wgmma.rowsPerConsumer];
    };
    assert.deepEqual(groups(128, 256), ['cooperative', 2, 64]);
    assert.deepEqual(groups(256, 128), ['cooperative', 2, 128]);
    assert.deepEqual(groups(192, 128), ['cooperative', 3, 64]);
  });

  it('is for CUDA alone', () => {
    assert.deepEqual(check(specOf()).legal, ['cuda']);
  });
});

describe('wgmma: both sides of every limit', () => {
  it('devices and targets', () => {
    assert.deepEqual(broken(specOf({}, {}, 'a100-80gb')), ['device', 'device', 'h200']);
    const wgsl = plan(resolve(specOf()), 'wgsl');
    assert.ok(!wgsl.ok);
    assert.deepEqual(
      wgsl.violations.map(({ path }) => path),
      ['schedule'],
    );
  });

  it('types', () => {
    for (const dtype of ['bf16', 'f16', 'tf32', 'e4m3', 'e5m2'] as const)
      planOf(specOf({}, { a: { dtype } }));
    assert.deepEqual(broken(specOf({}, { a: { dtype: 'f32' } })), [
      'matrix-type',
      'schedule.split',
      'bf16x6',
    ]);
    planOf(specOf({ split: 'tf32x3' }, { a: { dtype: 'f32' } }));
    assert.deepEqual(broken(specOf({ split: 'tf32x3' })), ['matrix-type', 'schedule.split', null]);
    assert.deepEqual(broken(specOf({}, { accumulator: 'f16', a: { dtype: 'f16' } })), [
      'matrix-type',
      'problem.accumulator',
      'f32',
    ]);
    assert.deepEqual(broken(specOf({}, { b: { dtype: 'f16', layout: 'col' } })), [
      'matrix-type',
      'problem.b.dtype',
      'bf16',
    ]);
  });

  it('layouts', () => {
    planOf(specOf({}, { a: { dtype: 'f16', layout: 'col' }, b: { layout: 'row' } }));
    for (const dtype of ['tf32', 'e4m3', 'e5m2'] as const) {
      planOf(specOf({}, { a: { dtype, layout: 'col' }, b: { layout: 'row' } }));
    }
    planOf(specOf({ split: 'tf32x3' }, { a: { dtype: 'f32', layout: 'col' }, b: {} }));
    for (const operandOrder of ['ab', 'ba'] as const) {
      for (const layout of ['row', 'col'] as const) {
        const { wgmma } = planOf(specOf({ operandOrder }, { c: { layout } }));
        const isRows = (operandOrder === 'ab') === (layout === 'row');
        const { output } = wgmma;
        assert.ok(output.by === 'tma');
        assert.deepEqual(output.box, isRows ? [64, 16] : [64, 64]);
        assert.equal(isTransposedBox(output), !isRows);
      }
    }
  });

  it('tiles', () => {
    const block = (of: object): Schedule => ({ block: { m: 128, n: 128, ...of } });
    for (const k of [32, 64]) planOf(specOf(block({ k })));
    assert.deepEqual(broken(specOf(block({ k: 48 }))), ['wgmma-tile', 'schedule.block.k', 64]);
    for (const n of [8, 96, 256]) planOf(specOf({ ...block({ n }) }));
    assert.deepEqual(broken(specOf(block({ n: 100 }))), ['wgmma-tile', 'schedule.block.n', 104]);
    const turned: Problem = { b: { layout: 'row' } };
    planOf(specOf(block({ n: 96 }), turned));
    assert.deepEqual(broken(specOf(block({ n: 104 }), turned)), [
      'wgmma-tile',
      'schedule.block.n',
      96,
    ]);
    // A copy that is transposed has no panels.
    planOf(specOf(block({ n: 104, k: 32 }), { ...turned, a: { dtype: 'tf32' } }));
    assert.deepEqual(broken(specOf({ ...block({ m: 96 }), stages: 2 })), [
      'wgmma-tile',
      'schedule.block.m',
      128,
    ]);
    const sums = { kernelSchedule: 'cooperative', consumers: 2, stages: 2 } as const;
    planOf(specOf({ block: { m: 256, n: 192 }, ...sums }));
    assert.deepEqual(broken(specOf({ block: { m: 256, n: 200 }, ...sums })), [
      'accumulators',
      'schedule.block.n',
      192,
    ]);
    planOf(specOf({ block: { m: 192, n: 192 }, consumers: 3 }));
    assert.deepEqual(broken(specOf({ block: { m: 192, n: 200 }, consumers: 3 })), [
      'accumulators',
      'schedule.block.n',
      192,
    ]);
    assert.deepEqual(broken(specOf({ block: { m: 384, n: 96 }, consumers: 3, stages: 2 })), [
      'tma-box',
      'schedule.block.m',
      192,
    ]);
  });

  it('sums of pieces, in a cluster and alone', () => {
    const pieces = (m: number): GemmSpec =>
      specOf({ split: 'bf16x6', block: { n: 192 }, cluster: { m, n: 1 } }, { a: { dtype: 'f32' } });
    planOf(pieces(1));
    assert.deepEqual(broken(pieces(2)), ['accumulators', 'schedule.block.n', 160]);
  });

  it('sums that are stored as columns, and of parts of K', () => {
    const two = { kernelSchedule: 'cooperative', consumers: 2, stages: 2 } as const;
    const three = { kernelSchedule: 'cooperative', consumers: 3, stages: 2 } as const;
    const tooMany = (n: number): readonly unknown[] => ['accumulators', 'schedule.block.n', n];
    const columns = (n: number, dtype: 'bf16' | 'f32', beta = 0): GemmSpec =>
      specOf(
        { block: { m: 256, n }, ...two, operandOrder: 'ab' },
        { c: { dtype, layout: 'col' }, beta },
      );
    planOf(columns(176, 'f32'));
    assert.deepEqual(broken(columns(184, 'f32')), tooMany(176));
    // TMA stores of staged boxes need few addresses.
    for (const beta of [0, 1]) {
      planOf(columns(192, 'bf16', beta));
      assert.deepEqual(broken(columns(200, 'bf16', beta)), tooMany(192));
    }
    const parts = (m: number, n: number, of: Schedule): GemmSpec =>
      specOf({ block: { m, n }, ...of, splitK: 2 }, { k: 512 });
    planOf(parts(256, 128, { ...two, stages: 3 }));
    assert.deepEqual(broken(parts(256, 144, { ...two, stages: 3 })), tooMany(128));
    planOf(parts(192, 160, { ...three, stages: 3 }));
    assert.deepEqual(broken(parts(192, 176, { ...three, stages: 3 })), tooMany(160));
  });

  it('registers: what the producer gives back, as consumers store', () => {
    const registersOf = (schedule: Schedule, problem: Problem = {}) =>
      planOf(specOf(schedule, problem)).wgmma.registers;
    const large = {
      block: { m: 256, n: 192 },
      consumers: 2,
      kernelSchedule: 'cooperative',
    } as const;
    assert.deepEqual(registersOf(large), { producer: 40, consumer: 232 });
    const inF32: Problem = { c: { dtype: 'f32' } };
    assert.deepEqual(registersOf(large, inF32), { producer: 40, consumer: 232 });
    // Panels that blocks share want more of the producer, where C is not stored by TMA.
    const panels: Problem = { a: { dtype: 'bf16', layout: 'col' }, b: { layout: 'row' } };
    const pair = { ...large, cluster: { m: 1, n: 2 } } as const;
    assert.deepEqual(registersOf(pair, panels), { producer: 40, consumer: 232 });
    assert.deepEqual(registersOf(pair, { ...panels, ...inF32 }), { producer: 56, consumer: 224 });
    assert.deepEqual(registersOf(pair, inF32), { producer: 40, consumer: 232 });
    assert.deepEqual(registersOf({ block: { m: 192, n: 192 }, consumers: 3 }), {
      producer: 56,
      consumer: 152,
    });
  });

  it('parts of K', () => {
    const cooperative = { kernelSchedule: 'cooperative', consumers: 2 } as const;
    const parts = (splitK: number, more: object = {}): GemmSpec =>
      specOf({ block: { m: 128, n: 128 }, ...cooperative, splitK, ...more }, { k: 256 });
    planOf(parts(4));
    assert.deepEqual(broken(parts(5)), ['split-k', 'schedule.splitK', 4]);
    planOf(parts(3));
    planOf(parts(4, { cluster: { m: 2, n: 1 } }));
    const crowded = broken(parts(4, { cluster: { m: 2, n: 2 } }));
    assert.deepEqual(crowded, ['split-k', 'schedule.splitK', 2]);
    const turns = broken(parts(2, { kernelSchedule: 'pingpong' }));
    assert.deepEqual(turns, ['split-k', 'schedule.splitK', 1]);
    planOf(parts(2, { block: { m: 128, n: 256 }, stages: 3 }));
    const shallow = broken(parts(2, { block: { m: 128, n: 256 }, stages: 2 }));
    assert.deepEqual(shallow, ['split-k', 'schedule.stages', 3]);
  });

  it('consumers, stages and shared memory', () => {
    planOf(specOf({ kernelSchedule: 'pingpong', consumers: 2 }));
    assert.deepEqual(broken(specOf({ kernelSchedule: 'pingpong', consumers: 1 })), [
      'consumers',
      'schedule.consumers',
      2,
    ]);
    const block = { m: 64, n: 64 };
    for (const stages of [2, 8]) planOf(specOf({ block, stages }));
    assert.deepEqual(broken(specOf({ block, stages: 1 })), ['stages', 'schedule.stages', 2]);
    const narrow = {
      block: { m: 64, n: 16 },
      consumers: 1,
      kernelSchedule: 'cooperative',
    } as const;
    planOf(specOf({ ...narrow, stages: 16 }));
    assert.deepEqual(broken(specOf({ ...narrow, stages: 17 })), ['stages', 'schedule.stages', 16]);
    const both = plan(resolve(specOf({ block: { m: 128, n: 128 }, stages: 17 })), 'cuda');
    assert.ok(!both.ok);
    assert.deepEqual(
      both.violations.map(({ rule, nearest }) => [rule, nearest]),
      [
        ['stages', 6],
        ['shared-memory', 6],
      ],
    );
    const wide = { m: 128, n: 256 };
    assert.equal(planOf(specOf({ block: wide, stages: 4 })).sharedBytes, 229_440);
    assert.deepEqual(broken(specOf({ block: wide, stages: 5 })), [
      'shared-memory',
      'schedule.stages',
      4,
    ]);
  });

  it('clusters', () => {
    const of = (m: number, n: number): Schedule => ({
      block: { m: 128, n: 128 },
      cluster: { m, n },
    });
    for (const [m, n] of [
      [8, 1],
      [1, 8],
      [2, 4],
    ] as const)
      planOf(specOf(of(m, n)));
    assert.deepEqual(broken(specOf(of(4, 4))), ['cluster', 'schedule.cluster', { m: 4, n: 2 }]);
    assert.deepEqual(broken(specOf({ block: { m: 128, n: 192 }, cluster: { m: 3, n: 1 } })), [
      'cluster',
      'schedule.cluster',
      { m: 2, n: 1 },
    ]);
    assert.deepEqual(broken(specOf({ block: { m: 128, n: 160 }, cluster: { m: 8, n: 1 } })), [
      'cluster-share',
      'schedule.cluster',
      { m: 4, n: 1 },
    ]);
  });

  it('the instruction, where it is named', () => {
    const block = { m: 128, n: 128 };
    planOf(specOf({ block, mma: { m: 64, n: 128, k: 16 } }));
    assert.deepEqual(broken(specOf({ block, mma: { m: 64, n: 64, k: 16 } })), [
      'matrix-shape',
      'schedule.mma',
      { m: 64, n: 128, k: 16 },
    ]);
  });

  it('of drawn specs each violation heals, and a legal plan is the same without words', () => {
    fc.assert(
      fc.property(warpGroupSpecs, spec => {
        assert.deepEqual(violationFailures(spec, 'cuda'), []);
        const resolved = resolve(spec);
        const found = plan(resolved, 'cuda');
        assert.deepEqual(planIfLegal(resolved, 'cuda'), found.ok ? found.plan : null);
      }),
      { ...runs(400) },
    );
  });
});

describe('C', () => {
  it('is stored by TMA where it has 16 bits and its rows are aligned', () => {
    const by = (problem: Problem) => planOf(specOf({}, problem)).wgmma.output.by;
    assert.equal(by({}), 'tma');
    assert.equal(by({ c: { dtype: 'f32' } }), 'registers');
    assert.equal(by({ beta: 1 }), 'tma');
    assert.equal(by({ n: 1032, c: { ld: 1040 } }), 'tma');
    // TMA would write the sixteen bytes that the last element is in.
    assert.equal(by({ n: 1025, c: { ld: 1032 } }), 'threads');
    assert.equal(by({ c: { ld: 1025 } }), 'threads');
  });

  it('is staged for rows that TMA cannot store, if shared memory has space for the boxes', () => {
    const problem = { n: 1025, c: { ld: 1025 } };
    const planned = (stages: number) =>
      planOf(specOf({ block: { m: 128, n: 128 }, stages }, problem)).wgmma;
    const [most, fewer] = [planned(7), planned(6)];
    assert.deepEqual(most.output, { by: 'registers' });
    assert.deepEqual(fewer.output, {
      by: 'threads',
      columns: 64,
      box: [64, 16],
      swizzleBytes: 128,
      bytes: 16_384,
    });
    assert.equal(planOf(specOf({ block: { m: 128, n: 128 } }, problem)).wgmma.stages, 6);
    const by = (schedule: Schedule, more: Problem = {}) =>
      planOf(specOf(schedule, { ...problem, ...more })).wgmma.output.by;
    assert.equal(by({}, { beta: 1 }), 'registers');
    assert.equal(by({}, { c: { dtype: 'f32', ld: 1025 } }), 'registers');
    assert.equal(by({ splitK: 2 }), 'registers');
    assert.equal(by({ block: { n: 24 } }), 'registers');
  });
});
