/**
 * The hierarchical roofline: bandwidths with their origin, ridge points, roofs a level, and what
 * was measured below them.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { analyze } from '../../../src/core/report/analyze';
import { drawnCeilings, ceilingItem } from '../../../src/core/charts/drawnCeilings';
import {
  computeUnits,
  rooflineOfLevels,
  type LevelRoofline,
} from '../../../src/core/roofline/levelRoofline';
import { rooflineChart } from '../../../src/core/charts/rooflineChart';
import { bandwidthsOf } from '../../../src/core/hardware/bandwidth';
import { deviceOf, devices, type DeviceId } from '../../../src/core/hardware/devices';
import type { Kernel } from '../../../src/core/kernel/kernel';
import { measurementSchema } from '../../../src/core/measure/measurement';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { kernelFor } from '../../helpers/kernels';

const PROBLEM = { m: 1024, n: 1024, k: 1024 };

function roofsOf(kernel: Kernel, id: DeviceId): LevelRoofline | null {
  return rooflineOfLevels(kernel, deviceOf(id), analyze(kernel, { device: id }));
}

describe('bandwidth per level', () => {
  const of = (id: DeviceId, level: 'shared' | 'l1' | 'l2' | 'dram') =>
    bandwidthsOf(deviceOf(id))[level].map(({ GBps, from }) => [Math.round(GBps), from]);

  it('is 128 B per clock and SM for shared memory and L1, 64 on Turing', () => {
    assert.deepEqual(of('h200', 'shared'), [[33_454, 'derived']]);
    assert.deepEqual(of('h200', 'l1'), of('h200', 'shared'));
    assert.deepEqual(of('t4', 'shared'), [[4070, 'derived']]);
    assert.match(
      bandwidthsOf(deviceOf('h200')).shared[0]?.origin ?? '',
      /^128 B\/clock x 132 SMs x 1980 MHz$/,
    );
  });

  it('is of a source for L2, or not given', () => {
    assert.deepEqual(of('a100-sxm-80gb', 'l2'), [[7219, 'derived']]);
    assert.deepEqual(of('h200', 'l2'), [[9675, 'measured']]);
    assert.deepEqual(of('rtx-4090', 'l2'), []);
    const { l2Read } = deviceOf('v100-sxm2-16gb');
    assert.equal(l2Read?.GBps, Math.round((2048 * 1530) / 1000));
  });

  it('of DRAM is the datasheet first, then what was measured', () => {
    assert.deepEqual(of('h200', 'dram'), [
      [4800, 'spec'],
      [4260, 'measured'],
    ]);
    assert.deepEqual(of('b200', 'shared'), [], 'no boost clock is published');
    assert.deepEqual(of('rx-7900-xtx', 'l1'), []);
  });

  it('grows towards the registers, on every device', () => {
    for (const device of devices) {
      const { shared, l2, dram } = bandwidthsOf(device);
      const known = [dram[0], l2[0], shared[0]].flatMap(one => (one === undefined ? [] : one.GBps));
      assert.deepEqual(
        known.toSorted((one, other) => one - other),
        known,
        device.id,
      );
    }
  });
});

describe('hierarchical roofline', () => {
  it('gives every level its intensity, ridge, time and roof, and the lowest as the bound', () => {
    const naive = roofsOf(
      kernelFor({ problem: PROBLEM, schedule: { algorithm: 'naive' }, device: 'h200' }),
      'h200',
    );
    assert.ok(naive !== null);
    assert.deepEqual(
      naive.levels.map(({ level }) => level),
      ['l1', 'l2', 'dram'],
    );
    const [l1] = naive.levels;
    assert.ok(l1?.roof !== undefined && l1.ridge !== undefined && l1.milliseconds !== undefined);
    assert.equal(naive.limitedBy, 'l1');
    assert.equal(l1.bound, 'memory');
    assert.equal(naive.attainable.value, l1.roof.value);
    // A roof is the FLOP of the problem in the time that the level alone takes.
    const flop = 2 * 1024 ** 3;
    assert.ok(Math.abs(flop / l1.milliseconds.value / 1e9 / l1.roof.value - 1) < 1e-9);
    assert.ok(Math.abs(l1.ridge.value - 66_900 / 33_454.08) < 1e-9);
  });

  it('is bound by multiply-adds where every level allows the peak', () => {
    const roofs = roofsOf(
      kernelFor({ problem: PROBLEM, schedule: { algorithm: 'warp-tile' } }),
      'h200',
    );
    assert.equal(roofs?.limitedBy, 'compute');
    assert.equal(roofs.attainable.value, 66.9);
    assert.equal(roofs.reached.measured, null);
    assert.ok((roofs.reached.predicted ?? 0) > 0 && (roofs.reached.predicted ?? 2) < 1);
    assert.ok(roofs.levels.every(({ bound }) => bound === 'compute'));
  });

  it('is not passed by what is predicted of a kernel that waits for banks', () => {
    const f16 = { dtype: 'f16', layout: 'row' } as const;
    const problem = {
      m: 8192,
      n: 8192,
      k: 8192,
      a: f16,
      b: { ...f16, layout: 'col' },
      c: f16,
    } as const;
    const tiles = { block: { m: 128, n: 128, k: 8 }, thread: { m: 8, n: 8 } };
    const schedule = { algorithm: 'thread-tile-2d', ...tiles } as const;
    const kernel = kernelFor({
      problem: { ...problem, accumulator: 'f32' },
      schedule,
      device: 'rtx-4090',
    });
    const roofs = roofsOf(kernel, 'rtx-4090');
    assert.equal(roofs?.limitedBy, 'shared');
    const { predicted } = roofs.reached;
    assert.ok(predicted !== null && predicted > 0.9 && predicted <= 1, `${predicted}`);
  });

  it('names a level without a known bandwidth, and gives it no roof', () => {
    const roofs = roofsOf(kernelFor({ problem: PROBLEM, device: 'rtx-4090' }), 'rtx-4090');
    const l2 = roofs?.levels.find(({ level }) => level === 'l2');
    assert.ok(l2 !== undefined && l2.intensity.value > 0);
    assert.equal(l2.roof, undefined);
    assert.equal(
      roofsOf(kernelFor({ problem: PROBLEM }), 'apple-m4'),
      null,
      'no peak is published',
    );
  });

  it('has the tensor cores of the operands, never as the unit that is used', () => {
    const units = (a: object, accumulator = 'f32') =>
      computeUnits(
        resolve({ problem: { ...PROBLEM, a, b: a, accumulator } as GemmSpec['problem'] }).problem,
        deviceOf('h200'),
      ).map(({ unit, dtype, peak, used }) => [unit, dtype, peak.value, used]);
    assert.deepEqual(units({}), [
      ['fma', 'f32', 66.9, true],
      ['tensor', 'tf32', 494.7, false],
    ]);
    assert.deepEqual(units({ dtype: 'f16' })[1], ['tensor', 'f16', 989, false]);
    assert.deepEqual(units({ dtype: 'f64' }, 'f64'), [
      ['fma', 'f64', 33.5, true],
      ['tensor', 'f64', 66.9, false],
    ]);
    assert.deepEqual(
      computeUnits(resolve({ problem: PROBLEM }).problem, deviceOf('v100-sxm2-16gb')).length,
      1,
      'Volta multiplies no tf32',
    );
  });

  it('bounds everything that was measured on the H200, where it says that it bounds', () => {
    const schema = v.object({ results: v.array(measurementSchema) });
    const file: unknown = JSON.parse(readFileSync('bench/h200-ladder-cuda.json', 'utf8'));
    let [compared, bounding] = [0, 0];
    for (const run of v.parse(schema, file).results) {
      const { resolved, timing } = run;
      if (resolved === null || timing === undefined) continue;
      const { problem, schedule } = resolved;
      const kernel = kernelFor({ problem, schedule });
      const tflops = timing.gflops / 1000;
      const roofs = roofsOf(kernel, 'h200');
      assert.ok(tflops <= (roofs?.attainable.value ?? 0), run.specKey);
      for (const { level, roof, asWritten } of roofs?.levels ?? []) {
        const allowed = roof?.value ?? 0;
        if (asWritten === true) {
          assert.equal(level, 'shared');
          assert.ok(tflops <= 4 * allowed, 'four loads are joined at most');
          continue;
        }
        bounding += Number(level === 'shared');
        assert.ok(tflops <= allowed, `${run.specKey}: ${tflops} above ${allowed}, ${level}`);
        compared++;
      }
    }
    assert.ok(bounding > 20, `${bounding} roofs of shared memory bound`);
    assert.ok(compared > 60, String(compared));
  });
});

describe('roofs in the chart', () => {
  const roofs = roofsOf(
    kernelFor({ problem: PROBLEM, schedule: { algorithm: 'warp-tile' } }),
    'h200',
  );
  assert.ok(roofs !== null);
  const all = drawnCeilings(roofs);

  it('draws one line for shared memory and L1, none for DRAM, and a mark for each level', () => {
    assert.deepEqual(
      all.map(({ item, ceiling }) => [item, ceiling?.name]),
      [
        ['roof:shared', 'shared memory and L1'],
        ['roof:l1', undefined],
        ['roof:l2', 'L2, measured on this GPU model'],
        ['roof:dram', undefined],
        ['roof:tensor', 'tf32 tensor cores, not used'],
      ],
    );
    const alone = drawnCeilings(roofs, ['l1']);
    assert.deepEqual(
      alone.map(({ ceiling }) => ceiling?.name),
      ['L1'],
    );
  });

  it('names the unit that is not used, of kernels on tensor cores the multiply-adds', () => {
    for (const algorithm of ['mma', 'wgmma'] as const) {
      const bf16 = { a: { dtype: 'bf16' }, b: { dtype: 'bf16', layout: 'col' } } as const;
      const planned = plan(
        resolve({ problem: { ...PROBLEM, ...bf16 }, schedule: { algorithm } }),
        'cuda',
      );
      assert.ok(planned.ok);
      const found = roofsOf(emit(planned.plan), 'h200');
      assert.ok(found !== null);
      const unused = drawnCeilings(found).filter(roof => roof.unused);
      assert.deepEqual(
        unused.map(({ item, label, ceiling }) => [item, label, ceiling?.value]),
        [['roof:fma', 'f32 FMA, not used', 66.9]],
        algorithm,
      );
      assert.ok(!drawnCeilings(found, ['dram']).some(roof => roof.unused));
    }
  });

  it('shows all of it inside of the frame, lines ending at the unit that is used', () => {
    const kernel = kernelFor({ problem: PROBLEM, schedule: { algorithm: 'warp-tile' } });
    const { roofline } = analyze(kernel, { device: 'h200' });
    const size = { width: 760, height: 460 };
    const chart = rooflineChart(roofline, size, { roofs: all });
    const marks = (key: Parameters<typeof ceilingItem>[0]) =>
      chart.marks.filter(
        ({ item, kind, role }) => item === ceilingItem(key) && kind !== 'text' && role !== 'leader',
      );
    assert.equal(marks('shared').length, 2);
    assert.equal(marks('l1').length, 1);
    assert.equal(marks('tensor').length, 1);
    const peak = chart.marks.find(({ item, kind }) => item === 'ceiling:0' && kind === 'line');
    const shared = marks('shared').find(({ kind }) => kind === 'line');
    const tensor = marks('tensor')[0];
    assert.ok(peak?.kind === 'line' && shared?.kind === 'line' && tensor?.kind === 'line');
    assert.ok(Math.abs(shared.y2 - peak.y1) < 0.01, 'the level ends where the peak begins');
    assert.ok(Math.abs(shared.x2 - peak.x1) < 0.01);
    assert.ok(tensor.y1 < peak.y1, 'the unused unit is above');
    assert.equal(tensor.role, 'ceiling-unused');
    for (const mark of chart.marks) {
      if (mark.kind === 'point')
        assert.ok(mark.x > 0 && mark.x < 760 && mark.y > 0 && mark.y < 460);
    }
  });
});
