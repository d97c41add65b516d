/**
 * Split-K: what is legal, that it is right, that it says what it costs, and what goes wrong without
 * its parts.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { analyze } from '../../../src/core/report/analyze';
import { emit } from '../../../src/core/kernel/emit';
import { launchesOf, type LoweredKernel, type Launch } from '../../../src/core/kernel/kernel';
import type { KernelIr, Statement } from '../../../src/core/kernel/ir/ir';
import { plan } from '../../../src/core/plan/planner';
import type { Violation } from '../../../src/core/plan/plan';
import { simulateBackend } from '../../../src/core/simulate/backend';
import { execute } from '../../../src/core/simulate/execute';
import { resolve } from '../../../src/core/defaults/resolve';
import { specKey } from '../../../src/core/plan/specKey';
import type { GemmSpec, Schedule, Target } from '../../../src/core/spec/schema';
import { fillMatrix, poisonMatrix } from '../../../src/core/verify/inputs';
import { verifyResult } from '../../../src/core/verify/verify';
import { CONTEXT } from '../../helpers/context';
import { specs } from '../../helpers/specs';
import { loweredOf } from '../../helpers/kernels';
import { isEnough, runs } from '../../helpers/depth';

function kernelOf(spec: GemmSpec, target: Target = 'cuda'): LoweredKernel {
  const planned = plan(resolve(spec), target);
  assert.ok(planned.ok, JSON.stringify(planned));
  return loweredOf(emit(planned.plan));
}

function violationOf(spec: GemmSpec, target: Target = 'cuda'): Violation | undefined {
  const planned = plan(resolve(spec), target);
  if (planned.ok) return undefined;
  assert.equal(planned.violations.length, 1, JSON.stringify(planned.violations));
  return planned.violations[0];
}

const tile = { block: { m: 32, n: 32, k: 8 }, thread: { m: 4, n: 4 } } as const;
const split = (splitK: number, schedule: Schedule = {}): Schedule => ({
  algorithm: 'thread-tile-2d',
  ...tile,
  splitK,
  ...schedule,
});

/** A limit of the workspace that no kernel exceeds. */
const ANY = { workspaceLimitBytes: Number.MAX_SAFE_INTEGER } as const;

describe('split-K: both sides of every limit', () => {
  const legal = (k: number, splitK: number, schedule: Schedule = {}) =>
    violationOf({ problem: { m: 64, n: 64, k }, schedule: split(splitK, schedule) });

  it('requires a k-iteration per slice', () => {
    assert.equal(legal(64, 8), undefined);
    assert.deepEqual([legal(64, 9)?.path, legal(64, 9)?.nearest], ['schedule.splitK', 8]);
    // Five steps in four parts are two each, and leave the fourth nothing.
    assert.equal(legal(40, 3), undefined);
    assert.deepEqual([legal(40, 4)?.rule, legal(40, 4)?.nearest], ['split-k', 3]);
    assert.equal(legal(40, 5), undefined);
    const naive = { algorithm: 'naive', splitK: 7, block: { m: 16, n: 16 } } as const;
    assert.equal(violationOf({ problem: { m: 8, n: 8, k: 7 }, schedule: naive }), undefined);
    assert.equal(violationOf({ problem: { m: 8, n: 8, k: 6 }, schedule: naive })?.nearest, 6);
  });

  it('rejects a reduction without slices as an unused field', () => {
    const given = legal(64, 1, { splitKReduction: 'atomic' });
    assert.deepEqual([given?.rule, given?.path], ['unused-field', 'schedule.splitKReduction']);
    assert.equal(legal(64, 2, { splitKReduction: 'atomic' }), undefined);
  });

  it('rejects atomic addition of floats in WGSL', () => {
    const schedule = split(2, { splitKReduction: 'atomic' });
    const violation = violationOf({ problem: { m: 64, n: 64, k: 64 }, schedule }, 'wgsl');
    assert.deepEqual(
      [violation?.rule, violation?.path, violation?.nearest],
      ['atomic', 'schedule.splitKReduction', 'two-pass'],
    );
  });

  it('requires atomics to use the accumulator type, with support on every GPU', () => {
    const at = (c: 'f16' | 'f32' | 'f64', accumulator: 'f32' | 'f64') => {
      const problem = { m: 64, n: 64, k: 64, c: { dtype: c }, accumulator } as const;
      return violationOf({ problem, schedule: split(2, { splitKReduction: 'atomic' }) })?.message;
    };
    assert.deepEqual([at('f32', 'f32'), at('f64', 'f64')], [undefined, undefined]);
    assert.match(at('f16', 'f32') ?? '', /C is f16/);
    assert.match(at('f32', 'f64') ?? '', /would round f64 to f32/);
  });

  it('limits batch entries times slices by grid.z', () => {
    const at = (batch: number, splitK: number) =>
      violationOf({ problem: { m: 32, n: 32, k: 65536, batch }, schedule: split(splitK) });
    assert.equal(at(65_535, 1), undefined);
    assert.equal(at(8191, 8), undefined);
    assert.deepEqual([at(8192, 8)?.path, at(8192, 8)?.nearest], ['schedule.splitK', 7]);
  });

  it('limits rows of partial results to 31 bits, and elements in WGSL to 32', () => {
    const at = (splitK: number, target: Target) => {
      const schedule = { algorithm: 'naive', block: { m: 8, n: 32 }, splitK } as const;
      return violationOf({ problem: { m: 4096, n: 4096, k: 255 * 256 }, schedule, ...ANY }, target);
    };
    // 4,096 x 4,096 sums of 255 parts are 2^32 - 2^24, of 256 one too many.
    assert.equal(at(255, 'wgsl'), undefined);
    assert.deepEqual([at(256, 'wgsl')?.rule, at(256, 'wgsl')?.nearest], ['workspace', 255]);
    assert.equal(at(256, 'cuda'), undefined);
    const lines = (splitK: number) => {
      const schedule = { algorithm: 'coalesced', block: { m: 32, n: 8 }, splitK } as const;
      return violationOf({ problem: { m: 524_280, n: 8, k: 4096 * 4097 }, schedule, ...ANY });
    };
    // 524,280 rows of 4,096 parts are 2^31 - 32,768 lines.
    assert.equal(lines(4096), undefined);
    assert.deepEqual([lines(4097)?.rule, lines(4097)?.nearest], ['workspace', 4096]);
  });

  it('checks the grid of the reduction kernel', () => {
    const at = (m: number) => {
      const schedule = { algorithm: 'coalesced', block: { m: 32, n: 8 }, splitK: 2 } as const;
      return violationOf({ problem: { m, n: 8, k: 64 }, schedule });
    };
    assert.equal(at(65_535 * 8), undefined);
    assert.deepEqual(
      [at(65_535 * 8 + 1)?.path, at(65_535 * 8 + 1)?.nearest],
      ['problem.m', 524_280],
    );
  });

  it('computes addresses of partial results in 64 bits from 2^31 elements', () => {
    const at = (splitK: number) =>
      kernelOf({ problem: { m: 16_384, n: 16_384, k: 4096 }, schedule: split(splitK), ...ANY });
    const [narrow, wide] = [at(4), at(8)];
    assert.deepEqual([narrow.plan.wideOffsets, wide.plan.wideOffsets], [[], ['workspace']]);
    assert.ok(!narrow.source.includes('size_t'));
    assert.match(wide.source, /workspace\[static_cast<size_t>\(s \* M \+ row\) \* N \+ col\]/);
  });
});

describe('split-K in a file', () => {
  it('has a name, launches in order, and a workspace of slices x M x N partial results', () => {
    const problem = { m: 50, n: 30, k: 100, batch: 2 };
    const kernel = kernelOf({ problem, schedule: split(3) });
    assert.equal(kernel.workspaceBytes, 2 * 3 * 50 * 30 * 4);
    assert.deepEqual(
      launchesOf<Launch>(kernel).map(({ entry, grid }) => [entry, grid.z]),
      [
        ['gemm_thread_tile_2d', 6],
        ['gemm_thread_tile_2d_reduce', 2],
      ],
    );
    const atomic = split(3, { splitKReduction: 'atomic' });
    const scaled = kernelOf({ problem: { ...problem, beta: 2 }, schedule: atomic });
    assert.deepEqual(
      [scaled.workspaceBytes, launchesOf<Launch>(scaled).map(({ entry }) => entry)],
      [undefined, ['gemm_thread_tile_2d_scale', 'gemm_thread_tile_2d']],
    );
    // Sums are added to C as it is.
    const added = kernelOf({ problem: { ...problem, beta: 1 }, schedule: atomic });
    assert.deepEqual(launchesOf<Launch>(added), [added]);
    const keys = [kernel, scaled].map(({ spec }) => specKey(spec));
    assert.match(keys[0] ?? '', /split3/);
    assert.equal(new Set(keys).size, 2);
  });

  it('is correct for every algorithm, any sizes, and K with a partial last slice', async function () {
    this.timeout(120_000);
    let legal = 0;
    await fc.assert(
      fc.asyncProperty(
        specs,
        fc.constantFrom<Target>('cuda', 'wgsl'),
        fc.integer({ min: 2, max: 9 }),
        fc.constantFrom('two-pass' as const, 'atomic' as const),
        async (drawn, target, splitK, splitKReduction) => {
          const schedule = { ...drawn.schedule, splitK, splitKReduction };
          const planned = plan(resolve({ ...drawn, schedule, targets: [target] }), target);
          if (!planned.ok) return;
          legal++;
          const runnable = loweredOf(emit(planned.plan));
          const result = await simulateBackend.run({ runnable, mode: 'verify', seed: 3 }, CONTEXT);
          assert.equal(result.outcome, 'correct', `${runnable.specKey}: ${result.message ?? ''}`);
        },
      ),
      { ...runs(400), seed: 20261122 },
    );
    assert.ok(isEnough(legal, 40), `only ${legal} of 400 drawn specs were legal`);
  });
});

describe('simulate detects split-K bugs', () => {
  const problem = { m: 20, n: 24, k: 60 };

  function outcome(kernel: LoweredKernel): string {
    const { problem: resolved } = kernel;
    const c = resolved.beta === 0 ? poisonMatrix(resolved) : fillMatrix(resolved, 'c', 5);
    const matrices = { a: fillMatrix(resolved, 'a', 5), b: fillMatrix(resolved, 'b', 5), c };
    for (const { findings } of execute(kernel, matrices)) {
      const [first] = findings;
      if (first !== undefined) return first.kind;
    }
    return verifyResult(resolved, 5, c).mismatches === 0 ? 'correct' : 'wrong';
  }

  const rewritten = (ir: KernelIr, rewrite: (statement: Statement) => Statement): KernelIr => {
    const inside = (body: readonly Statement[]): readonly Statement[] =>
      body.map(statement =>
        rewrite(
          statement.op === 'for' || statement.op === 'if'
            ? { ...statement, body: inside(statement.body) }
            : statement,
        ),
      );
    return { ...ir, body: inside(ir.body) };
  };

  const twoPass = kernelOf({ problem, schedule: split(3) });
  const { after, ...withoutSum } = twoPass;
  const atomic = kernelOf({
    problem: { ...problem, beta: -2 },
    schedule: split(3, { splitKReduction: 'atomic' }),
  });
  const { before, ...unscaled } = atomic;

  it('finds nothing in either reduction', () => {
    assert.deepEqual([after?.length, before?.length], [1, 1]);
    assert.deepEqual([outcome(twoPass), outcome(atomic)], ['correct', 'correct']);
  });

  it('a missing reduction or scaling kernel', () => {
    assert.deepEqual([outcome(withoutSum), outcome(unscaled)], ['wrong', 'wrong']);
  });

  it('one slice too few, and one too many', () => {
    const summing = (parts: number): LoweredKernel => ({
      ...twoPass,
      after: (after ?? []).map(launch => ({
        ...launch,
        ir: {
          ...launch.ir,
          constants: launch.ir.constants.map(constant =>
            constant.name === 'SPLIT_K' ? { ...constant, value: parts } : constant,
          ),
        },
      })),
    });
    assert.deepEqual(
      [2, 3, 4].map(parts => outcome(summing(parts))),
      ['wrong', 'correct', 'out-of-bounds'],
    );
  });

  it('a store in place of an atomic addition', () => {
    const plain = rewritten(atomic.ir, statement => {
      if (statement.op !== 'assign' || statement.atomic !== true) return statement;
      const { atomic: without, ...store } = statement;
      assert.ok(without);
      return store;
    });
    assert.equal(outcome({ ...atomic, ir: plain }), 'wrong');
  });

  it('a slice that ends one k-iteration early', () => {
    const short = rewritten(twoPass.ir, statement =>
      statement.op === 'let' && statement.name === 'kEnd'
        ? {
            ...statement,
            value: { op: '-', left: statement.value, right: { op: 'int', value: 8 } },
          }
        : statement,
    );
    assert.equal(outcome({ ...twoPass, ir: short }), 'wrong');
  });
});

describe('traffic of split-K', () => {
  it('counts partial results twice, or C once more per slice', () => {
    const problem = { m: 256, n: 128, k: 4096 };
    const of = (schedule: Schedule) => analyze(kernelOf({ problem, schedule }), { device: 'h200' });
    const whole = of(split(1)).traffic;
    const matrix = 256 * 128 * 4;
    const twoPass = of(split(4));
    assert.equal(twoPass.traffic.l2.value - whole.l2.value, 2 * 4 * matrix);
    assert.equal(twoPass.traffic.shared.value, whole.shared.value);
    assert.equal(twoPass.traffic.dram.value, whole.dram.value);
    const atomic = of(split(4, { splitKReduction: 'atomic' }));
    // Four atomic additions read and write C, a kernel before them sets it to zero; undivided, C is
    // written once.
    assert.equal(atomic.traffic.l2.value - whole.l2.value, (2 * 4 + 1 - 1) * matrix);
    assert.ok(twoPass.notes.some(({ text }) => text.includes('second kernel')));
    assert.ok(atomic.notes.some(({ text }) => text.includes('no fixed order')));
    assert.deepEqual([of(split(1)).waves?.tiles, twoPass.waves?.tiles], [32, 128]);
    assert.deepEqual(
      twoPass.globalMemory.map(({ site, operand }) => [site, operand]),
      [
        ['A tile load', 'a'],
        ['B tile load', 'b'],
        ['workspace store', 'workspace'],
        ['workspace load', 'workspace'],
        ['C store', 'c'],
      ],
    );
  });
});
