/** The wizard's question for a schedule. */
import assert from 'node:assert/strict';
import { PLANNED } from '../../../src/core/plan/fields';
import { scheduleRows } from '../../../src/extension/generate/scheduleRows';

const rowsOf = (dtype: 'f32' | 'bf16', size = 256, device = 'h200') =>
  scheduleRows({ version: 1, problem: { m: size, n: size, k: size, a: { dtype } }, device });

describe('rows of the wizard', () => {
  it('start with the fastest known schedule, its rate and origin', () => {
    const [first, second] = rowsOf('f32').fastest;
    assert.match(
      first?.label ?? '',
      /^Fastest known \(predicted [\d.]+ TFLOP\/s\): pipelined .*64x64x16/,
    );
    assert.equal(first?.description, 'CUDA only');
    assert.match(first.detail ?? '', /^256 x 256 x 256 f32 on NVIDIA H200: .*wave model/);
    assert.match(
      second?.label ?? '',
      /^Default \(predicted [\d.]+ TFLOP\/s\): thread-tile-2d 64x64x8-4x4/,
    );
    const measured = rowsOf('f32', 4096).fastest.at(-1);
    assert.match(measured?.label ?? '', / \(measured 44\.1 TFLOP\/s\): /);
    assert.deepEqual(measured?.value.legal, ['cuda', 'wgsl']);
  });

  it('list the algorithms from the simplest, with one line each', () => {
    const f32 = rowsOf('f32').algorithms;
    assert.equal(f32[0]?.label, 'naive');
    const bf16 = rowsOf('bf16').algorithms;
    assert.equal(bf16.at(-1)?.label, 'wgmma');
    const described = [...f32, ...bf16];
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
