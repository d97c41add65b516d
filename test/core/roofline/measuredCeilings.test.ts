/** Ceilings measured on the GPU of the runs: which are drawn, and what they decide. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { analyze } from '../../../src/core/report/analyze';
import { rooflineOfLevels } from '../../../src/core/roofline/levelRoofline';
import { measuredCeilings, withoutHidden } from '../../../src/core/roofline/roofline';
import { rooflineChart } from '../../../src/core/charts/rooflineChart';
import { deviceOf } from '../../../src/core/hardware/devices';
import { measurementSchema, type Measurement } from '../../../src/core/measure/measurement';
import { SPLITS } from '../../../src/core/plan/fp32Emulation';
import { resolve } from '../../../src/core/defaults/resolve';
import { kernelFor } from '../../helpers/kernels';
import { timed } from '../../helpers/measurements';

const PROBLEM = { m: 1024, n: 1024, k: 1024 };

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
    const { problem } = resolve({ problem: PROBLEM });
    const [split, ...others] = measuredCeilings(run, problem, SPLITS.tf32x3).filter(
      each => each.of === 'tensor',
    );
    assert.equal(split?.name, 'tf32 mma, 3 MMAs per f32 MMA, measured on this GPU');
    assert.deepEqual([Math.round(3 * split.value), others.length], [313, 1]);
    const without = measuredCeilings(run, problem, SPLITS.bf16x6);
    assert.ok(!without.some(each => each.of === 'tensor'), 'bf16 was not measured');
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
    assert.ok(all.includes('L2 reads, empirical: 7,274 GB/s'), all.join('; '));
    assert.ok(all.includes('f32 peak, datasheet: 66.9 TFLOP/s'), all.join('; '));
    assert.ok(all.includes('tf32 wgmma, empirical: 442 TFLOP/s'), all.join('; '));
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
