/** Bytes of the operands of an epilogue, in every figure that counts the bytes of C. */
import assert from 'node:assert/strict';
import { kernelOf as modelled } from '../../../src/core/cost/wgmma/wgmmaKernel';
import { problemKey } from '../../../src/core/charts/rooflineTrail';
import { resolve } from '../../../src/core/defaults/resolve';
import { ladderRates } from '../../../src/core/measure/table';
import { dramTraffic } from '../../../src/core/memory/dramTraffic';
import { memoryLevels } from '../../../src/core/memory/memoryLevels';
import {
  compulsoryBytes,
  epilogueBytes,
  epilogueTileBytes,
  problemBytes,
  requestedBytes,
  uncachedBytes,
} from '../../../src/core/plan/traffic';
import type { WarpGroupPlan } from '../../../src/core/plan/plan';
import { analyze } from '../../../src/core/report/analyze';
import { ratiosOf } from '../../../src/core/roofline/ratios';
import type { EpilogueOps } from '../../../src/core/spec/epilogue';
import { problemName } from '../../../src/core/spec/problemName';
import type { Schedule } from '../../../src/core/spec/schema';
import { cube, H200, legal } from '../../helpers/cudaKernels';

const EPILOGUE: EpilogueOps = [
  { op: 'bias', along: 'n' },
  { op: 'scale', along: 'm' },
  { op: 'residual', layout: 'row' },
  { op: 'gelu' },
];
/** Bytes of EPILOGUE in f32: N elements of bias, M of scale and M x N of the residual. */
const bytesOf = (m: number, n: number, batch = 1): number => 4 * (n + m + batch * m * n);

const TILED: Schedule = {
  algorithm: 'thread-tile-2d',
  block: { m: 64, n: 64, k: 8 },
  thread: { m: 4, n: 4 },
};
const WGMMA: Schedule = { algorithm: 'wgmma', block: { m: 128, n: 128, k: 64 }, stages: 4 };
const bf16 = {
  a: { dtype: 'bf16', layout: 'row' },
  b: { dtype: 'bf16', layout: 'col' },
} as const;

describe('bytes of an epilogue', () => {
  const of = (epilogue: EpilogueOps | undefined, batch = 1) =>
    resolve({
      problem: { m: 96, n: 160, k: 32, batch, ...(epilogue === undefined ? {} : { epilogue }) },
    }).problem;

  it('counts vectors once, and a residual once per batch entry', () => {
    for (const batch of [1, 3]) {
      assert.equal(epilogueBytes(of(EPILOGUE, batch)), bytesOf(96, 160, batch));
    }
  });

  it('counts a scalar as one value, and activations as nothing', () => {
    assert.equal(epilogueBytes(of([{ op: 'scale' }, { op: 'silu' }])), 4);
    assert.equal(epilogueBytes(of([{ op: 'relu' }])), 0);
    assert.equal(epilogueBytes(of(undefined)), 0);
  });

  it('counts the elements of the operands in their own type, without gaps', () => {
    const half: EpilogueOps = [{ op: 'residual', layout: 'row', ld: 200, dtype: 'f16' }];
    assert.equal(epilogueBytes(of(half)), 2 * 96 * 160);
  });

  it('counts the part of each operand that a tile requires', () => {
    assert.equal(epilogueTileBytes(of(EPILOGUE, 3), { m: 64, n: 32 }), bytesOf(64, 32));
    assert.equal(epilogueTileBytes(of(undefined), { m: 64, n: 32 }), 0);
  });

  it('adds them to the compulsory and the textbook bytes of the problem', () => {
    for (const count of [compulsoryBytes, problemBytes]) {
      assert.equal(count(of(EPILOGUE, 2)) - count(of(undefined, 2)), bytesOf(96, 160, 2));
    }
  });
});

describe('figures of a kernel with an epilogue', () => {
  const tiled = (epilogue?: EpilogueOps, extra: Partial<Schedule> = {}) =>
    legal({
      problem: { ...cube(1024), ...(epilogue === undefined ? {} : { epilogue }) },
      schedule: { ...TILED, ...extra },
    });
  const grouped = (epilogue?: EpilogueOps, extra: Partial<Schedule> = {}) =>
    legal({
      problem: { ...cube(1024), ...bf16, ...(epilogue === undefined ? {} : { epilogue }) },
      schedule: { ...WGMMA, ...extra },
      device: 'h200',
    });
  const extra = bytesOf(1024, 1024);

  it('count the operands in the uncached and the requested bytes', () => {
    for (const count of [uncachedBytes, requestedBytes]) {
      assert.equal(count(tiled(EPILOGUE).plan) - count(tiled().plan), extra);
      assert.equal(count(grouped(EPILOGUE).plan) - count(grouped().plan), extra / 2 + 2 * 1024);
    }
  });

  it('count the operands in the DRAM traffic', () => {
    const wave = { blocksInStep: 132, l2Bytes: 50 * 2 ** 20 };
    const [plain, fused] = [tiled(), tiled(EPILOGUE)].map(({ plan }) => dramTraffic(plan, wave));
    assert.ok(plain !== undefined && fused !== undefined);
    assert.ok(Math.abs(fused.bytes - plain.bytes - extra) < 1);
    assert.equal(fused.compulsory - plain.compulsory, extra);
  });

  const levels = (kernel: ReturnType<typeof tiled>) =>
    memoryLevels(kernel, analyze(kernel, { device: 'h200' }), H200);
  const bytes = (kernel: ReturnType<typeof tiled>, level: string): number =>
    levels(kernel).levels.find(one => one.level === level)?.bytes.value ?? NaN;

  it('count at least the operands in each memory level, with the rule', () => {
    for (const kernelOf of [tiled, grouped]) {
      for (const level of ['l2', 'dram']) {
        const added = bytes(kernelOf(EPILOGUE), level) - bytes(kernelOf(), level);
        assert.ok(added >= epilogueBytes(kernelOf(EPILOGUE).problem) - 1, `${level} ${added}`);
      }
      const rules = (kernel: ReturnType<typeof tiled>) =>
        levels(kernel).levels.filter(({ rule }) => rule.endsWith('operands of the epilogue'));
      assert.ok(rules(kernelOf(EPILOGUE)).length >= 2);
      assert.equal(rules(kernelOf()).length, 0);
    }
  });

  it('have the L2 hit rate of A and B without an epilogue', () => {
    for (const kernelOf of [tiled, grouped]) {
      const [plain, fused] = [kernelOf(), kernelOf(EPILOGUE)].map(k => levels(k).l2HitRate);
      assert.ok(plain !== undefined && fused !== undefined);
      assert.ok(Math.abs(plain - fused) < 0.01, `${plain} ${fused}`);
    }
  });

  it('count the operands in the reduction kernel of split-K', () => {
    const split = { splitK: 2, splitKReduction: 'two-pass' } as const;
    const reduced = (epilogue?: EpilogueOps): number =>
      modelled(grouped(epilogue, split).plan as WarpGroupPlan).twoPass?.reducedBytes ?? NaN;
    assert.equal(reduced(EPILOGUE) - reduced(), 2 * (1024 ** 2 + 1024) + 4 * 1024);
  });

  it('take longer in the time model', () => {
    for (const kernelOf of [tiled, grouped]) {
      const time = (kernel: ReturnType<typeof tiled>): number =>
        analyze(kernel, { device: 'h200' }).prediction?.milliseconds.value ?? NaN;
      assert.ok(time(kernelOf(EPILOGUE)) > time(kernelOf()));
      assert.equal(time(kernelOf([{ op: 'relu' }])), time(kernelOf()));
    }
  });

  it('have ratios whose numbers contain the operands', () => {
    const ratios = (epilogue?: EpilogueOps) => {
      const kernel = tiled(epilogue);
      return ratiosOf(kernel.plan, analyze(kernel, { device: 'h200' }).roofline).slice(1);
    };
    for (const { formula, numbers, value } of ratios(EPILOGUE)) {
      assert.match(formula, /the operands of the epilogue count once$/);
      assert.match(numbers, new RegExp(`\\+ ${extra}`));
      assert.ok(value.value > 0);
    }
    for (const { formula } of ratios()) assert.doesNotMatch(formula, /epilogue/);
    const [fused, plain] = [ratios(EPILOGUE), ratios()].map(all => all[0]?.value.value ?? NaN);
    assert.ok((fused ?? NaN) < (plain ?? NaN));
  });
});

describe('a problem with an epilogue', () => {
  const named = (epilogue?: EpilogueOps) =>
    resolve({
      problem: { ...cube(1024), ...(epilogue === undefined ? {} : { epilogue }) },
      device: 'h200',
    });

  it('has the operations in its name', () => {
    assert.equal(
      problemName(named(EPILOGUE).problem),
      '1024 x 1024 x 1024 f32 + bias (N) + scale (M) + residual (row) + gelu',
    );
    assert.equal(
      problemName(named([{ op: 'scale' }]).problem),
      '1024 x 1024 x 1024 f32 + scale (scalar)',
    );
    assert.equal(problemName(named().problem), '1024 x 1024 x 1024 f32');
  });

  it('is not compared with rates that were measured without one', () => {
    assert.notEqual(ladderRates(named(), 'cuda'), null);
    assert.equal(ladderRates(named(EPILOGUE), 'cuda'), null);
  });

  it('has its own trail in the roofline', () => {
    assert.notEqual(problemKey(named(EPILOGUE).problem), problemKey(named().problem));
    assert.notEqual(
      problemKey(named(EPILOGUE).problem),
      problemKey(named([...EPILOGUE].reverse()).problem),
    );
    assert.equal(problemKey(named([]).problem), problemKey(named().problem));
  });
});
