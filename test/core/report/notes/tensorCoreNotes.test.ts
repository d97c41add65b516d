/** Who leaves tensor cores idle is told, where they multiply the types and nothing has to be rounded for it. */
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
    .filter(({ level, text }) => level === 'advice' && text.startsWith('Tensor cores of'))
    .map(({ text }) => text);
}
const of = (dtype: 'f32' | 'f16' | 'bf16', schedule: GemmSpec['schedule'] = {}): GemmSpec => ({
  problem: { m: 1024, n: 1024, k: 1024, a: { dtype } },
  schedule: { algorithm: 'thread-tile-2d', ...schedule },
});

describe('advice to use tensor cores', () => {
  it('names the algorithm and the peak, on each GPU its own', () => {
    assert.deepEqual(advice(of('bf16'), 'a100-sxm-80gb'), [
      'Tensor cores of NVIDIA A100 SXM 80GB multiply bf16 at up to 312 TFLOP/s, and this kernel leaves them idle: schedule.algorithm mma is legal here.',
    ]);
    assert.match(advice(of('f16'), 'h200')[0] ?? '', /at up to 989 TFLOP\/s.* wgmma is legal/);
    assert.match(advice(of('f16'), 't4')[0] ?? '', /65 TFLOP\/s.* mma is legal/);
  });

  it('is not given to kernels that use them, of f32, and where they lack the type', () => {
    assert.deepEqual(advice(of('bf16', { algorithm: 'mma' }), 'a100-sxm-80gb'), []);
    assert.deepEqual(advice(of('bf16', { algorithm: 'wgmma' }), 'h200'), []);
    assert.deepEqual(advice(of('f32'), 'h200'), []);
    assert.deepEqual(advice(of('bf16'), 't4'), []);
  });
});
