/**
 * The time model: its closed forms beside the IR's evaluation, what must hold of any prediction,
 * and the recorded runs.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import * as v from 'valibot';
import { kernelOf } from '../../../scripts/grid/properties';
import { specOf } from '../../../scripts/grid/specs';
import { judged, spearman } from '../../../scripts/model/judge';
import { pointsOf } from '../../../scripts/model/points';
import { analyze } from '../../../src/core/report/analyze';
import { deviceOf, type DeviceId } from '../../../src/core/hardware/devices';
import { measurementSchema } from '../../../src/core/measure/measurement';
import { TENSOR_PEAK_OF } from '../../../src/core/hardware/peakKeys';
import { calibrationFor } from '../../../src/core/model/calibration';
import { closedCosts } from '../../../src/core/model/closedCosts';
import { explainedGaps } from '../../../src/core/model/gap/gaps';
import { predict } from '../../../src/core/model/predict';
import { HOPPER_MMA_SHARE } from '../../../src/core/model/machine';
import { modelInput } from '../../../src/core/model/report';
import { analyzedCosts, type SiteCosts } from '../../../src/core/model/siteCosts';
import type { DType } from '../../../src/core/types/dtype';
import { tensorRungs } from '../../../src/core/search/ladder/tensorRungs';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { runs, sampleOf } from '../../helpers/depth';

const read = (file: string): unknown => JSON.parse(readFileSync(`bench/${file}`, 'utf8'));
const device = deviceOf('h200');

/** Sizes of whole tiles, rows of whole sectors: what the closed forms of loads state. */
function aligned(seed: number): GemmSpec {
  const { schedule } = specOf(seed);
  return { problem: { m: 512, n: 512, k: 512 }, ...(schedule === undefined ? {} : { schedule }) };
}

const costsOf = ({ load, store, fragment }: SiteCosts): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries({ load, store, fragment }).flatMap(([name, sites]) =>
      (['a', 'b'] as const).flatMap(operand => {
        const site = sites?.[operand];
        return [
          [`${name} ${operand} bytes`, site?.widthBytes ?? NaN] as const,
          [`${name} ${operand} cost`, Number((site?.cost ?? NaN).toFixed(9))] as const,
        ];
      }),
    ),
  );

describe('closed forms of what requests cost', () => {
  it('are what the evaluation of the IR says, for random legal schedules', () => {
    const closed = closedCosts();
    let compared = 0;
    for (let seed = 1; compared < sampleOf(80, 20); seed++) {
      const kernel = kernelOf(aligned(seed), seed % 4 === 0 ? 'wgsl' : 'cuda');
      if (kernel === null) continue;
      const { m, n, k } = kernel.plan.tile;
      if ([m, n, k].some(extent => 512 % Math.max(1, extent) !== 0) || k % 8 !== 0) continue;
      const ours = closed(kernel.plan);
      if (ours === null) continue;
      const { globalMemory, sharedMemory } = analyze(kernel, { device: 'h200' });
      assert.deepEqual(
        costsOf(ours),
        costsOf(analyzedCosts(globalMemory, sharedMemory)),
        `seed ${seed}: ${kernel.specKey}`,
      );
      compared++;
    }
  }).timeout(60_000);

  it('say nothing of kernels that they do not cover', () => {
    const naive = kernelOf(
      { problem: { m: 64, n: 64, k: 64 }, schedule: { algorithm: 'naive' } },
      'cuda',
    );
    assert.ok(naive !== null);
    assert.equal(closedCosts()(naive.plan), null);
  });
});

describe('a prediction', () => {
  const inputOf = (seed: number) => {
    const kernel = kernelOf(specOf(seed), 'cuda');
    if (kernel === null) return null;
    const analysis = analyze(kernel, { device: 'h200' });
    const costs = analyzedCosts(analysis.globalMemory, analysis.sharedMemory);
    return {
      analysis,
      plan: kernel.plan,
      input: modelInput({ plan: kernel.plan, costs, device, occupancy: analysis.occupancy }),
    };
  };

  it('is a finite time, no shorter than its launches and what DRAM takes, and its gaps gain', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), seed => {
        const found = inputOf(seed);
        if (!found?.input) return;
        const { milliseconds, parts, tflops } = predict(found.input);
        assert.ok(Number.isFinite(milliseconds) && Number.isFinite(tflops));
        assert.ok(milliseconds >= Math.max(parts.dram, parts.multiprocessors) + parts.launch);
        for (const { share, tflopsWithout, text } of explainedGaps(found.analysis, found.plan)) {
          assert.ok(share > 0 && share <= 1 && tflopsWithout > tflops, text);
        }
      }),
      { ...runs(60) },
    );
  }).timeout(60_000);

  it('stands on the roofline below what is attainable', () => {
    const kernel = kernelOf(
      { problem: { m: 4096, n: 4096, k: 4096 }, schedule: { algorithm: 'pipelined' } },
      'cuda',
    );
    assert.ok(kernel !== null);
    const { prediction, roofline } = analyze(kernel, { device: 'h200' });
    const point = roofline.points.find(({ kind }) => kind === 'predicted');
    assert.equal(point?.tflops, prediction?.tflops.value);
    assert.ok(prediction !== null && prediction.tflops.value < roofline.attainable.value);
  });

  it('is none for WGSL, a device without occupancy rules, and a block that fits no SM', () => {
    const spec: GemmSpec = {
      problem: { m: 256, n: 256, k: 256 },
      schedule: { algorithm: 'pipelined' },
    };
    const [cuda, wgsl] = [kernelOf(spec, 'cuda'), kernelOf(spec, 'wgsl')];
    assert.ok(cuda !== null && wgsl !== null);
    assert.equal(analyze(wgsl, { device: 'h200' }).prediction, null);
    assert.equal(analyze(cuda, { device: 'apple-m2' }).prediction, null);
    const resources = { registers: 255, sharedBytes: 0 };
    assert.ok(analyze(cuda, { device: 'h200', resources }).prediction !== null);
    const tooMany = { registers: 256, sharedBytes: 300_000 };
    assert.equal(analyze(cuda, { device: 'h200', resources: tooMany }).prediction, null);
  });

  const onTensorCores = (spec: GemmSpec & { readonly device?: DeviceId }) => {
    const kernel = kernelOf(spec, 'cuda');
    assert.ok(kernel !== null);
    const { prediction, roofline } = analyze(kernel, { device: spec.device ?? 'h200' });
    return { kernel, prediction, roofline };
  };
  const bf16 = (size: number, device: DeviceId = 'h200') => ({
    problem: { m: size, n: size, k: size, a: { dtype: 'bf16' as const } },
    device,
    schedule: { algorithm: 'mma' as const },
  });

  it('of tensor cores is below what mma.sync reaches, and says that nothing was fitted to it', () => {
    for (const size of [1024, 4096, 8192]) {
      const { prediction, roofline } = onTensorCores(bf16(size));
      assert.ok(prediction !== null && !prediction.fitted);
      assert.match(prediction.origin, /^not fitted to tensor-core kernels/);
      const most = roofline.attainable.value * (HOPPER_MMA_SHARE.bf16 ?? 0);
      assert.ok(prediction.tflops.value > 0.1 * most && prediction.tflops.value < most);
    }
  });

  it('of tensor cores gains with each rung that asks for less, or waits for less', () => {
    const { problem } = bf16(4096);
    const rungs = tensorRungs('bf16').filter(
      ({ algorithm, schedule }) => algorithm === 'mma' && schedule.kernelSchedule === undefined,
    );
    const rates = rungs.map(
      ({ schedule }) => onTensorCores({ problem, schedule }).prediction?.tflops.value ?? NaN,
    );
    rates.forEach((rate, i) => {
      assert.ok(rate >= (rates[i - 1] ?? 0), rates.join());
    });
    assert.ok((rates[1] ?? 0) > 2 * (rates[0] ?? 0), 'conflicts');
  });

  // 235 TFLOP/s, "profiler.md" of CUTLASS: f16, 256 x 128 x 32, three stages, warps of 64 x 64
  // (sm_80).
  it('of tensor cores of an A100 is within 20 % of what CUTLASS measured of such a kernel', () => {
    const { prediction } = onTensorCores({
      problem: { m: 8192, n: 8192, k: 8192, a: { dtype: 'f16' } },
      device: 'a100-sxm-80gb',
      schedule: {
        algorithm: 'mma',
        block: { m: 256, n: 128, k: 32 },
        warp: { m: 64, n: 64 },
        stages: 3,
        fragments: 2,
        swizzle: 'xor',
      },
    });
    assert.ok(Math.abs((prediction?.tflops.value ?? 0) / 235 - 1) < 0.2);
  });

  it('takes what mma.sync reaches of a Hopper from what was measured, and knows none of others', () => {
    const { list } = v.parse(
      v.object({ list: v.array(v.object({ id: v.string(), value: v.number() })) }),
      read('h200-ceilings.json'),
    );
    const { peakTflops } = device;
    for (const [dtype, share] of Object.entries(HOPPER_MMA_SHARE)) {
      const measured = list.find(({ id }) => id.startsWith(`mma.${dtype}.`))?.value ?? NaN;
      const peak = peakTflops[TENSOR_PEAK_OF[dtype as DType] ?? 'f32'] ?? NaN;
      assert.ok(
        Math.abs(measured / 1000 / peak - share) < 0.001,
        `${dtype} ${measured / 1000 / peak}`,
      );
    }
    assert.equal(onTensorCores(bf16(1024, 'b200')).prediction, null);
  });

  it('says whose cycles it took: a device without a calibration borrows those of the H200', () => {
    assert.equal(calibrationFor('h200')?.device, 'h200');
    assert.equal(calibrationFor('rtx-4090')?.device, 'h200');
  });
});

describe('the time model beside recorded runs', () => {
  const recordSchema = v.object({
    calibration: v.record(v.string(), v.unknown()),
    fittedTo: v.object({ points: v.array(v.object({ specKey: v.string() })) }),
    judgedOn: v.object({ spearman: v.number(), rmsLog: v.number() }),
  });
  const record = v.parse(recordSchema, read('time-model.json'));

  it('ships what was fitted', () => {
    const shipped = calibrationFor('h200')?.calibration;
    assert.deepEqual({ ...shipped, origin: '' }, { ...record.calibration, origin: '' });
  });

  it('orders the runs that it was not fitted to', () => {
    const schema = v.object({ results: v.array(measurementSchema) });
    const known = new Set(record.fittedTo.points.map(({ specKey }) => specKey));
    const { results } = v.parse(schema, read('h200-judge.json'));
    const some = results.filter((run, i) => i % 4 === 0 && !known.has(run.specKey));
    const points = pointsOf(some);
    const found = calibrationFor('h200');
    assert.ok(found !== null && points.length >= 60, `${points.length}`);
    const { spearman: rank, rmsLog } = judged(points, found.calibration);
    assert.ok(rank >= 0.9, `${rank}`);
    assert.ok(rmsLog < 0.25, `${rmsLog}`);
  });

  it('ranks as Spearman did, equal values sharing theirs', () => {
    assert.equal(spearman([1, 2, 3], [10, 20, 30]), 1);
    assert.equal(spearman([1, 2, 3], [3, 2, 1]), -1);
    assert.ok(Math.abs(spearman([1, 1, 2], [1, 2, 3]) - Math.sqrt(3) / 2) < 1e-12);
  });
});
