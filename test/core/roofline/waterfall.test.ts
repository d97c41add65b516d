/** Why not at the roof: steps that add up, and edits that take a cause away. */
import assert from 'node:assert/strict';
import { kernelOf } from '../../../scripts/grid/properties';
import { specOf } from '../../../scripts/grid/specs';
import { timed } from '../../../scripts/page/samples';
import { analyze } from '../../../src/core/report/analyze';
import { deviceOf, type DeviceId } from '../../../src/core/hardware/devices';
import { gapEdits } from '../../../src/core/model/gap/gapEdits';
import { modelOf } from '../../../src/core/model/gap/gaps';
import { LANE_COSTS } from '../../../src/core/model/gap/laneGaps';
import type { Cause } from '../../../src/core/model/timeModel';
import { foldLosses, waterfall } from '../../../src/core/roofline/waterfall';
import { toSpec } from '../../../src/core/spec/toSpec';
import { applyOverrides, decodeSpec } from '../../../src/core/spec/decode';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { sampleOf } from '../../helpers/depth';

const cube = (size: number, algorithm: NonNullable<GemmSpec['schedule']>['algorithm']) => ({
  problem: { m: size, n: size, k: size },
  schedule: { algorithm },
});

function fallsOf(spec: GemmSpec, measuredMs?: number, device: DeviceId = 'h200') {
  const kernel = kernelOf(spec, 'cuda');
  assert.ok(kernel !== null);
  const measurements = measuredMs === undefined ? [] : [timed(measuredMs, spec)];
  const analysis = analyze(kernel, { device, measurements });
  return { kernel, analysis, plan: kernel.plan, fall: waterfall(analysis, kernel.plan) };
}

const near = (one: number, other: number): boolean => Math.abs(one / other - 1) < 1e-9;

describe('why not at the roof', () => {
  it('falls from the roof to the prediction in steps that add up, of every legal schedule', () => {
    let compared = 0;
    for (let seed = 1; compared < sampleOf(40, 12); seed++) {
      const { schedule } = specOf(seed);
      const spec = {
        problem: { m: 500, n: 512, k: 300 },
        ...(schedule === undefined ? {} : { schedule }),
      };
      if (kernelOf(spec, 'cuda') === null) continue;
      const { fall } = fallsOf(spec);
      if (fall === null) continue;
      compared++;
      const { roof, falls, predicted } = fall;
      const added = falls.reduce((sum, { milliseconds }) => sum + milliseconds, roof.milliseconds);
      assert.ok(near(added, predicted.milliseconds), `seed ${seed}`);
      assert.ok(near(falls.at(-1)?.tflops ?? roof.tflops, predicted.tflops), `seed ${seed}`);
      assert.ok(falls.every(({ milliseconds }) => milliseconds > 0));
      const shares = falls.reduce((sum, { share }) => sum + share, 0);
      assert.ok(near(shares, 1), `seed ${seed}: ${shares}`);
      const sorted = falls.map(({ milliseconds }) => milliseconds);
      assert.deepEqual(
        sorted.toSorted((a, b) => b - a),
        sorted,
      );
    }
  });

  it('names what a measured run has beyond the model, also where it is faster', () => {
    const spec = cube(1024, 'warp-tile');
    const slow = fallsOf(spec, 1).fall;
    assert.ok(slow?.measured);
    const { unexplained, milliseconds } = slow.measured;
    assert.ok(near(milliseconds, 1));
    assert.ok(near(unexplained.milliseconds + slow.predicted.milliseconds, 1));
    assert.ok(near(unexplained.share, 1 - slow.predicted.milliseconds));
    const fast = fallsOf(spec, 0.05).fall?.measured;
    assert.ok(fast && fast.unexplained.milliseconds < 0);
  });

  it('does not count DRAM against a kernel whose roof is DRAM', () => {
    const { fall } = fallsOf({ problem: { m: 8192, n: 16, k: 8192 } });
    assert.ok(fall !== null);
    assert.ok(!fall.falls.some(({ cause }) => cause === 'dram'));
    assert.ok(fall.predicted.tflops < fall.roof.tflops);
  });

  it('names copies, fragments and spilled registers where a kernel has them', () => {
    const WIDE = {
      block: { m: 128, n: 128, k: 16 },
      warp: { m: 32, n: 64 },
      thread: { m: 8, n: 8 },
      vector: 4,
    } as const;
    const causes = (schedule: NonNullable<GemmSpec['schedule']>): readonly string[] =>
      (fallsOf({ problem: { m: 2048, n: 2048, k: 2048 }, schedule }).fall?.falls ?? []).map(
        ({ cause }) => cause,
      );
    const pipelined = causes({ ...WIDE, algorithm: 'pipelined', stages: 3 });
    assert.ok(pipelined.includes('copies') && pipelined.includes('fragments'), pipelined.join());
    assert.ok(!pipelined.includes('spills'), 'its registers suffice');
    const direct = causes({ ...WIDE, algorithm: 'warp-tile' });
    assert.ok(!direct.includes('copies'), direct.join());
    const crowded = causes({ ...WIDE, algorithm: 'pipelined', stages: 3, minBlocksPerSm: 3 });
    assert.equal(crowded[0], 'spills', crowded.join());
  });

  it('names the instruction where the GPU has a faster one', () => {
    const problem = { m: 4096, n: 4096, k: 4096, a: { dtype: 'bf16' } } as const;
    const of = (device: DeviceId) =>
      fallsOf({ problem, schedule: { algorithm: 'mma' }, device }, undefined, device).fall?.falls ??
      [];
    const found = of('h200').find(({ cause }) => cause === 'instruction');
    assert.match(found?.text ?? '', /^mma\.sync reaches 64 % of the tensor-core peak/);
    assert.ok(found !== undefined && found.share > 0.1);
    assert.ok(of('a100-sxm-80gb').every(({ cause }) => cause !== 'instruction'));
  });

  it('takes waits away by what each is, whichever is the last one', () => {
    const block = { m: 64, n: 64, k: 8 };
    const schedule = { algorithm: 'vectorized', block, thread: { m: 4, n: 4 }, vector: 4 } as const;
    const { analysis, plan } = fallsOf({ problem: { m: 512, n: 512, k: 4096 }, schedule });
    const model = modelOf(analysis, plan);
    assert.ok(model !== null);
    const without = (...causes: readonly Cause[]): number =>
      model.millisecondsWithout(['latency', ...causes]);
    const fragments = without() - without('fragments');
    const barriers = without('fragments') - without('fragments', 'barriers');
    assert.ok(barriers > 0, 'one a tile, of 9 cycles');
    assert.ok(fragments > 4 * barriers, 'eight a tile, of 10 cycles each');
  });

  it('folds losses only into a term that is not larger than any loss shown separately', () => {
    const foldOf = (...milliseconds: readonly number[]): readonly [number, number] => {
      const falls = milliseconds.map(
        time => ({ cause: 'latency', milliseconds: time, share: 0, tflops: 1 }) as const,
      );
      const { shown, rest } = foldLosses(falls);
      assert.deepEqual([...shown, ...rest], falls);
      return [shown.length, rest.length];
    };
    assert.deepEqual(foldOf(), [0, 0]);
    assert.deepEqual(foldOf(60, 43, 6, 5), [4, 0]);
    assert.deepEqual(foldOf(60, 43, 6, 5, 1), [5, 0], 'one loss keeps its name');
    assert.deepEqual(foldOf(60, 43, 6, 5, 2, 1, 1), [4, 3]);
    assert.deepEqual(foldOf(60, 43, 6, 5, 4, 1, 1), [5, 2]);
    assert.deepEqual(foldOf(5, 2.4, 1.8, 1.7, 1.4, 1, 0.8), [7, 0]);
  });

  it('says nothing where the model says nothing', () => {
    const kernel = kernelOf(cube(256, 'naive'), 'wgsl');
    assert.ok(kernel !== null);
    assert.equal(waterfall(analyze(kernel, { device: 'h200' }), kernel.plan), null);
    assert.equal(waterfall(analyze(kernel, { device: 'apple-m4' }), null), null);
  });
});

describe('edits against a cause', () => {
  it('are legal, and the prediction with them is what they say', () => {
    const spec = cube(1024, 'warp-tile');
    const { kernel } = fallsOf(spec);
    const edits = gapEdits(kernel.plan, deviceOf('h200'), LANE_COSTS);
    assert.ok(edits.latency !== undefined, 'a pipeline or smaller tiles hide it');
    for (const [cause, edit] of Object.entries(edits)) {
      assert.ok(edit.tflops > edit.tflopsNow * 1.01, cause);
      const set = edit.changes.map(({ path, to }) => `${path}=${to}`);
      const overridden = applyOverrides(toSpec(kernel.spec), set);
      assert.ok(overridden.ok);
      const decoded = decodeSpec(overridden.value);
      assert.ok(decoded.ok, set.join(' '));
      const edited = fallsOf(decoded.spec).fall;
      assert.ok(edited !== null, set.join(' '));
      assert.ok(near(edited.predicted.tflops, edit.tflops), `${cause}: ${set.join(' ')}`);
    }
  });

  it('lead from one algorithm to the next: coalesced accesses, then tiles in shared memory', () => {
    const block = { m: 32, n: 32 };
    const steps = [
      [{ algorithm: 'naive', block }, 'coalesced'],
      [{ algorithm: 'coalesced', variant: 'swap', block }, 'shared-tile'],
      [{ algorithm: 'coalesced', variant: 'remap', block }, 'shared-tile'],
    ] as const;
    for (const [schedule, next] of steps) {
      const { kernel } = fallsOf({ problem: { m: 1024, n: 1024, k: 1024 }, schedule });
      const edit = gapEdits(kernel.plan, deviceOf('rtx-4090'), LANE_COSTS)['load-store'];
      assert.ok(edit !== undefined, schedule.algorithm);
      const set = edit.changes.map(({ path, to }) => `${path}=${to}`);
      assert.equal(set[0], `schedule.algorithm=${next}`);
      const overridden = applyOverrides(toSpec(kernel.spec), set);
      assert.ok(overridden.ok);
      const decoded = decodeSpec(overridden.value);
      assert.ok(decoded.ok, set.join(' '));
      assert.equal(fallsOf(decoded.spec).kernel.plan.algorithm, next);
    }
  });

  it('offer none for a cause that no neighbour takes away', () => {
    const { kernel } = fallsOf(cube(4096, 'pipelined'));
    const edits = gapEdits(kernel.plan, deviceOf('h200'), ['launch']);
    assert.deepEqual(edits, {});
    assert.deepEqual(gapEdits(kernel.plan, deviceOf('apple-m4'), LANE_COSTS), {});
  });
});
