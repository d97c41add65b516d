/** The trail of runs in the roofline, and the chart as a file. */
import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/report/analyze';
import { chartSvg, CHART_THEMES } from '../../../src/core/charts/chartSvg';
import { rooflineChart } from '../../../src/core/charts/rooflineChart';
import { rooflineThumbnail } from '../../../src/core/charts/rooflineThumbnail';
import { LONGEST_TRAIL, rooflineTrail } from '../../../src/core/charts/rooflineTrail';
import { cubeSpec, kernelFor } from '../../helpers/kernels';
import { resolve } from '../../../src/core/defaults/resolve';
import { timed } from '../../helpers/measurements';

describe('trail of runs', () => {
  const spec = resolve(cubeSpec(512));
  const { problem } = spec;
  const machine = analyze(kernelFor(cubeSpec(512)), { device: 'h200' }).roofline.machine;
  const trail = (runs: Parameters<typeof rooflineTrail>[0]['runs']) =>
    rooflineTrail({ problem, machine, runs });

  it("holds other tiles' runs of the same problem on the same machine, and no others", () => {
    const other = { ...spec, schedule: { ...spec.schedule, block: { m: 32, n: 32, k: 8 } } };
    const runs = [
      timed({ gflops: 100, resolved: spec, sourceHash: 'a'.repeat(64) }),
      timed({ gflops: 200, resolved: other, specKey: 'other' }),
      timed({ gflops: 300, resolved: resolve(cubeSpec(1024)) }),
      timed({ gflops: 400, resolved: spec, name: 'NVIDIA GeForce RTX 4090' }),
      timed({ gflops: 500 }),
      { ...timed({ gflops: 600, resolved: spec }), timing: undefined },
    ].map(run => run);
    assert.deepEqual(
      trail(runs).map(({ tflops, sourceHash }) => [tflops, sourceHash]),
      [
        [0.1, 'a'.repeat(64)],
        [0.2, undefined],
      ],
    );
  });

  it('is in the order of time, older versions first, and keeps the newest', () => {
    const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;
    const runs = [
      timed({ gflops: 500, resolved: spec }),
      timed({ gflops: 3000, resolved: spec, at: at(3) }),
      timed({ gflops: 1000, resolved: spec, at: at(1) }),
    ];
    assert.deepEqual(
      trail(runs).map(({ tflops }) => tflops),
      [0.5, 1, 3],
    );
    const many = Array.from({ length: LONGEST_TRAIL + 5 }, (_, i) =>
      timed({ gflops: i + 1, resolved: spec, at: at(i) }),
    );
    const kept = trail(many);
    assert.equal(kept.length, LONGEST_TRAIL);
    assert.equal(kept.at(-1)?.tflops, (LONGEST_TRAIL + 5) / 1000);
    assert.equal(trail(many.slice(0, LONGEST_TRAIL)).length, LONGEST_TRAIL);
    const justMade = timed({ gflops: 9000, resolved: spec });
    assert.equal(trail([...runs.slice(0, 2), justMade]).at(-1)?.tflops, 9);
  });

  it('is joined by one bow fewer than it has runs, the oldest the faintest', () => {
    const runs = [10, 20, 30].map((gflops, i) =>
      timed({ gflops, resolved: spec, at: `2026-01-0${i + 1}T00:00:00Z` }),
    );
    const { roofline } = analyze(kernelFor(cubeSpec(512)), { device: 'h200' });
    const { marks } = rooflineChart(roofline, { width: 600, height: 300 }, { trail: trail(runs) });
    const dots = marks.filter(({ role }) => role === 'earlier');
    assert.deepEqual(
      dots.map(({ age }) => age),
      [1, 0.5, 0],
    );
    assert.equal(marks.filter(({ kind }) => kind === 'curve').length, 2);
  });
});

describe('roofline files', () => {
  const { roofline } = analyze(kernelFor(cubeSpec(1024)), {
    device: 'h200',
    measurements: [timed({ gflops: 20_000, specKey: 'a<b>&"c"' })],
  });

  it('are SVG with their own colours, in every theme', () => {
    for (const theme of CHART_THEMES) {
      const svg = chartSvg(rooflineChart(roofline, { width: 640, height: 400 }), { theme });
      assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /);
      assert.doesNotMatch(svg, /var\(|class=|<script|href/);
      for (const { name } of roofline.ceilings)
        assert.ok(svg.includes(name.split(',')[0] ?? name), name);
      assert.equal(svg.match(/<path /g)?.length, roofline.points.length);
      assert.ok(svg.includes('a&lt;b&gt;&amp;&quot;c&quot;'));
    }
  });

  it('have a small variant for Markdown, as one data: URI', () => {
    for (const theme of CHART_THEMES) {
      const uri = rooflineThumbnail(roofline, { theme });
      assert.match(uri, /^data:image\/svg\+xml,[\w%.-]+$/);
      const svg = decodeURIComponent(uri.slice(uri.indexOf(',') + 1));
      assert.match(svg, /width="320" height="180"/);
      assert.match(svg, /measured 20 TFLOP\/s/);
      assert.ok(uri.length < 20_000, `${uri.length}`);
    }
  });
});
