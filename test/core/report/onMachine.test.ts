/**
 * An analysis on one machine: the device with its model, or an adapter with what is known of it.
 */
import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/report/analyze';
import { onMachine } from '../../../src/core/report/onMachine';
import { deviceOf } from '../../../src/core/hardware/devices';
import { cubeSpec, kernelFor } from '../../helpers/kernels';
import { timed } from '../../helpers/measurements';

const kernel = kernelFor(cubeSpec(1024), 'wgsl');
const device = deviceOf('h200');
const ADAPTER = 'SwiftShader, webview';
const run = timed({
  gflops: 1,
  name: 'SwiftShader',
  where: 'webview',
  ceilings: { gflops: 4, bandwidthGBps: 5, how: 'micro-benchmarks' },
});
const analysis = analyze(kernel, { device: 'h200', measurements: [run] });
const of = { analysis, device, plan: kernel.plan };

describe('an analysis on one machine', () => {
  it('is as it was on the device', () => {
    assert.equal(onMachine(of, analysis.roofline), analysis);
    assert.ok(analysis.occupancy !== null && analysis.waves !== null);
  });

  it('has no occupancy, waves, prediction or note of the device on an adapter', () => {
    const [roofline] = analysis.machineRooflines;
    assert.ok(roofline);
    const shown = onMachine(of, roofline);
    assert.equal(shown.roofline.machine, ADAPTER);
    assert.deepEqual([shown.occupancy, shown.waves, shown.prediction], [null, null, null]);
    assert.ok(shown.roofline.points.every(({ machine }) => machine === ADAPTER));
    assert.ok(shown.roofline.ceilings.every(({ machine }) => machine === ADAPTER));
    for (const { text } of shown.notes)
      assert.doesNotMatch(text, /H200|blocks per SM|of \d+ warps|\bwaves?\b|GPU is/, text);
    assert.deepEqual(
      shown.machineRooflines.map(({ machine }) => machine),
      [device.name],
    );
  });
});
