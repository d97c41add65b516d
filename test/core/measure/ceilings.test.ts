/** Ceilings of an adapter: the best of all its runs. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { rooflineFraction } from '../../../src/extension/runs/runFacts';
import {
  changeText,
  higherCeilings,
  withAdapterCeilings,
} from '../../../src/core/measure/ceilings';
import type { Measurement } from '../../../src/core/measure/measurement';
import { resolve } from '../../../src/core/defaults/resolve';

const run = (gflops: number, over: Partial<Measurement['device']> = {}): Measurement => ({
  specKey: 'x',
  kernelKey: 'y',
  backend: 'webgpu',
  outcome: 'correct',
  resolved: resolve({ problem: { m: 256, n: 256, k: 256 }, schedule: { algorithm: 'naive' } }),
  device: { name: 'SwiftShader', adapter: 'google', driver: '1', where: 'webview', ...over },
  verification: { reference: 'f64', maxError: 0, bound: 1, mismatches: 0, samples: 1 },
  timing: {
    timer: 'wall-clock',
    quantumNs: 1,
    warmUp: 1,
    samples: 1,
    medianMs: 1,
    iqrMs: 0,
    minMs: 1,
    gflops: 1,
    errorPercent: 0,
    cache: 'warm',
    inputs: 'x',
  },
  ceilings: { gflops, bandwidthGBps: 10, how: 'here' },
});

describe('the ceilings of an adapter', () => {
  it('are the best measured ones, so equal rates have equal percentages', () => {
    const roofed = withAdapterCeilings([4.45, 5.39, 4.37, 3.28].map(gflops => run(gflops)));
    assert.deepEqual(
      roofed.map(({ ceilings }) => ceilings?.gflops),
      [5.39, 5.39, 5.39, 5.39],
    );
    assert.equal(new Set(roofed.map(rooflineFraction)).size, 1);
  });

  it('report the number and spread of measurements, and one that differs by more than 10 %', () => {
    const how = withAdapterCeilings([4.9, 5.39, 3.28, 3.28].map(gflops => run(gflops))).map(
      ({ ceilings }) => ceilings?.how,
    );
    const spread = 'here; best of 3 measurements, 3.28 to 5.39 GFLOP/s';
    const low = `${spread}; this run measured FMA 3.28 GFLOP/s, 39.1 % below the previous best of 5.39`;
    assert.deepEqual(how, [spread, spread, low, low]);
  });

  it('are per driver, host, adapter and type, and unchanged if measured once', () => {
    const apart = [
      run(1),
      run(2, { driver: '2' }),
      run(3, { where: 'cli' }),
      run(4, { adapter: 'other' }),
    ];
    const roofed = withAdapterCeilings(apart);
    assert.ok(roofed.every((one, index) => one === apart[index]));
    const dawn = withAdapterCeilings([
      run(3, { where: 'cli' }),
      run(4, { where: 'extension host' }),
    ]);
    assert.deepEqual(
      dawn.map(({ ceilings }) => ceilings?.gflops),
      [4, 4],
    );
  });

  it('are the highest of all runs in any order, as cached objects', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.1, max: 100, noNaN: true }), { minLength: 2, maxLength: 8 }),
        rates => {
          const runs = rates.map(gflops => run(gflops));
          const roofed = withAdapterCeilings(runs);
          const best = Math.max(...rates);
          assert.ok(roofed.every(({ ceilings }) => ceilings?.gflops === best));
          const again = withAdapterCeilings(runs);
          assert.ok(again.every((one, index) => one === roofed[index]));
        },
      ),
    );
  });

  it('join lists by the higher value of each ceiling', () => {
    const list = (fma: number, dram: number) => [
      { id: 'fma.f32', value: fma, unit: 'GFLOP/s' as const },
      { id: 'dram', value: dram, unit: 'GB/s' as const },
    ];
    const joined = higherCeilings({ how: 'a', list: list(5, 1) }, { how: 'b', list: list(4, 2) });
    assert.deepEqual(joined.list, list(5, 2));
    assert.equal(
      changeText({ how: 'a', list: list(100, 100) }, { how: 'b', list: list(90.1, 109.9) }),
      undefined,
    );
    assert.equal(
      changeText({ how: 'a', list: list(100, 100) }, { how: 'b', list: list(89, 111) }),
      'fma.f32 89 GFLOP/s, 11 % below the previous best of 100; dram 111 GB/s, 11 % above the previous best of 100',
    );
  });
});
