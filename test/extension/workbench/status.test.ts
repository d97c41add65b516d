/** Text of the status bar item. */
import assert from 'node:assert/strict';
import { labelOf } from '../../../src/extension/display/iconLabel';
import {
  placeText,
  statusText,
  type StatusInput,
} from '../../../src/extension/workbench/statusText';
import { timed } from '../../../scripts/page/samples';

describe('the status bar', () => {
  const input: StatusInput = {
    target: 'cuda',
    cuda: null,
    adapter: null,
    running: null,
    last: null,
  };
  it('shows the backend of the active kernel', () => {
    const h200 = { available: true, note: 'NVIDIA H200' };
    assert.equal(placeText({ ...input, cuda: h200 }), 'CUDA H200');
    assert.equal(placeText(input), 'CUDA');
    assert.match(
      placeText({ ...input, cuda: { available: false, note: '' } }),
      /no CUDA GPU.*simulate/,
    );
    assert.equal(
      placeText({ ...input, target: 'wgsl', adapter: 'google/swiftshader' }),
      'WebGPU swiftshader',
    );
  });
  it('shows a run, then its result with an icon', () => {
    const running = { backend: 'cuda', text: 'timing 40 %' } as const;
    assert.equal(
      labelOf(statusText({ ...input, running })),
      '$(sync~spin) GEMM: CUDA: timing 40 %',
    );
    assert.match(labelOf(statusText({ ...input, last: timed(0.02) })), /\$\(pass\) 1.68 TFLOP\/s$/);
    const wrong = { ...timed(0.02), outcome: 'incorrect' as const };
    delete wrong.timing;
    assert.match(labelOf(statusText({ ...input, last: wrong })), /\$\(error\) wrong result$/);
  });
});
