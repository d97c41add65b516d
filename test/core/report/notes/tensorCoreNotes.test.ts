/**
 * Who leaves tensor cores idle is told, where they multiply the types and nothing has to be rounded
 * for it.
 */
import assert from 'node:assert/strict';
import { analyze } from '../../../../src/core/report/analyze';
import type { DeviceId } from '../../../../src/core/hardware/devices';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { kernelsOf } from '../../../../scripts/grid/properties';

function advice(spec: GemmSpec, device: DeviceId): readonly string[] {
  const kernel = kernelsOf({ ...spec, device, targets: ['cuda'] }).find(
    ({ target }) => target === 'cuda',
  );
  assert.ok(kernel !== undefined);
  const { notes } = analyze(kernel, { device });
  return notes
    .filter(
      ({ level, text }) =>
        level === 'advice' && text.startsWith('This kernel does not use the tensor cores'),
    )
    .map(({ text }) => text);
}
const of = (dtype: 'f32' | 'f16' | 'bf16', schedule: GemmSpec['schedule'] = {}): GemmSpec => ({
  problem: { m: 1024, n: 1024, k: 1024, a: { dtype } },
  schedule: { algorithm: 'thread-tile-2d', ...schedule },
});

describe('advice to use tensor cores', () => {
  it('names the algorithm and the peak of each GPU', () => {
    assert.deepEqual(advice(of('bf16'), 'a100-sxm-80gb'), [
      'This kernel does not use the tensor cores of NVIDIA A100 SXM 80GB (up to 312 TFLOP/s for bf16). Set schedule.algorithm to mma.',
    ]);
    assert.match(advice(of('f16'), 'h200')[0] ?? '', /up to 989 TFLOP\/s.* to wgmma\.$/);
    assert.match(advice(of('f16'), 't4')[0] ?? '', /65 TFLOP\/s.* to mma\.$/);
  });

  it('is not given to kernels that use them, to f32, or to unsupported types', () => {
    assert.deepEqual(advice(of('bf16', { algorithm: 'mma' }), 'a100-sxm-80gb'), []);
    assert.deepEqual(advice(of('bf16', { algorithm: 'wgmma' }), 'h200'), []);
    assert.deepEqual(advice(of('f32'), 'h200'), []);
    assert.deepEqual(advice(of('bf16'), 't4'), []);
  });
});
