/** What stands for a device that the table has not, by name and by compute capability. */
import assert from 'node:assert/strict';
import { closestDevice } from '../../../src/core/hardware/closestDevice';
import { computeCapabilityNames } from '../../../src/core/hardware/computeCapability';
import { devices } from '../../../src/core/hardware/devices';
import { readKernelFile } from '../../../src/core/source/kernelFile';

const idOf = (asked: string): string | undefined => closestDevice(asked)?.device.id;

describe('The closest device', () => {
  it('is itself for what is in the table, by id and by name', () => {
    for (const { id, name } of devices) assert.deepEqual([idOf(id), idOf(name)], [id, id]);
  });

  it('is a sibling of the same compute capability', () => {
    const stand = {
      'RTX 5090 Laptop': 'rtx-5090',
      'NVIDIA GeForce RTX 5070 Ti': 'rtx-5090',
      'NVIDIA H100 NVL': 'h100-sxm',
      H20: 'h200',
      GH200: 'h200',
      A10G: 'a10',
      A100X: 'a100-sxm-80gb',
      A40: 'rtx-3090',
      'NVIDIA RTX A5000': 'rtx-3090',
      'RTX 6000 Ada': 'rtx-4090',
      L40: 'l40s',
      'RTX 4070 SUPER': 'rtx-4090',
      'rtx-3080-ti': 'rtx-3080',
      'RTX 2070': 'rtx-2080-ti',
      V100S: 'v100-sxm2-16gb',
      4090: 'rtx-4090',
      5090: 'rtx-5090',
      3090: 'rtx-3090',
      '2080 Ti': 'rtx-2080-ti',
    };
    for (const [asked, id] of Object.entries(stand)) {
      const found = closestDevice(asked);
      assert.ok(found, asked);
      assert.equal(found.device.computeCapability, found.computeCapability, asked);
      const [own, meant] = [found.device, devices.find(device => device.id === id)];
      assert.equal(own.computeCapability, meant?.computeCapability, asked);
      assert.match(found.why, /is not in the device table\. .* is used instead/);
    }
    assert.equal(idOf('RTX 5090 Laptop'), 'rtx-5090');
    assert.equal(idOf('A10G'), 'a10');
    assert.match(idOf('NVIDIA H100 NVL') ?? '', /^h100-/);
    assert.equal(idOf('rtx-3080-ti'), 'rtx-3080');
  });

  it('has the same compute capability or the nearest one, and names it', () => {
    assert.equal(idOf('sm_90'), 'h200');
    assert.equal(idOf('8.9'), 'rtx-4090');
    const orin = closestDevice('sm_87');
    assert.deepEqual([orin?.device.id, orin?.computeCapability], ['rtx-3090', '8.7']);
    assert.match(
      orin?.why ?? '',
      /no entry has compute capability 8\.7\. .* with the limits of compute capability 8\.6\.$/,
    );
    for (const name of computeCapabilityNames) assert.ok(closestDevice(name), name);
  });

  it('is undefined for unknown names', () => {
    for (const asked of ['', 'gtx', 'gtx-9999', 'h2oo', 'sm_20', 'sm_999', '1.0', 'my gpu']) {
      assert.equal(closestDevice(asked), undefined, asked);
    }
  });

  it('resolves the device of a @gemm comment and reports the substitute', () => {
    const text = (device: string): string =>
      `// @gemm {"problem":{"m":8,"n":8,"k":8},"device":"${device}","grid":[1],"block":[64],"args":["a"]}\n__global__ void f(float *A) {}\n`;
    const other = readKernelFile(text('H100 NVL'), 'f.cu');
    assert.ok(other.ok);
    assert.match(other.runnable.device?.why ?? '', /"H100 NVL" is not in the device table/);
    const own = readKernelFile(text('l4'), 'f.cu');
    assert.deepEqual(own.ok && own.runnable.device, { id: 'l4' });
    const none = readKernelFile(text('toaster'), 'f.cu');
    assert.ok(!none.ok && none.reason.includes('Unknown device "toaster"'));
  });
});
