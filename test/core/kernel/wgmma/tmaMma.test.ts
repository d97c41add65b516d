/** `mma` with `kernelSchedule` `tma`: tiles loaded by TMA, multiplied with `mma.sync`. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { resolve } from '../../../../src/core/defaults/resolve';
import { predictedSchedules } from '../../../../src/core/defaults/wgmma/wgmmaChoice';
import { fragmentMaps } from '../../../../src/core/charts/fragmentMap';
import { pipelinePicture } from '../../../../src/core/charts/pipelinePicture';
import { tileLevels } from '../../../../src/core/charts/tileMap';
import { deviceOf } from '../../../../src/core/hardware/devices';
import { nestOfPlan } from '../../../../src/core/nests/nestOfPlan';
import { nestText } from '../../../../src/core/nests/text';
import { plan } from '../../../../src/core/plan/planner';
import { sharedTrafficBytes } from '../../../../src/core/plan/traffic';
import { analyze } from '../../../../src/core/report/analyze';
import { tensorRungs } from '../../../../src/core/search/ladder/tensorRungs';
import { warpGroupSchedules } from '../../../../src/core/search/rank/wgmmaSpace';
import { defaultSpace } from '../../../../src/core/search/tune/space';
import { simulateBackend } from '../../../../src/core/simulate/backend';
import type { GemmSpec, Schedule } from '../../../../src/core/spec/schema';
import { ownersOf } from '../../../../src/core/trace/owners';
import { violationFailures } from '../../../../scripts/grid/properties';
import { CONTEXT } from '../../../helpers/context';
import { isEnough, runs } from '../../../helpers/depth';
import { broken, planOf } from '../../../helpers/warpGroupPlans';
import { declaredFor, tmaMma, tmaMmaSpecs } from '../../../helpers/warpGroupSpecs';

const problem = { m: 1024, n: 1024, k: 1024, a: { dtype: 'bf16' }, b: { layout: 'col' } } as const;
const specOf = (schedule: Schedule = {}, more: Partial<GemmSpec['problem']> = {}): GemmSpec =>
  tmaMma({ ...problem, ...more }, { block: { m: 128, n: 128 }, ...schedule });

/** Messages of all violations. */
function messages(spec: GemmSpec, target: 'cuda' | 'wgsl' = 'cuda'): readonly string[] {
  const found = plan(resolve(spec), target);
  return found.ok ? [] : found.violations.map(({ message }) => message);
}

describe('an mma kernel whose tiles TMA loads', () => {
  it('computes what it should, for drawn specs of every type and layout', async function () {
    this.timeout(120_000);
    let legal = 0;
    await fc.assert(
      fc.asyncProperty(tmaMmaSpecs, async spec => {
        if (!plan(resolve(spec), 'cuda').ok) return;
        const runnable = declaredFor(spec);
        assert.equal(runnable.entry, 'gemm_mma');
        const run = await simulateBackend.run({ runnable, mode: 'verify', seed: 3 }, CONTEXT);
        assert.equal(run.outcome, 'correct', `${run.message ?? ''} ${JSON.stringify(spec)}`);
        const { m, n } = runnable.problem;
        const [first] = ownersOf(runnable).ownerOf({
          entry: 0,
          row: m - 1,
          column: n - 1,
        }).accumulators;
        assert.ok(first !== undefined && first.thread !== null && first.thread < 128);
        legal++;
      }),
      { ...runs(120), seed: 11 },
    );
    assert.ok(isEnough(legal, 60), `${legal}`);
  });

  it('refills a stage after a proxy fence and a barrier that follow its fragment loads', () => {
    const { source } = declaredFor(specOf());
    const body = source.slice(source.indexOf('for (int iteration = 0;'));
    const places = [
      'waitBarrier(full',
      'loadA(fragmentsA',
      'loadB(fragmentsB',
      'mma(&acc',
      'fenceAsyncProxy()',
      '__syncthreads()',
      'load(next, stage)',
    ];
    const found = places.map(text => body.indexOf(text));
    assert.ok(
      found.every((at, i) => at > (found[i - 1] ?? 0)),
      found.join(' '),
    );
    for (const absent of ['wgmma', 'WGMMA', 'empty', 'setmaxnreg', 'matrixDescriptor'])
      assert.ok(!source.slice(0, source.indexOf('// Spec key')).includes(absent), absent);
  });

  it('transposes fragments of operands whose K is not contiguous', () => {
    const transposed = (spec: GemmSpec): number =>
      declaredFor(spec).source.split('ldmatrix4Transposed(frag').length - 1;
    assert.equal(transposed(specOf()), 0);
    assert.equal(transposed(specOf({}, { b: { layout: 'row' } })), 1);
    assert.equal(transposed(specOf({}, { a: { dtype: 'f16', layout: 'col' }, b: {} })), 2);
  });

  it('leaves shared memory and registers for a second block per SM', () => {
    const { occupancy, prediction, notes } = analyze(declaredFor(specOf()), { device: 'h200' });
    assert.equal(occupancy?.blocksPerSm, 2);
    assert.equal(prediction, null);
    assert.ok(notes.some(({ text }) => text.startsWith('No time is predicted for kernelSchedule')));
    assert.equal(pipelinePicture(planOf(specOf()), deviceOf('h200')), null);
  });

  it('reads B from shared memory once per warp, where wgmma reads it once per 64 rows', () => {
    const [ofMma, ofWgmma] = (['mma', 'wgmma'] as const).map(algorithm =>
      sharedTrafficBytes(planOf(specOf({ algorithm, consumers: 1 }))),
    );
    // 8 x 8 tiles, K = 1024, 128 columns of 2 bytes: 4 warps instead of 2 instructions.
    assert.equal((ofMma ?? 0) - (ofWgmma ?? 0), 64 * 1024 * 128 * 2 * (4 - 2));
  });
});

describe('the tiles of mma with TMA', () => {
  it('have one warp per 16 of every 64 rows, and instructions of 16 x 8', () => {
    const levels = tileLevels(planOf(specOf()));
    assert.deepEqual(
      levels.map(({ name, m, n, k }) => [name, m, n, k]),
      [
        ['grid', 1024, 1024, 1024],
        ['block', 128, 128, 64],
        ['warp', 16, 128, 64],
        ['instruction', 16, 8, 16],
        ['thread', 4, 32, 1],
      ],
    );
    const found = nestOfPlan(planOf(specOf()));
    assert.ok('nest' in found);
    assert.equal(
      nestText(found.nest),
      'i:128@grid j:128@grid k:64+shared i:16@block k:16 i:64 j:8 i@mma j@mma k@mma',
    );
  });

  it('have the fragments of the instruction, transposed with swapped operands', () => {
    const of = (schedule: Schedule) =>
      fragmentMaps(planOf(specOf(schedule))).map(({ matrix, rows, columns, registers }) => [
        matrix,
        rows,
        columns,
        registers,
      ]);
    assert.deepEqual(of({}), [
      ['A', 16, 16, 4],
      ['B', 16, 8, 2],
      ['C', 16, 8, 4],
    ]);
    assert.deepEqual(of({ operandOrder: 'ba' }), [
      ['A', 8, 16, 2],
      ['B', 16, 16, 4],
      ['C', 8, 16, 4],
    ]);
    const [a, , c] = fragmentMaps(planOf(specOf({ operandOrder: 'ba' })));
    const [, b, plain] = fragmentMaps(planOf(specOf()));
    assert.deepEqual(a?.holders[3]?.[5], b?.holders[5]?.[3]);
    assert.deepEqual(c?.holders[7]?.[12], plain?.holders[12]?.[7]);
  });
});

describe('the limits of mma with TMA', () => {
  it('are one warp group, one block per cluster and one slice', () => {
    planOf(specOf({ consumers: 1, cluster: { m: 1, n: 1 }, splitK: 1 }));
    const two = specOf({ consumers: 2, block: { m: 128, n: 64 } });
    assert.deepEqual(broken(two), ['consumers', 'schedule.consumers', 1]);
    assert.deepEqual(messages(two), [
      'With kernelSchedule tma, one warp group loads and multiplies: consumers must be 1, not 2. Fix: set consumers to 1, or use wgmma with kernelSchedule cooperative.',
    ]);
    const pair = specOf({ cluster: { m: 1, n: 2 } });
    assert.deepEqual(broken(pair), ['cluster', 'schedule.cluster', { m: 1, n: 1 }]);
    assert.deepEqual(broken(specOf({ splitK: 2 })), ['split-k', 'schedule.splitK', 1]);
  });

  it('are bf16, f16 and tf32 with f32 accumulation, and no FP32 emulation', () => {
    for (const dtype of ['bf16', 'f16', 'tf32'] as const)
      planOf(tmaMma({ ...problem, a: { dtype } }));
    const fp8 = tmaMma({ ...problem, a: { dtype: 'e4m3' } });
    assert.deepEqual(broken(fp8), ['matrix-type', 'problem.a.dtype', 'bf16']);
    assert.deepEqual(messages(fp8), [
      'mma with kernelSchedule tma supports bf16, f16, tf32, not e4m3.',
    ]);
    const f32 = tmaMma({ ...problem, a: { dtype: 'f32' } });
    assert.deepEqual(broken(f32), ['matrix-type', 'problem.a.dtype', 'tf32']);
    const half = tmaMma({ ...problem, a: { dtype: 'f16' }, accumulator: 'f16' });
    assert.equal(broken(half)[1], 'problem.accumulator');
    const emulated = tmaMma(
      { ...problem, a: { dtype: 'f32' } },
      { split: 'bf16x3', block: { m: 64, n: 64 } },
    );
    assert.deepEqual(broken(emulated), [
      'fp32-emulation',
      'schedule',
      { algorithm: 'mma', split: 'bf16x3' },
    ]);
  });

  it('are multiples of 16 columns, 64 or 128 rows, 192 accumulators and the instruction', () => {
    planOf(specOf({ block: { m: 64, n: 16 } }));
    assert.deepEqual(broken(specOf({ block: { m: 64, n: 24 } })).slice(0, 2), [
      'wgmma-tile',
      'schedule.block.n',
    ]);
    assert.deepEqual(messages(specOf({ block: { m: 64, n: 24 } })), [
      'mma with kernelSchedule tma supports multiples of 16 columns, up to 256; block.n is 24.',
    ]);
    planOf(specOf({ block: { m: 128, n: 192 }, stages: 2 }));
    assert.equal(broken(specOf({ block: { m: 128, n: 208 }, stages: 2 }))[0], 'accumulators');
    assert.equal(broken(specOf({ block: { m: 192, n: 64 } }))[1], 'schedule.block.m');
    planOf(specOf({ mma: { m: 16, n: 8, k: 16 } }));
    assert.deepEqual(broken(specOf({ mma: { m: 16, n: 8, k: 8 } })), [
      'matrix-shape',
      'schedule.mma',
      { m: 16, n: 8, k: 16 },
    ]);
  });

  it('are a Hopper GPU, CUDA, and the fields of warp groups', () => {
    assert.deepEqual(messages({ ...specOf(), device: 'a100-sxm-80gb' }), [
      'mma with kernelSchedule tma requires compute capability 9.0 (Hopper); NVIDIA A100 SXM 80GB has 8.0.',
    ]);
    assert.deepEqual(messages(specOf(), 'wgsl'), ['WGSL has no TMA. Fix: remove kernelSchedule.']);
    assert.deepEqual(messages(specOf({ warp: { m: 64 } })), [
      'mma with kernelSchedule tma does not use the field warp.m.',
    ]);
    assert.deepEqual(
      messages({ problem, schedule: { algorithm: 'mma', kernelSchedule: 'cooperative' } }),
      ['mma supports the kernelSchedule tma, not cooperative.'],
    );
  });

  it('are named in violations whose nearest values repair the spec', () => {
    fc.assert(
      fc.property(
        tmaMmaSpecs,
        fc.record({
          consumers: fc.constantFrom(1, 2, 3),
          splitK: fc.constantFrom(1, 2),
          cluster: fc.constantFrom({ m: 1, n: 1 }, { m: 2, n: 1 }),
          stages: fc.constantFrom(1, 2, 16),
        }),
        fc.constantFrom('bf16', 'f16', 'e5m2', 's8', 'f64'),
        ({ problem: of, schedule }, more, dtype) => {
          const types = { a: { ...of.a, dtype }, b: { ...of.b, dtype } };
          for (const changed of [of, { ...of, ...types }])
            assert.deepEqual(
              violationFailures(tmaMma(changed, { ...schedule, ...more }), 'cuda'),
              [],
            );
        },
      ),
      runs(400),
    );
  });
});

describe('mma with TMA', () => {
  it('is no candidate of defaults and of tune', () => {
    const spec = resolve({ problem, device: 'h200', targets: ['cuda'] });
    const onAmpere = resolve({ problem, device: 'a100-sxm-80gb', targets: ['cuda'] });
    const scheduled = [
      spec.schedule,
      onAmpere.schedule,
      ...predictedSchedules(spec.problem, 'h200', 50).map(({ schedule }) => schedule),
      ...warpGroupSchedules(spec),
      ...defaultSpace(onAmpere, 'cuda').walk(),
    ];
    assert.ok(scheduled.length > 100);
    assert.ok(scheduled.every(({ kernelSchedule }) => kernelSchedule !== 'tma'));
  });

  it('is a rung between mma and wgmma on Hopper, for its types', () => {
    const of = (dtype: 'bf16' | 'tf32' | 'e4m3', device: string) =>
      tensorRungs(dtype, device).map(
        ({ algorithm, schedule }) => `${algorithm} ${schedule.kernelSchedule ?? ''}`,
      );
    for (const dtype of ['bf16', 'tf32'] as const) {
      const rungs = of(dtype, 'h200');
      const at = rungs.indexOf('mma tma');
      assert.deepEqual(
        [rungs[at - 1], rungs[at + 1], rungs.lastIndexOf('mma tma')],
        ['mma ', 'wgmma tma', at],
      );
    }
    assert.ok(!of('e4m3', 'h200').includes('mma tma'));
    assert.ok(!of('bf16', 'a100-sxm-80gb').includes('mma tma'));
  });
});
