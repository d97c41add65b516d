import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/report/analyze';
import { rooflineCsv } from '../../../src/core/charts/rooflineCsv';
import { rooflineTrail } from '../../../src/core/charts/rooflineTrail';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { timed } from '../../helpers/measurements';

describe('roofline as CSV', () => {
  const spec = resolve({ problem: { m: 512, n: 512, k: 512 } });
  const planned = plan(spec, 'cuda');
  assert.ok(planned.ok);
  const run = timed({
    gflops: 20_000,
    resolved: spec,
    specKey: '=1+1,"x"',
    at: '2026-01-01T00:00:00Z',
  });
  assert.ok(run.timing !== undefined);
  const intervalMs: [number, number] = [0.8, 1.25];
  const runs = [{ ...run, timing: { ...run.timing, intervalMs } }];
  const { roofline } = analyze(emit(planned.plan), { device: 'h200', measurements: runs });
  const trail = rooflineTrail({ runs, problem: spec.problem, machine: roofline.machine });
  const lines = rooflineCsv(roofline, trail).split('\r\n');

  it('has a row for every ceiling, point and run, with units, origin and machine', () => {
    assert.equal(
      lines[0],
      'kind,name,intensity,intensity unit,value,unit,percent of attainable,95 % interval low,95 % interval high,origin,machine,backend,kept at',
    );
    assert.equal(
      lines.length,
      2 + roofline.ceilings.length + roofline.points.length + trail.length,
    );
    assert.equal(lines[1], 'compute ceiling,f32 peak,,,66.9,TFLOP/s,,,,spec,NVIDIA H200,,');
    assert.match(lines.join('\n'), /memory ceiling,DRAM bandwidth,,,4800,GB\/s,,,,spec,/);
    assert.match(
      lines.at(-2) ?? '',
      /,20,TFLOP\/s,[\d.]+,16,25,measured,"NVIDIA H200, extension host",cuda,2026-01-01T00:00:00Z$/,
    );
  });

  it('quotes what has commas and quotes, and lets no name be a formula', () => {
    assert.match(lines.at(-2) ?? '', /^earlier run,"'=1\+1,""x""",/);
  });
});
