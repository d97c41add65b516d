/**
 * Implausible times: above the compute peak of the SMs or the memory bandwidth; both sides of each
 * limit.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compulsoryBytes } from '../../../src/core/plan/traffic';
import { implausible, limitsOf, type TimedOn } from '../../../src/core/measure/plausible';
import { flops } from '../../../src/core/spec/resolved';
import { resolve } from '../../../src/core/defaults/resolve';
import type { DType } from '../../../src/core/types/dtype';

const H200: TimedOn = {
  name: 'NVIDIA H200',
  computeCapability: '9.0',
  multiprocessors: 132,
  peakSmMHz: 1980,
};
const problemOf = (size: number, dtype: DType = 'f32') =>
  resolve({ problem: { m: size, n: size, k: size, a: { dtype }, b: { dtype } } }).problem;
const limits = (
  dtype: DType,
  source = '',
  on = H200,
  clocks?: Parameters<typeof limitsOf>[2],
  ceilings?: Parameters<typeof limitsOf>[3],
) => limitsOf({ problem: problemOf(4096, dtype), source }, on, clocks, ceilings);
const timed = (problem: ReturnType<typeof problemOf>, medianMs: number, cache = 'cold') => ({
  medianMs,
  cache: cache as 'cold' | 'warm',
  gflops: flops(problem) / (medianMs * 1e6),
});

describe('the physical limits of a GPU', () => {
  it('are the FMAs of its SMs at the measured clock', () => {
    const { peakGflops, memoryGBps } = limits('f32');
    // 132 SMs x 128 FMA x 2 x 1.98 GHz, as the datasheet rounds it.
    assert.ok(Math.abs((peakGflops ?? 0) - 66_908) < 20);
    assert.equal(memoryGBps, 4800);
    const slower = limits('f32', '', H200, { smMHz: 990, smMaxMHz: 990 });
    assert.ok(Math.abs((slower.peakGflops ?? 0) * 2 - (peakGflops ?? 0)) < 1e-6);
    const fewer = limits('f32', '', { ...H200, multiprocessors: 66 });
    assert.ok(Math.abs((fewer.peakGflops ?? 0) * 2 - (peakGflops ?? 0)) < 1e-6);
  });

  it('count matrix units for texts that use them', () => {
    const lanes = limits('f16').peakGflops ?? 0;
    const units = limits('f16', 'asm("mma.sync.aligned.m16n8k16 ...");').peakGflops ?? 0;
    assert.ok(units > 5 * lanes);
    assert.equal(limits('f16', 'float gamma = commander;').peakGflops, lanes);
    // __dp4a.
    assert.ok((limits('s8').peakGflops ?? 0) > 130_000);
  });

  it('are missing for an unknown architecture', () => {
    const unknown = { ...H200, name: 'NVIDIA Z1', computeCapability: '99.0' };
    assert.deepEqual(limits('f32', '', unknown), {});
    const how = 'copy';
    const measured = limits('f32', '', unknown, undefined, { how, bandwidthGBps: 500 });
    assert.deepEqual(measured, { memoryGBps: 500 });
    const alike = limits('f32', '', { ...H200, name: 'NVIDIA H100 of tomorrow' });
    assert.ok(alike.peakGflops !== undefined && alike.memoryGBps === undefined);
  });
});

describe('an implausible time', () => {
  it('exceeds 1.1 times the peak', () => {
    const problem = problemOf(4096);
    const of = limits('f32');
    const atPeak = flops(problem) / ((of.peakGflops ?? 0) * 1e6);
    fc.assert(
      fc.property(fc.double({ min: 0.5, max: 2, noNaN: true }), share => {
        const why = implausible(problem, timed(problem, atPeak / share), of);
        if (Math.abs(share - 1.1) > 1e-9) assert.equal(why !== undefined, share > 1.1);
      }),
    );
    const why = implausible(problem, timed(problem, atPeak / 1.2), of) ?? '';
    assert.match(
      why,
      /^Implausible result: 80280 GFLOP\/s timed, .* peak at 66900 GFLOP\/s at 1980 MHz\./,
    );
  });

  it('exceeds 1.1 times the bandwidth with cold caches only', () => {
    const problem = resolve({ problem: { m: 8192, n: 8192, k: 4 } }).problem;
    const of = limits('f32');
    const atRoof = compulsoryBytes(problem) / (4800 * 1e6);
    fc.assert(
      fc.property(fc.double({ min: 0.5, max: 2, noNaN: true }), share => {
        const why = implausible(problem, timed(problem, atRoof / share), of);
        if (Math.abs(share - 1.1) > 1e-9) assert.equal(why !== undefined, share > 1.1);
        assert.equal(implausible(problem, timed(problem, atRoof / share, 'warm'), of), undefined);
      }),
    );
  });

  it('does not exist without known limits', () => {
    const problem = problemOf(4096);
    assert.equal(implausible(problem, timed(problem, 1e-9), {}), undefined);
  });
});
