/** The hierarchical roofline: bandwidths with their origin, ridge points, roofs a level, and what was measured below them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { kernelOf } from '../../scripts/grid/properties';
import { analyze } from '../../src/core/analysis/analyze';
import { drawnRoofs, roofItem } from '../../src/core/analysis/drawnRoofs';
import {
  computeUnits,
  rooflineOfLevels,
  type LevelRoofline,
} from '../../src/core/analysis/levelRoofline';
import { measuredCeilings, withoutHidden } from '../../src/core/analysis/roofline';
import { rooflineChart } from '../../src/core/analysis/rooflineChart';
import { bandwidthsOf } from '../../src/core/device/bandwidth';
import { deviceOf, devices, type DeviceId } from '../../src/core/device/devices';
import type { Kernel } from '../../src/core/emit/kernel';
import { measurementSchema, type Measurement } from '../../src/core/measure/measurement';
import { resolve } from '../../src/core/spec/resolve';
import type { GemmSpec } from '../../src/core/spec/schema';
import { timed } from '../helpers/measurements';

const PROBLEM = { m: 1024, n: 1024, k: 1024 };

function kernelFor(spec: GemmSpec): Kernel {
  const kernel = kernelOf(spec, 'cuda');
  assert.ok(kernel !== null);
  return kernel;
}

function roofsOf(kernel: Kernel, id: DeviceId): LevelRoofline | null {
  return rooflineOfLevels(kernel, deviceOf(id), analyze(kernel, { device: id }));
}

describe('bandwidth a level', () => {
  const of = (id: DeviceId, level: 'shared' | 'l1' | 'l2' | 'dram') =>
    bandwidthsOf(deviceOf(id))[level].map(({ GBps, from }) => [Math.round(GBps), from]);

  it('is 128 B a clock and SM for shared memory and L1, 64 on Turing', () => {
    assert.deepEqual(of('h200', 'shared'), [[33_454, 'derived']]);
    assert.deepEqual(of('h200', 'l1'), of('h200', 'shared'));
    assert.deepEqual(of('t4', 'shared'), [[4070, 'derived']]);
    assert.match(
      bandwidthsOf(deviceOf('h200')).shared[0]?.origin ?? '',
      /^128 B a clock x 132 SMs x 1980 MHz$/,
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
  const all = drawnRoofs(roofs, 'NVIDIA H200');

  it('draws one line for shared memory and L1, none for DRAM, and a mark for each level', () => {
    assert.deepEqual(
      all.map(({ item, ceiling }) => [item, ceiling?.name]),
      [
        ['roof:shared', 'shared memory and L1'],
        ['roof:l1', undefined],
        ['roof:l2', 'L2, measured on such a GPU'],
        ['roof:dram', undefined],
        ['roof:tensor', 'tf32 tensor cores, not used'],
      ],
    );
    const alone = drawnRoofs(roofs, 'NVIDIA H200', ['l1']);
    assert.deepEqual(
      alone.map(({ ceiling }) => ceiling?.name),
      ['L1'],
    );
  });

  it('shows all of it inside of the frame, lines ending at the unit that is used', () => {
    const kernel = kernelFor({ problem: PROBLEM, schedule: { algorithm: 'warp-tile' } });
    const { roofline } = analyze(kernel, { device: 'h200' });
    const size = { width: 760, height: 460 };
    const chart = rooflineChart(roofline, size, { roofs: all });
    const marks = (key: Parameters<typeof roofItem>[0]) =>
      chart.marks.filter(({ item, kind }) => item === roofItem(key) && kind !== 'text');
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

describe('ceilings measured on the GPU of the runs', () => {
  const fixture: unknown = JSON.parse(readFileSync('test/fixtures/h200-ceilings.json', 'utf8'));
  const ceilings = v.parse(measurementSchema.entries.ceilings.wrapped, fixture);
  const kernel = kernelFor({ problem: PROBLEM, schedule: { algorithm: 'warp-tile' } });
  const run = timed({ gflops: 42_521, resolved: kernel.spec, where: 'cli', ceilings });
  const of = (runs: readonly Measurement[], spec = kernel) =>
    analyze(spec, { device: 'h200', measurements: runs });
  const machine = 'NVIDIA H200, cli';

  it('are all drawn, beside the datasheet, in the type of the operands', () => {
    const { roofline } = of([run]);
    assert.deepEqual(
      roofline.ceilings.map(each => [each.name, Math.round(each.value), each.from, each.machine]),
      [
        ['f32 peak', 67, 'spec', 'NVIDIA H200'],
        ['DRAM bandwidth', 4800, 'spec', 'NVIDIA H200'],
        ['FMA, measured on this GPU', 65, 'measured', machine],
        ['copy, measured on this GPU', 4205, 'measured', machine],
        ['L2 reads, measured on this GPU', 7274, 'measured', machine],
        ['shared memory reads, measured on this GPU', 31_002, 'measured', machine],
        ['tf32 mma, measured on this GPU', 313, 'measured', machine],
        ['tf32 wgmma, measured on this GPU', 442, 'measured', machine],
      ],
    );
    const names = (a: object, b: object) =>
      measuredCeilings(run, resolve({ problem: { ...PROBLEM, a, b } }).problem)
        .filter(each => each.of === 'tensor')
        .map(({ name }) => name);
    const f16 = ['f16 mma, measured on this GPU', 'f16 wgmma, measured on this GPU'];
    assert.deepEqual(names({ dtype: 'f16' }, { dtype: 'f16' }), f16);
    const e4m3 = ['e4m3 wgmma, measured on this GPU'];
    assert.deepEqual(names({ dtype: 'e5m2' }, { dtype: 'e5m2' }), e4m3, 'as fast as e4m3');
    assert.deepEqual(names({ dtype: 'bf16' }, { dtype: 'bf16' }), [], 'not measured');
    assert.deepEqual(names({ dtype: 'f16' }, { dtype: 'bf16' }), [], 'of two kinds');
  });

  it('decide nothing of what is attainable where there is a datasheet, nor do other levels without', () => {
    const [plain, measured] = [of([]).roofline, of([run]).roofline];
    assert.equal(measured.attainable.value, plain.attainable.value);
    assert.equal(measured.deviceRatio.value, plain.deviceRatio.value);
    const list = ceilings.list ?? [];
    const others = { how: 'levels alone', list: list.filter(({ id }) => id !== 'dram') };
    const foreign = timed({ gflops: 9, resolved: kernel.spec, name: 'GPU X', ceilings: others });
    const [alone] = of([foreign]).machineRooflines;
    assert.equal(alone?.ceilings.length, 4);
    assert.equal(alone.bound, 'unknown');
    assert.ok(Number.isNaN(alone.attainable.value));
  });

  it('are those of the machine that made the point, and of no other', () => {
    const foreign = timed({ gflops: 9, resolved: kernel.spec, name: 'GPU X', ceilings });
    const { roofline, machineRooflines } = of([foreign]);
    assert.ok(roofline.ceilings.every(each => each.machine === 'NVIDIA H200'));
    assert.ok(roofline.ceilings.every(each => each.of === undefined));
    assert.ok(roofline.points.every(({ kind }) => kind !== 'measured'));
    const [other] = machineRooflines;
    assert.deepEqual(
      [...new Set(other?.ceilings.map(each => each.machine))],
      ['GPU X, extension host'],
    );
    assert.equal(other?.points.filter(({ kind }) => kind === 'measured').length, 1);
  });

  it('come from a run of another kernel too, without its point', () => {
    const { roofline } = analyze(kernel, { device: 'h200', calibrations: [run] });
    assert.equal(roofline.ceilings.filter(each => each.machine === machine).length, 6);
    assert.ok(roofline.points.every(({ kind }) => kind !== 'measured'));
  });

  it('keep the levels where a later run measured two ceilings alone', () => {
    const two = { how: 'WGSL', gflops: 58_000, bandwidthGBps: 4100 };
    const later = timed({ gflops: 1, resolved: kernel.spec, where: 'webview', ceilings: two });
    assert.equal(of([run, later]).roofline.ceilings.length, 8);
    assert.equal(of([later]).roofline.ceilings.length, 4);
  });

  it('have ridge points of their own', () => {
    const roofs = rooflineOfLevels(kernel, deviceOf('h200'), of([run]));
    const [fma, tensor] = roofs?.units ?? [];
    const ridge = (unit: typeof fma, level: 'shared' | 'l1' | 'l2' | 'dram') =>
      unit?.measuredRidges?.[level]?.value;
    assert.equal(fma?.measured?.value, 64.7456447136);
    assert.ok(Math.abs((ridge(fma, 'dram') ?? 0) - 64_745.6447136 / 4204.55241366) < 1e-9);
    assert.ok(Math.abs((ridge(fma, 'l2') ?? 0) - 64_745.6447136 / 7273.69595679) < 1e-9);
    assert.equal(ridge(fma, 'l1'), undefined, 'not measured');
    assert.equal(tensor?.measured?.value, 442.188889912, 'the faster of two instructions');
    assert.ok(Math.abs((ridge(tensor, 'shared') ?? 0) - 442_188.889912 / 31_001.5063249) < 1e-9);
    // Those of the datasheet stay.
    assert.ok(Math.abs((fma.ridges.dram?.value ?? 0) - 66_900 / 4800) < 1e-9);
    const l2 = roofs?.levels.find(({ level }) => level === 'l2');
    assert.equal(l2?.bandwidths[0]?.GBps, 9675);
    assert.equal(l2.measured?.bandwidth.GBps, 7273.69595679);
    assert.equal(l2.measured.ridge.value, ridge(fma, 'l2'));
    assert.match(l2.measured.bandwidth.origin, /^on this GPU \(NVIDIA H200, cli\)$/);
    const dram = roofs?.levels.find(({ level }) => level === 'dram');
    assert.deepEqual(
      dram?.bandwidths.map(({ GBps }) => GBps),
      [4800, 4204.55241366],
      "the table's own gives way",
    );
  });

  it('are lines of the chart that say where they are from, and can be switched off', () => {
    const { roofline } = of([run]);
    const texts = (drawn: typeof roofline) =>
      rooflineChart(drawn, { width: 1600, height: 900 }).marks.flatMap(mark =>
        mark.kind === 'text' ? [mark.text] : [],
      );
    const all = texts(roofline);
    assert.ok(all.includes('L2 reads, measured on this GPU: 7,274 GB/s'), all.join('; '));
    assert.ok(all.includes('f32 peak, datasheet: 66.9 TFLOP/s'), all.join('; '));
    assert.ok(all.includes('tf32 wgmma, measured on this GPU: 442 TFLOP/s'), all.join('; '));
    const hidden = withoutHidden(roofline, ['l2', 'tensor']);
    assert.deepEqual(
      roofline.ceilings.filter(each => !hidden.ceilings.includes(each)).map(each => each.of),
      ['l2', 'tensor', 'tensor'],
    );
    const chart = rooflineChart(roofline, { width: 760, height: 460 });
    const line = (index: number) =>
      chart.marks.find(mark => mark.kind === 'line' && mark.item === `ceiling:${index}`);
    const [peak, shared, tensor] = [line(0), line(5), line(7)];
    assert.ok(peak?.kind === 'line' && shared?.kind === 'line' && tensor?.kind === 'line');
    assert.ok(Math.abs(shared.y2 - peak.y1) < 0.01, 'a level ends at the peak of ordinary lanes');
    assert.ok(tensor.y1 < peak.y1);
  });
});
