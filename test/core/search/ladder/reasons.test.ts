/** Reasons name every site that changed, and hold for the machine that measured. */
import assert from 'node:assert/strict';
import { analyze } from '../../../../src/core/report/analyze';
import { fitRungs, predictedGflops, stepsOf } from '../../../../src/core/search/ladder/ladderSteps';
import { predictedFor, rateUnitOf } from '../../../../src/core/search/ladder/rates';
import { stepReport } from '../../../../src/core/search/ladder/report';
import type { Measurement } from '../../../../src/core/measure/measurement';
import { TARGETS } from '../../../../src/core/spec/schema';
import { timed } from '../../../helpers/measurements';

const problem = { m: 1024, n: 1024, k: 1024 };
const SOFTWARE: Measurement['device'] = {
  name: 'SwiftShader (software)',
  adapter: 'google swiftshader',
  driver: '5.0.0',
  where: 'cli',
};
const on = (device: Measurement['device'], gflops: number): Measurement => ({
  ...timed({ gflops }),
  device,
});

describe('the reasons of a rung', () => {
  for (const target of TARGETS) {
    it(`name every site whose wavefronts or sectors changed, in ${target}`, () => {
      const steps = stepsOf(fitRungs({ problem }, target), new Map(), 'h200');
      let changed = 0;
      for (const [i, { hold, gain }] of steps.entries()) {
        const before = steps[i - 1]?.hold;
        if (!hold.ok || before?.ok !== true || gain === null) continue;
        const [was, is] = [before, hold].map(({ kernel }) => analyze(kernel, { device: 'h200' }));
        const others = [...(was?.sharedMemory ?? [])];
        for (const site of is?.sharedMemory ?? []) {
          const other = others.find(one => one.operand === site.operand && one.op === site.op);
          if (other === undefined || other.wavefrontsPerRequest === site.wavefrontsPerRequest)
            continue;
          // Wider accesses take more wavefronts without a conflict: the width is named then.
          changed += 1;
          assert.ok(gain.text.includes(site.site), `${hold.number}: ${gain.text}`);
          assert.doesNotMatch(gain.text, /no derived figure changes/);
        }
        for (const site of is?.globalMemory ?? []) {
          const other = was?.globalMemory.find(
            one => one.operand === site.operand && one.op === site.op,
          );
          const first = is?.globalMemory.find(
            one => one.operand === site.operand && one.op === site.op,
          );
          if (first !== site || other?.widthBytes !== site.widthBytes) continue;
          if (other.sectorsPerRequest === site.sectorsPerRequest) continue;
          changed += 1;
          assert.ok(gain.text.includes(site.site), `${hold.number}: ${gain.text}`);
        }
      }
      assert.ok(changed >= 8, String(changed));
    });
  }

  it('report a changed block order', () => {
    const steps = stepsOf(fitRungs({ problem }, 'cuda'), new Map(), 'h200');
    assert.match(
      steps[2]?.gain?.text ?? '',
      /consecutive blocks compute tiles along a column of C/,
    );
  });

  it('omit figures of the spec’s device if another machine measured', () => {
    const holds = fitRungs({ problem }, 'wgsl');
    const runs = new Map(holds.map(({ number }) => [number, on(SOFTWARE, number)] as const));
    const texts = stepsOf(holds, runs, 'h200').flatMap(({ gain }) => gain?.text ?? []);
    for (const text of texts) {
      assert.doesNotMatch(text, /occupancy|waves \d/, text);
      const [here = ''] = text.split('on NVIDIA H200 (model): ');
      assert.doesNotMatch(here, /sectors|wavefronts|bank conflicts/, text);
    }
    assert.match(
      texts[0] ?? '',
      /on NVIDIA H200 \(model\): 6\.6x fewer sectors loaded from global memory/,
    );
    assert.match(texts.join('\n'), /32x fewer bytes loaded from global memory/);
  });

  it('are derived for the measuring machine if the table has it', () => {
    const holds = fitRungs({ problem }, 'cuda');
    const device = { ...SOFTWARE, name: 'NVIDIA GeForce RTX 3070 Laptop GPU', adapter: '8.6' };
    const runs = new Map(holds.map(({ number }) => [number, on(device, number)] as const));
    const steps = stepsOf(holds, runs, 'h200');
    const own = stepsOf(holds, new Map(), 'rtx-3070-laptop');
    assert.deepEqual(
      steps.map(({ gain }) => gain?.reasons),
      own.map(({ gain }) => gain?.reasons),
    );
    // The prediction stays one for the spec's device.
    assert.equal(predictedFor(steps), 'NVIDIA H200');
  });
});

describe('predicted rates of a ladder', () => {
  it('exist for every CUDA rung, with gains, without times', () => {
    const steps = stepsOf(fitRungs({ problem }, 'cuda'), new Map(), 'h200');
    for (const [i, step] of steps.entries()) {
      const { predicted } = stepReport(step);
      assert.equal(predicted?.device, 'NVIDIA H200');
      assert.ok(predicted.gflops !== null && predicted.gflops > 0);
      assert.equal(predicted.gflops, predictedGflops(step));
      const before = steps[i - 1];
      if (before === undefined) continue;
      assert.equal(step.gain?.factor, null);
      assert.equal(
        step.gain.predictedFactor,
        predicted.gflops / (predictedGflops(before) ?? Number.NaN),
      );
      assert.match(step.gain.text, /^[\d.]+x predicted: /);
    }
  });

  it('are missing for WGSL, which no time model covers', () => {
    const steps = stepsOf(fitRungs({ problem }, 'wgsl'), new Map(), 'h200');
    assert.equal(predictedFor(steps), null);
    assert.ok(steps.every(step => stepReport(step).predicted?.gflops === null));
  });
});

describe('the unit of a table', () => {
  const unitAt = (...gflops: readonly number[]) => {
    const holds = fitRungs({ problem }, 'wgsl').slice(0, gflops.length);
    const runs = new Map(gflops.map((rate, i) => [i + 1, on(SOFTWARE, rate)] as const));
    return rateUnitOf(stepsOf(holds, runs, 'h200'));
  };

  it('is chosen once by the fastest rung, on both sides of 1 TFLOP/s', () => {
    assert.equal(unitAt(0.1, 999.9).name, 'GFLOP/s');
    assert.equal(unitAt(0.1, 1000).name, 'TFLOP/s');
  });

  it('keeps three significant digits of the slowest rate', () => {
    const slow = unitAt(0.0813, 0.000_081_3);
    assert.equal(slow.text(0.0813), '0.0813');
    assert.equal(slow.text(0.000_081_34), '0.0000813');
    assert.equal(unitAt(2000, 1).text(1), '0.00100');
  });
});
