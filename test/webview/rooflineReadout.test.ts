/** Readout of the roofline: runs have names of their kernels, and the interval of their rate. */
import assert from 'node:assert/strict';
import { rooflineTrail } from '../../src/core/charts/rooflineTrail';
import { specKey } from '../../src/core/plan/specKey';
import type { Measurement } from '../../src/core/measure/measurement';
import { initialState } from '../../webview/state';
import { derive } from '../../webview/derive';
import { itemsOf } from '../../webview/views/rooflineReadout';
import { CUDA_VIEW } from '../helpers/cudaView';
import { own, resolved, spec } from '../helpers/rooflineRuns';

describe('readout of the roofline', () => {
  const withInterval = ({ timing, ...run }: Measurement): Measurement => {
    assert.ok(timing);
    return { ...run, timing: { ...timing, intervalMs: [timing.medianMs * 0.8, timing.medianMs] } };
  };
  const itemsFor = (runs: readonly Measurement[], sourceHash: string) => {
    assert.ok(spec);
    const { shown } = derive({ ...initialState(CUDA_VIEW), spec, runs });
    assert.ok(shown.ok);
    const { roofline } = shown;
    const { problem } = resolved;
    const trail = rooflineTrail({ runs, problem, machine: roofline.machine });
    return itemsOf(roofline, trail, sourceHash);
  };

  it('has the 95 % interval of a run, and no timer error', () => {
    const { sourceHash = '' } = own;
    const [newest] = itemsFor([withInterval(own)], sourceHash);
    assert.match(newest?.facts.join(', ') ?? '', /95 % interval 48\.3 TFLOP\/s to 60\.4 TFLOP\/s/);
    assert.doesNotMatch(newest?.facts.join(', ') ?? '', /timer/);
  });

  it('has names of kernels and backends instead of keys', () => {
    const other: Measurement = { ...own, specKey: specKey(resolved), sourceHash: 'b'.repeat(64) };
    const items = itemsFor([other, own], own.sourceHash ?? '');
    const names = items.map(({ name }) => name);
    assert.ok(
      names.some(name => /^measured: thread-tile-2d \d+x\d+x\d+/.test(name)),
      names.join(),
    );
    assert.ok(
      names.some(name => /^earlier run: thread-tile-2d .*, CUDA$/.test(name)),
      names.join(),
    );
    assert.ok(
      names.every(name => !name.includes('gemm-')),
      names.join(),
    );
  });
});
