/** Families of adapters, by what Chromium, Safari, Firefox and Dawn let them say of themselves. */
import assert from 'node:assert/strict';
import {
  ADAPTER_FAMILIES,
  adapterOf,
  FAMILY_NAMES,
  familyOf,
  type AdapterFamily,
} from '../../../../src/core/defaults/dispatch/adapterFamily';
import { devices } from '../../../../src/core/hardware/devices';
import { describeAdapter } from '../../../../src/webgpu/adapter';

/** Vendor, architecture, device, description. */
type Info = readonly [string, string, string, string];

const CHROMIUM: readonly (readonly [AdapterFamily | undefined, Info])[] = [
  ['nvidia', ['nvidia', 'ampere', '', '']],
  ['nvidia', ['nvidia', 'lovelace', '0x2684', 'NVIDIA GeForce RTX 4090']],
  ['apple', ['apple', 'metal-3', '', '']],
  ['apple', ['apple', 'common-3', '0x0000', 'Apple M1 Pro']],
  ['intel', ['intel', 'gen-12lp', '', '']],
  ['intel', ['intel', 'xe-hpg', '0x56a0', 'Intel(R) Arc(TM) A770 Graphics']],
  ['amd', ['amd', 'rdna-3', '', '']],
  ['amd', ['amd', 'gcn-5', '0x15d8', 'AMD Radeon(TM) Vega 8 Graphics']],
  ['qualcomm', ['qualcomm', 'adreno-7xx', '', '']],
  ['arm', ['arm', 'valhall', '', '']],
  ['swiftshader', ['google', 'swiftshader', '', '']],
  ['swiftshader', ['google', 'swiftshader', '0xc0de', 'SwiftShader Device (Subzero)']],
  ['warp', ['microsoft', 'warp', '', '']],
  ['warp', ['microsoft', '', '0x008c', 'Microsoft Basic Render Driver']],
  [undefined, ['img-tec', 'rogue', '', '']],
  [undefined, ['', '', '', '']],
];

const DAWN: readonly (readonly [AdapterFamily | undefined, Info])[] = [
  ['nvidia', ['nvidia', 'hopper', 'NVIDIA H200', 'NVIDIA: 580.159.04 580.159.4.0']],
  ['nvidia', ['nvidia', 'turing', 'NVIDIA T1000', 'D3D12 driver version 31.0.15.3623']],
  ['apple', ['apple', 'metal-3', 'Apple M2', 'Metal driver on macOS Version 14.5']],
  [
    'intel',
    [
      'intel',
      'gen-12lp',
      'Intel(R) Iris(R) Xe Graphics (TGL GT2)',
      'Intel open-source Mesa driver',
    ],
  ],
  ['amd', ['amd', 'rdna-3', 'AMD Radeon RX 7900 XTX (RADV NAVI31)', 'radv: Mesa 24.0.5']],
  [
    'swiftshader',
    ['google', 'swiftshader', 'SwiftShader Device (LLVM 10.0.0)', 'SwiftShader driver'],
  ],
  // Software that names the maker of the processor, or of the GPU that it is not.
  [
    'llvmpipe',
    ['mesa', '', 'llvmpipe (LLVM 15.0.7, 256 bits)', 'llvmpipe: Mesa 23.2 on an AMD EPYC'],
  ],
  ['swiftshader', ['nvidia', '', 'SwiftShader Device (Subzero)', 'for NVIDIA containers']],
  // One GPU through the driver of another maker: the first word is the GPU's vendor.
  ['nvidia', ['nvidia', '', 'Microsoft Direct3D12 (NVIDIA GeForce RTX 3080)', 'Dozen on AMD64']],
];

describe('adapter families', () => {
  for (const [who, list] of [
    ['Chromium', CHROMIUM],
    ['Dawn', DAWN],
  ] as const) {
    it(`are told from the words of ${who}`, () => {
      for (const [family, [vendor, architecture, device, description]] of list) {
        const info = { vendor, architecture, device, description } as GPUAdapterInfo;
        const found = describeAdapter(info, 'test');
        assert.equal(adapterOf(found)?.family, family, found.adapter);
      }
    });
  }

  it('are told from the names of devices, which rows have', () => {
    for (const { name, vendor } of devices) assert.equal(familyOf(name), vendor, name);
    assert.equal(familyOf('SwiftShader (software), bounds checks off'), 'swiftshader');
    assert.equal(familyOf('Mali-G78'), 'arm');
    // No word inside of another.
    assert.equal(familyOf('Alarm Charm Latin pineapple'), undefined);
  });

  it('know the device of the table that an adapter is, else its name', () => {
    const device = (name: string, adapter: string) => adapterOf({ name, adapter })?.device;
    assert.equal(device('NVIDIA H200', 'nvidia hopper NVIDIA H200'), 'h200');
    assert.equal(device('apple metal-3', 'apple metal-3'), 'apple metal-3');
    for (const family of ADAPTER_FAMILIES) assert.ok(FAMILY_NAMES[family] !== '');
  });
});
