/** The wizard's question for a schedule. */
import assert from 'node:assert/strict';
import { PLANNED } from '../../../src/core/plan/fields';
import { checkAndPlan } from '../../../src/core/defaults/check';
import { hasStart } from '../../../src/core/search/starts';
import { scheduleRows } from '../../../src/extension/generate/scheduleRows';
import { USUAL_SIZES } from '../../../src/extension/shared/sizes';

const rowsOf = (dtype: 'f32' | 'bf16', size = 256, device = 'h200', m = size) =>
  scheduleRows(
    { version: 1, problem: { m, n: size, k: size, a: { dtype } }, device },
    { mayHaveCuda: true, tables: undefined },
  );

describe('rows of the wizard', () => {
  it('start with the fastest known schedule, its rate and origin', () => {
    const [first, second] = rowsOf('f32').fastest;
    assert.match(
      first?.label ?? '',
      /^Fastest known \(predicted [\d.]+ TFLOP\/s\): pipelined .*\d+x\d+x16/,
    );
    assert.equal(first?.description, 'CUDA only');
    assert.match(first.detail ?? '', /^256 x 256 x 256 f32 on NVIDIA H200: .*time model/);
    assert.match(
      second?.label ?? '',
      /^Default \(predicted [\d.]+ TFLOP\/s\): thread-tile-2d 64x64x8-4x4/,
    );
    const measured = rowsOf('f32', 4096).fastest.at(-1);
    assert.match(measured?.label ?? '', / \(measured 44\.1 TFLOP\/s\): /);
    assert.deepEqual(measured?.value.legal, ['cuda', 'wgsl']);
  });

  it('start with a schedule that WGSL supports if CUDA kernels do not run here', () => {
    const problem = { m: 256, n: 256, k: 256 };
    const open = { version: 1, problem, device: 'h200' } as const;
    const [cuda, here] = [true, false].map(
      mayHaveCuda => scheduleRows(open, { mayHaveCuda, tables: undefined }).fastest,
    );
    assert.deepEqual(cuda?.[0]?.value.legal, ['cuda']);
    assert.deepEqual(here?.[0]?.value.legal, ['cuda', 'wgsl']);
    assert.deepEqual(here, cuda.toReversed());
  });

  it('start with a schedule legal in every listed language, at every usual shape', () => {
    for (const device of ['h200', 'apple-m4'])
      for (const { m, n, k } of USUAL_SIZES)
        for (const dtype of ['f32', 'f16', 'bf16', 'f64', 's32', 's8'] as const) {
          const problem = { m, n, k, a: { dtype } };
          const open = { version: 1, problem, device } as const;
          if (!hasStart(open)) continue;
          const rows = scheduleRows(open, { mayHaveCuda: false, tables: undefined });
          const { schedule, legal } = rows.fastest[0]?.value ?? assert.fail('There is no row.');
          const { report } = checkAndPlan({ ...open, schedule, targets: [...legal] });
          assert.deepEqual(report.violations, [], `${device} ${m} ${n} ${k} ${dtype}`);
          assert.deepEqual(report.legal, legal);
        }
  });

  it('list the algorithms from the simplest, with one line each', () => {
    const f32 = rowsOf('f32').algorithms;
    assert.equal(f32[0]?.label, 'naive');
    const bf16 = rowsOf('bf16').algorithms;
    assert.equal(bf16.at(-1)?.label, 'wgmma');
    const described = [...f32, ...bf16, ...rowsOf('f32', 256, 'h200', 1).algorithms];
    assert.ok(described.every(({ description = '' }) => description.length > 10));
    const names = new Set(described.map(({ label }) => label));
    assert.deepEqual([...names].sort(), Object.keys(PLANNED).sort(), 'every algorithm has a line');
    const lines = new Set(
      described.map(({ description = '' }) => description.replace(/; \w+ only$/, '')),
    );
    assert.equal(lines.size, names.size, 'and each its own');
  });

  it('omit unsupported algorithms and mark single-language ones', () => {
    const labels = (...of: Parameters<typeof rowsOf>): readonly string[] =>
      rowsOf(...of).algorithms.map(({ label }) => label);
    assert.ok(!labels('f32').includes('wgmma'));
    assert.ok(!labels('bf16', 256, 't4').includes('wgmma'));
    assert.ok(labels('f32', 256, 'apple-m4').includes('naive'));
    const cuda = rowsOf('bf16').algorithms.every(({ description }) =>
      description?.endsWith('; CUDA only'),
    );
    assert.ok(cuda);
    const wgsl = rowsOf('f32', 256, 'apple-m4').algorithms[0]?.description;
    assert.match(wgsl ?? '', /; WGSL only$/);
  });
});
