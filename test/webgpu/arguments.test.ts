/** What the runner is given and told: its timer's step, arguments as bytes, adapters by name. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { matchDevice } from '../../src/core/hardware/devices';
import { describeAdapter } from '../../src/webgpu/adapter';
import { fillMatrix } from '../../src/core/verify/inputs';
import { bytesOf, elementsOf } from '../../src/core/verify/matrixBytes';
import { bufferBytes } from '../../src/webgpu/limits';
import { uniformBlock } from '../../src/webgpu/arguments';
import { quantumOf } from '../../src/webgpu/timer';
import { problemOf } from './fixtures';

describe('WebGPU timer', () => {
  it('finds the step of rounded timestamps', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200_000 }),
        fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 200 }),
        (quantum, steps) => {
          let time = 12_345n * BigInt(quantum);
          // Two steps without a common divisor make the quantum visible whatever comes after.
          const values = [7, 8, ...steps].map(step => (time += BigInt(step) * BigInt(quantum)));
          assert.equal(quantumOf([12_345n * BigInt(quantum), ...values]), quantum);
        },
      ),
    );
    assert.equal(quantumOf([0n, 0n, 0n]), undefined);
    assert.equal(quantumOf([]), undefined);
    assert.equal(quantumOf([5n, 9n, 7n]), undefined);
  });
});

describe('WebGPU arguments', () => {
  it('packs scalars in the order given, padded to 16 bytes', () => {
    const problem = problemOf(2, 3, 4, { alpha: 0.5, beta: -2 });
    const block = uniformBlock(problem, ['m', 'n', 'k', 'ldc', 'alpha', 'beta']);
    assert.equal(block.byteLength, 32);
    assert.deepEqual([...new Uint32Array(block, 0, 4)], [2, 3, 4, 3]);
    assert.deepEqual([...new Float32Array(block, 16, 2)], [0.5, -2]);
    const whole = problemOf(2, 3, 4, { dtype: 's32', alpha: -3 });
    assert.deepEqual([...new Int32Array(uniformBlock(whole, ['alpha']))], [-3, 0, 0, 0]);
  });

  it('holds f16 as their bits in whole words, and reads them back', () => {
    const odd = problemOf(3, 3, 3, { dtype: 'f16', alpha: 0.5 });
    assert.equal(bufferBytes(odd, 'a'), 24);
    const data = fillMatrix(odd, 'a', 7);
    const bytes = bytesOf('f16', data);
    assert.equal(bytes.length, 18);
    assert.deepEqual(elementsOf('f16', bytes.buffer, 9), data);
    assert.ok(new Set(data).size > 5);
    // Scalars of the uniform block stay f32.
    assert.deepEqual([...new Float32Array(uniformBlock(odd, ['alpha']), 0, 1)], [0.5]);
  });

  it('names adapters as Dawn and Chromium describe them, and software as software', () => {
    const info = (vendor: string, architecture: string, device: string, description: string) =>
      describeAdapter({ vendor, architecture, device, description } as GPUAdapterInfo, 'cli');
    const dawn = info('nvidia', '', 'nvidia-h200', 'NVIDIA: 580.159');
    assert.deepEqual([dawn.name, dawn.driver], ['nvidia-h200', 'NVIDIA: 580.159']);
    const page = info('nvidia', 'lovelace', '0x2684', 'NVIDIA GeForce RTX 4090');
    assert.deepEqual([page.name, page.driver], ['NVIDIA GeForce RTX 4090', 'unknown']);
    assert.equal(info('apple', 'common-3', '', '').name, 'apple common-3');
    assert.equal(info('google', 'swiftshader', '', '').name, 'SwiftShader (software)');
    assert.equal(info('mesa', '', 'llvmpipe (LLVM 15)', '').name, 'Mesa llvmpipe (software)');
    const basic = info('microsoft', '', 'Microsoft Basic Render Driver', '');
    assert.match(basic.name, /\(software\)$/);
  });

  it('is another machine without bounds checks: no roofline, gate or table takes one for the other', () => {
    const info = {
      vendor: 'nvidia',
      architecture: '',
      device: 'nvidia-h200',
      description: 'NVIDIA',
    };
    const adapter = info as GPUAdapterInfo;
    const on = describeAdapter(adapter, 'cli');
    const off = describeAdapter(adapter, 'cli', { robustness: 'off' });
    assert.deepEqual([on.robustness, off.robustness], ['on', 'off']);
    assert.equal(off.name, 'nvidia-h200, bounds checks off');
    assert.equal(matchDevice(on.name), 'h200');
    for (const name of [off.name, off.adapter]) assert.equal(matchDevice(name), undefined);
    assert.notEqual(on.adapter, off.adapter);
    // Experimental features change nothing of what runs without them: the same machine, and it says
    // so.
    const more = describeAdapter(adapter, 'cli', { experimental: true });
    assert.deepEqual(more, { ...on, experimental: true });
  });
});
