/**
 * What a problem without a schedule may start from: always legal, and the same in the wizard and on
 * the command line.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { devices } from '../../../src/core/hardware/devices';
import {
  algorithmStarts,
  fastestStarts,
  hasStart,
  type PartialSpec,
} from '../../../src/core/search/starts';
import { analyze } from '../../../src/core/report/analyze';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { check } from '../../../src/core/defaults/check';
import { DTYPES } from '../../../src/core/types/dtype';
import { resolve } from '../../../src/core/defaults/resolve';
import { toSpec } from '../../../src/core/spec/toSpec';
import { isEnough, runs } from '../../helpers/depth';

const size = fc.oneof(
  fc.constantFrom(1, 64, 256, 1000, 4096),
  fc.integer({ min: 1, max: 8192 }),
  fc.integer({ min: 1, max: 2 ** 30 }),
);

const open: fc.Arbitrary<PartialSpec> = fc
  .record({
    m: size,
    n: size,
    k: size,
    dtype: fc.constantFrom(...DTYPES),
    device: fc.constantFrom(...devices.map(({ id }) => id)),
  })
  .map(({ m, n, k, dtype, device }) => ({
    version: 1,
    problem: { m, n, k, a: { dtype } },
    device,
  }));

const square = (n: number, dtype: 'f32' | 'f64' | 'bf16', device: string): PartialSpec => ({
  version: 1,
  problem: { m: n, n, k: n, a: { dtype } },
  device,
});

describe('starts', () => {
  it('the fastest known schedule is what check gives a spec without one, it is legal, and its kernel is generated', () => {
    let started = 0;
    fc.assert(
      fc.property(open, spec => {
        const fastest = fastestStarts(spec);
        assert.equal(fastest.length > 0, hasStart(spec));
        assert.equal(check(spec).ok, fastest.length > 0, 'for the command line as for the wizard');
        if (fastest.length > 0) started += 1;
        for (const { resolved, legal, targets, rate, algorithm } of fastest) {
          const report = check({
            ...spec,
            ...(targets === undefined ? {} : { targets: [...targets] }),
            ...(algorithm === undefined ? {} : { schedule: { algorithm } }),
          });
          assert.deepEqual(resolved, report.resolved);
          assert.deepEqual(report.legal, legal);
          assert.ok(legal.length > 0);
          for (const target of legal) {
            const written = resolve({ ...toSpec(resolved), targets: [target] });
            const planned = plan(written, target);
            assert.ok(planned.ok, JSON.stringify(planned));
            assert.ok(emit(planned.plan).source.length > 0);
          }
          assert.ok(rate === null || (rate.value > 0 && rate.unit === 'TFLOP/s'));
        }
        const rates = fastest.map(({ rate }) => rate?.value ?? 0);
        assert.deepEqual(
          rates,
          rates.toSorted((one, other) => other - one),
        );
      }),
      { ...runs(60) },
    );
    assert.ok(isEnough(started, 20), `${started} of 60`);
  }).timeout(120_000);

  it('every algorithm that is listed is legal with its default schedule, and none where nothing is', () => {
    fc.assert(
      fc.property(open, spec => {
        const listed = algorithmStarts(spec);
        for (const { algorithm, legal, resolved } of listed) {
          assert.equal(resolved.schedule.algorithm, algorithm);
          for (const target of legal)
            assert.ok(plan(resolved, target).ok, `${algorithm} ${target}`);
          assert.ok(legal.length > 0);
        }
        assert.ok(
          hasStart(spec) || listed.length === 0,
          'what is listed can be had without a schedule',
        );
      }),
      { ...runs(40) },
    );
  }).timeout(120_000);

  it('lists the simplest algorithm first, and leaves out what the type or the device cannot run', () => {
    const names = (spec: PartialSpec): readonly string[] =>
      algorithmStarts(spec).map(({ algorithm }) => algorithm);
    const f32 = names(square(256, 'f32', 'h200'));
    assert.deepEqual(f32.slice(0, 3), ['naive', 'coalesced', 'shared-tile']);
    assert.ok(!f32.includes('wgmma'), 'which multiplies f32 only as a split product');
    assert.ok(names(square(256, 'bf16', 'h200')).includes('wgmma'));
    assert.ok(!names(square(256, 'bf16', 'a100-sxm-80gb')).includes('wgmma'));
    assert.deepEqual(names(square(256, 'bf16', 'apple-m4')), []);
  });

  it('has the measured rate of the table where this shape was measured, and a prediction elsewhere', () => {
    const ratesOf = (spec: PartialSpec) =>
      fastestStarts(spec).map(({ rate }) => rate?.from ?? null);
    assert.deepEqual(ratesOf(square(4096, 'f32', 'h200')).at(-1), 'measured');
    assert.deepEqual(ratesOf(square(250, 'f32', 'h200')).at(0), 'derived');
    // The rows of another device are no measurement of this one.
    assert.deepEqual(ratesOf(square(4096, 'f32', 'rtx-4090')).at(-1), 'derived');
    assert.deepEqual(ratesOf(square(256, 'f32', 'apple-m4')), [null]);
  });

  it('predicts a rate that was not measured as the page does', () => {
    for (const dtype of ['f32', 'bf16'] as const)
      for (const size of [250, 256, 1000]) {
        const spec = square(size, dtype, 'h200');
        for (const { resolved, rate } of fastestStarts(spec)) {
          if (rate?.from !== 'derived') continue;
          const planned = plan(resolved, 'cuda');
          assert.ok(planned.ok);
          const { prediction } = analyze(emit(planned.plan), { device: 'h200' });
          assert.equal(rate.value, prediction?.tflops.value, `${dtype} ${size}`);
        }
      }
  });

  it('begins with a schedule for CUDA alone where that is faster, the one for both languages second', () => {
    const [first, second] = fastestStarts(square(256, 'f32', 'h200'));
    assert.deepEqual([first?.targets, first?.legal], [['cuda'], ['cuda']]);
    assert.deepEqual([second?.targets, second?.legal], [undefined, ['cuda', 'wgsl']]);
    assert.ok((first?.rate?.value ?? 0) > (second?.rate?.value ?? Infinity));
    assert.equal(first?.resolved.schedule.algorithm, 'pipelined');
  });

  it('predicts the fastest algorithm where no table knows a problem like it, and lists the default behind it', () => {
    const [first, second] = fastestStarts(square(256, 'f64', 'h200'));
    assert.deepEqual([first?.found, second?.found], [null, null]);
    assert.ok(first?.algorithm !== undefined && second?.algorithm === undefined);
    assert.deepEqual(check(square(256, 'f64', 'h200')).resolved, second?.resolved);
  });

  it('lists the prediction of the chooser for a type of tensor cores', () => {
    const [first, ...others] = fastestStarts(square(1000, 'bf16', 'h200'));
    assert.ok(first !== undefined && others.length === 0);
    assert.equal(first.found?.how, 'predicted');
    assert.equal(first.resolved.schedule.algorithm, 'wgmma');
    assert.deepEqual(check(square(1000, 'bf16', 'h200')).resolved, first.resolved);
  });

  it('takes the first legal algorithm where the default by size has more blocks than a grid', () => {
    const tall: PartialSpec = { version: 1, problem: { m: 1e9, n: 4, k: 4 }, device: 'h200' };
    assert.ok((fastestStarts(tall)[0]?.legal.length ?? 0) > 0);
    assert.equal(check(tall).ok, true);
  });
});
