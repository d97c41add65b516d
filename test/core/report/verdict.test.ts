/** One verdict on a kernel, and rooflines of one machine each. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Roofline } from '../../../src/core/roofline/contract';
import { analyze } from '../../../src/core/report/analyze';
import { rooflineOfLevels } from '../../../src/core/roofline/levelRoofline';
import { kernelOnRoofline, rooflines } from '../../../src/core/roofline/machineRoofline';
import { verdictOf } from '../../../src/core/report/verdict';
import { deviceOf, matchDevice, type DeviceId } from '../../../src/core/hardware/devices';
import { emit } from '../../../src/core/kernel/emit';
import { isLowered, type Kernel } from '../../../src/core/kernel/kernel';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import type { Algorithm } from '../../../src/core/spec/schema';
import { timed } from '../../helpers/measurements';
import { runs } from '../../helpers/depth';

function kernelOf(algorithm: Algorithm, device: DeviceId, size = 1024): Kernel {
  const problem = { m: size, n: size, k: size };
  const planned = plan(resolve({ problem, schedule: { algorithm }, device }), 'cuda');
  assert.ok(planned.ok);
  const kernel = emit(planned.plan);
  assert.ok(isLowered(kernel));
  return kernel;
}

describe('the verdict', () => {
  it('of the naive kernel is one: memory bound without caches, limited by L1 with them', () => {
    const kernel = kernelOf('naive', 'rtx-4090');
    const analysis = analyze(kernel, { device: 'rtx-4090' });
    const levels = rooflineOfLevels(kernel, deviceOf('rtx-4090'), analysis);
    const { text, withoutCaches, limitedBy, attainable } = verdictOf(analysis.roofline, levels);
    assert.match(
      text,
      /^Memory bound without caches \(0\.25 < 81\.3 FLOP\/B\); with caches, L1 limits the kernel to [\d.]+ TFLOP\/s\.$/,
    );
    assert.deepEqual([withoutCaches, limitedBy], ['memory', 'l1']);
    assert.equal(attainable.value, levels?.attainable.value);
    // The contract of the roofline stays: by compulsory traffic.
    assert.equal(analysis.roofline.bound, 'compute');
  });

  it('names the peak where no level of memory is lower, and claims nothing of levels that are not known', () => {
    const kernel = kernelOf('pipelined', 'h200', 4096);
    const analysis = analyze(kernel, { device: 'h200' });
    const alone = verdictOf(analysis.roofline, null);
    assert.match(
      alone.text,
      /; with each operand read once, the roofline allows [\d.]+ TFLOP\/s\.$/,
    );
    assert.equal(alone.limitedBy, null);
    const levels = rooflineOfLevels(kernel, deviceOf('h200'), analysis);
    const own = verdictOf(analysis.roofline, levels);
    assert.equal(own.limitedBy, levels?.limitedBy);
    const elsewhere: Roofline = { ...analysis.roofline, machine: 'SwiftShader' };
    assert.equal(verdictOf(elsewhere, levels).limitedBy, null, 'levels of another machine');
  });
});

describe('a roofline', () => {
  const NAMES = ['NVIDIA H200', 'NVIDIA GeForce RTX 4090', 'SwiftShader Device', 'Apple M4'];
  const run = fc.record({
    name: fc.constantFrom(...NAMES),
    gflops: fc.double({ min: 0.1, max: 60_000, noNaN: true }),
    peak: fc.double({ min: 1, max: 60_000, noNaN: true }),
    copy: fc.double({ min: 1, max: 5000, noNaN: true }),
  });

  it('has the numbers of one machine alone, and levels of memory only where they are of that machine', () => {
    const kernel = kernelOf('warp-tile', 'h200', 256);
    const device = deviceOf('h200');
    fc.assert(
      fc.property(fc.array(run, { maxLength: 6 }), runs => {
        const measurements = runs.map(({ name, gflops, peak, copy }) =>
          timed({
            gflops,
            name,
            resolved: kernel.spec,
            ceilings: { gflops: peak, bandwidthGBps: copy, how: 'drawn' },
          }),
        );
        const analysis = analyze(kernel, { device: 'h200', measurements });
        const all = rooflines(kernelOnRoofline(kernel.problem, kernel.plan), device, measurements);
        for (const of of [all.roofline, ...all.machineRooflines]) {
          const isOf = (machine: string): boolean =>
            machine === of.machine || (of.machine === device.name && isSuch(machine));
          for (const { machine, name } of [...of.ceilings, ...of.points]) {
            assert.ok(isOf(machine), `${name} of ${machine} in the roofline of ${of.machine}`);
          }
          const levels = rooflineOfLevels(kernel, device, { ...analysis, roofline: of });
          assert.equal(levels?.machine, of.machine === device.name ? device.name : undefined);
          assert.equal(verdictOf(of, levels).machine, of.machine);
        }
      }),
      { ...runs(60) },
    );
  });

  const isSuch = (machine: string): boolean => matchDevice(machine.split(',')[0] ?? '') === 'h200';

  it('has no levels of memory beside the datasheet of another device', () => {
    const kernel = kernelOf('warp-tile', 'h200', 256);
    const analysis = analyze(kernel, { device: 'h200' });
    assert.equal(rooflineOfLevels(kernel, deviceOf('rtx-4090'), analysis), null);
    const mixed = { ...analysis.roofline, machine: deviceOf('rtx-4090').name };
    assert.equal(
      rooflineOfLevels(kernel, deviceOf('rtx-4090'), { ...analysis, roofline: mixed }),
      null,
      'its ceilings are of the H200',
    );
  });
});
