import assert from 'node:assert/strict';
import {
  computeCapabilityNames,
  isComputeCapability,
  limitsOf,
} from '../../../src/core/hardware/computeCapability';
import {
  DEFAULT_DEVICE,
  DEFAULT_OF_FAMILY,
  defaultDeviceOf,
  deviceIds,
  deviceOf,
  devices,
  findDevice,
  matchDevice,
  type Device,
  type DeviceId,
} from '../../../src/core/hardware/devices';
import type { PeakKey } from '../../../src/core/hardware/deviceSpec';

const named = (device: Device): string => `${device.id}: ${JSON.stringify(device.peakTflops)}`;

const nvidia = devices.filter(device => device.vendor === 'nvidia');

/** fp32 lanes of a multiprocessor, AMD's with dual issue (vendors' whitepapers). */
const lanes = ({ computeCapability }: Device): number =>
  computeCapability === undefined ? 128 : limitsOf(computeCapability).fp32CoresPerSm;

describe('device table', () => {
  it('has the devices that specs and documents name', () => {
    const expected: readonly DeviceId[] = [
      'v100-sxm2-16gb',
      'v100-sxm2-32gb',
      't4',
      'a100-sxm-40gb',
      'a100-sxm-80gb',
      'a100-pcie-80gb',
      'a10',
      'l4',
      'l40s',
      'rtx-a6000',
      'h100-sxm',
      'h100-pcie',
      'h200',
      'b200',
      'rtx-2080-ti',
      'rtx-3070-laptop',
      'rtx-3080',
      'rtx-3090',
      'rtx-4090',
      'rtx-5090',
      'rx-7900-xtx',
      'arc-b580',
      'apple-m2',
      'apple-m4',
    ];
    assert.deepEqual([...deviceIds].sort(), [...expected].sort());
    assert.equal(DEFAULT_DEVICE, 'h200');
  });

  it('gives every figure as a positive number, a source a row, and no name twice', () => {
    for (const device of devices) {
      const { id, peakTflops, measured, ...row } = device;
      const figures = [row, peakTflops, measured ?? {}, measured?.peakTflops ?? {}];
      for (const [key, value] of figures.flatMap(part => Object.entries(part))) {
        if (typeof value === 'number')
          assert.ok(value > 0 && Number.isFinite(value), `${id}.${key}`);
      }
      assert.match(device.source, /https:\/\/|whitepaper WP-|datasheet/, id);
      assert.match(id, /^[a-z0-9]+(-[a-z0-9]+)*$/);
    }
    assert.equal(new Set(devices.map(device => device.name)).size, devices.length);
  });

  it('names a compute capability with known limits for NVIDIA, and for no other', () => {
    for (const { id, vendor, computeCapability } of devices) {
      assert.equal(computeCapability !== undefined, vendor === 'nvidia', id);
      if (computeCapability !== undefined) assert.ok(isComputeCapability(computeCapability));
    }
  });

  // The 3070 Laptop is given 16 TFLOP/s, as it runs, of the 16.6 its highest clock would allow. All
  // others round.
  for (const device of devices.filter(({ boostClockMHz }) => boostClockMHz !== undefined)) {
    const tolerance = device.id === 'rtx-3070-laptop' ? 0.04 : 0.01;
    it(`${device.id}: fp32 peak is lanes x 2 x boost clock within ${tolerance * 100} %`, () => {
      const { multiprocessors, boostClockMHz = 0, peakTflops } = device;
      const derived = (multiprocessors * lanes(device) * 2 * boostClockMHz) / 1e6;
      const stated = peakTflops.f32 ?? 0;
      assert.ok(Math.abs(stated / derived - 1) <= tolerance, `${stated} beside ${derived}`);
    });
  }

  it('gives dense tensor peaks: they stand in the ratios of the architecture', () => {
    const ratio = (device: Device, above: PeakKey, below: PeakKey, expected: number): void => {
      const [high, low] = [device.peakTflops[above], device.peakTflops[below]];
      if (high === undefined || low === undefined) return;
      assert.ok(
        Math.abs(high / low / expected - 1) < 0.03,
        `${above}/${below} of ${named(device)}`,
      );
    };
    for (const device of nvidia) {
      ratio(device, 'f16-tensor', 'tf32-tensor', 2);
      ratio(device, 'bf16-tensor', 'f16-tensor', 1);
      ratio(device, 'e4m3-tensor', 'f16-tensor', 2);
      // GeForce: matrix units accumulate floating point in f32 at half speed, integers at full
      // speed.
      const geforce = device.name.includes('GeForce');
      ratio(device, 's8-tensor', 'f16-tensor', geforce ? 4 : 2);
    }
  });

  it('gives no type of matrix unit that the architecture lacks', () => {
    for (const device of nvidia) {
      const { computeCapability = '', peakTflops } = device;
      const major = Number(computeCapability.split('.')[0]);
      if (major < 8)
        assert.equal(peakTflops['bf16-tensor'] ?? peakTflops['tf32-tensor'], undefined);
      if (Number(computeCapability) < 8.9) assert.equal(peakTflops['e4m3-tensor'], undefined);
      assert.equal(
        peakTflops['f64-tensor'] !== undefined,
        ['8.0', '9.0', '10.0'].includes(computeCapability),
        device.id,
      );
    }
  });

  it("has the tutorials' figures", () => {
    const rtx4090 = deviceOf('rtx-4090');
    const ratio = (1000 * (rtx4090.peakTflops.f32 ?? 0)) / rtx4090.memoryBandwidthGBps;
    assert.equal(rtx4090.memoryBandwidthGBps, 1008);
    assert.equal(ratio.toFixed(1), '81.3');

    const laptop = deviceOf('rtx-3070-laptop');
    assert.equal(laptop.computeCapability, '8.6');
    const sm = limitsOf(laptop.computeCapability);
    assert.deepEqual(
      [laptop.multiprocessors, laptop.memoryBandwidthGBps, laptop.peakTflops.f32],
      [40, 384, 16],
    );
    assert.deepEqual(
      [sm.maxThreadsPerSm, sm.sharedBytesPerSm, sm.registersPerSm],
      [1536, 100 * 1024, 65536],
    );
  });

  it('has the figures of the H200 that the project measures on', () => {
    const { multiprocessors, memoryBandwidthGBps, peakTflops, measured } = deviceOf('h200');
    assert.deepEqual(
      [multiprocessors, memoryBandwidthGBps, peakTflops.f32, peakTflops['bf16-tensor']],
      [132, 4800, 66.9, 989],
    );
    assert.deepEqual([measured?.peakTflops.f32, measured?.memoryBandwidthGBps], [64.7, 4260]);
  });

  it('finds a row by id, and none for anything else', () => {
    for (const id of deviceIds) assert.equal(findDevice(id)?.id, id);
    for (const id of ['', 'H200', 'gtx-1080', 'toString', '__proto__']) {
      assert.equal(findDevice(id), undefined);
    }
  });

  it('has a default of each family and of each compute capability in the table', () => {
    for (const { family, computeCapability } of devices) {
      assert.equal(deviceOf(DEFAULT_OF_FAMILY[family]).family, family);
      if (computeCapability === undefined) continue;
      const id = defaultDeviceOf(computeCapability);
      assert.equal(id && deviceOf(id).computeCapability, computeCapability);
    }
    for (const name of computeCapabilityNames) {
      const id = defaultDeviceOf(name);
      assert.equal(
        id !== undefined,
        devices.some(device => device.computeCapability === name),
        name,
      );
    }
  });
});

describe('matchDevice', () => {
  const reported: Readonly<Record<string, DeviceId>> = {
    'NVIDIA H200': 'h200',
    'NVIDIA H100 80GB HBM3': 'h100-sxm',
    'NVIDIA H100 PCIe': 'h100-pcie',
    'NVIDIA B200': 'b200',
    'NVIDIA A100-SXM4-40GB': 'a100-sxm-40gb',
    'A100-SXM4-80GB': 'a100-sxm-80gb',
    'NVIDIA A100 80GB PCIe': 'a100-pcie-80gb',
    'Tesla V100-SXM2-16GB': 'v100-sxm2-16gb',
    'Tesla V100-SXM2-32GB': 'v100-sxm2-32gb',
    'Tesla T4': 't4',
    'NVIDIA A10': 'a10',
    'NVIDIA L4': 'l4',
    'NVIDIA L40S': 'l40s',
    'NVIDIA RTX A6000': 'rtx-a6000',
    'NVIDIA GeForce RTX 2080 Ti': 'rtx-2080-ti',
    'NVIDIA GeForce RTX 3070 Laptop GPU': 'rtx-3070-laptop',
    'NVIDIA GeForce RTX 3080': 'rtx-3080',
    'GeForce RTX 3090': 'rtx-3090',
    'NVIDIA GeForce RTX 4090': 'rtx-4090',
    'NVIDIA GeForce RTX 4090/PCIe/SSE2': 'rtx-4090',
    'NVIDIA GeForce RTX 5090': 'rtx-5090',
    'AMD Radeon RX 7900 XTX (RADV NAVI31)': 'rx-7900-xtx',
    'Intel(R) Arc(TM) B580 Graphics': 'arc-b580',
    'Apple M2': 'apple-m2',
    'Apple M4': 'apple-m4',
  };
  for (const [name, id] of Object.entries(reported)) {
    it(`knows ${name}`, () => {
      assert.equal(matchDevice(name), id);
    });
  }

  it('takes no sibling for the device itself', () => {
    const others = [
      '',
      'NVIDIA',
      'NVIDIA H200 NVL',
      'NVIDIA A10G',
      'NVIDIA RTX 6000 Ada Generation',
      'NVIDIA GeForce RTX 3070',
      'NVIDIA GeForce RTX 3080 Ti',
      'NVIDIA GeForce RTX 4090 Laptop GPU',
      'NVIDIA GeForce RTX 4090 D',
      'Apple M2 Pro',
      'Google SwiftShader',
    ];
    for (const name of others) assert.equal(matchDevice(name), undefined, name);
  });
});
