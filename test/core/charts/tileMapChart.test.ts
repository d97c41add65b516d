/** The saved picture of the tile map. */
import assert from 'node:assert/strict';
import { captioned } from '../../../src/core/charts/chartCaption';
import { chartSvg } from '../../../src/core/charts/chartSvg';
import { tileMapChart, tileMapLegend } from '../../../src/core/charts/tileMapChart';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { ownersOf } from '../../../src/core/trace/owners';
import { tileAround } from '../../../src/core/trace/tileOfC';
import { MAX_CHART_CHARACTERS } from '../../../src/protocol';

function pictureOf(spec: GemmSpec) {
  const planned = plan(resolve({ device: 'h200', ...spec }), 'cuda');
  assert.ok(planned.ok, JSON.stringify(planned));
  const kernel = emit(planned.plan);
  const { m, n, k } = kernel.problem;
  const point = {
    entry: 0,
    row: Math.min(5, m - 1),
    column: Math.min(7, n - 1),
    k: Math.min(3, k),
  };
  const tile = tileAround(kernel, point);
  const threads = ownersOf(kernel).threadsOf(tile);
  return tileMapChart({ kernel, blocksPerWave: 132, tile, threads, point });
}

/** Half of the mark of an element, which may be at the edge of a matrix. */
const EDGE_PX = 2.5;

/** Approximate width and height of a letter. */
const LETTER_PX = 9;

const SPECS: readonly GemmSpec[] = [
  { problem: { m: 1024, n: 512, k: 256 }, schedule: { algorithm: 'warp-tile' } },
  { problem: { m: 16_384, n: 16_384, k: 4096 }, schedule: { algorithm: 'naive' } },
  { problem: { m: 4096, n: 1, k: 4096 }, schedule: { algorithm: 'thread-tile-2d' } },
  {
    problem: { m: 64, n: 4096, k: 4096, a: { dtype: 'bf16' }, b: { layout: 'col' } },
    schedule: { algorithm: 'wgmma', operandOrder: 'ba' },
  },
];

describe('picture of the tile map', () => {
  it('contains both maps inside its edges, and is small enough to save', () => {
    for (const spec of SPECS) {
      const chart = pictureOf(spec);
      for (const mark of chart.marks) {
        if (mark.kind !== 'area') continue;
        const { x, y, scaleX, scaleY } = mark;
        const cells = [...mark.path.matchAll(/M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)h/g)];
        assert.ok(cells.length > 0, mark.path);
        const isInside = cells.every(cell => {
          const [left = 0, top = 0, width = 0, height = 0] = cell.slice(1).map(Number);
          return (
            x + left * scaleX >= -EDGE_PX &&
            y + top * scaleY >= -EDGE_PX &&
            x + (left + width) * scaleX <= chart.width + EDGE_PX &&
            y + (top + height) * scaleY <= chart.height + EDGE_PX
          );
        });
        assert.ok(isInside, JSON.stringify({ spec, mark }));
      }
      const matrices = chart.marks.filter(mark => mark.kind === 'path' && mark.role === 'axis');
      for (const mark of chart.marks) {
        if (mark.kind !== 'text') continue;
        const right = mark.x + LETTER_PX;
        assert.ok(mark.y >= LETTER_PX && right <= chart.width, JSON.stringify({ spec, mark }));
        for (const matrix of matrices) {
          assert.ok(matrix.kind === 'path');
          const [xs, ys] = [matrix.at.map(([x]) => x), matrix.at.map(([, y]) => y)];
          const isBeside = mark.x > Math.max(...xs) + EDGE_PX || right < Math.min(...xs) - EDGE_PX;
          const isAbove = mark.y < Math.min(...ys) - EDGE_PX;
          const isBelow = mark.y - LETTER_PX > Math.max(...ys) + EDGE_PX;
          assert.ok(isBeside || isAbove || isBelow, JSON.stringify({ spec, mark, matrix }));
        }
      }
      const names = chart.marks.flatMap(mark => (mark.kind === 'text' ? [mark.text] : []));
      assert.deepEqual(names, ['A', 'B', 'C']);
      const lines = ['kernel', 'owner'];
      const picture = captioned(chart, { title: 'Tile map', lines, legend: tileMapLegend() });
      for (const theme of ['light', 'dark'] as const) {
        const svg = chartSvg(picture, { theme });
        assert.ok(svg.length < MAX_CHART_CHARACTERS, `${svg.length} characters`);
        assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
        assert.match(svg, />Tile map</);
      }
    }
  });

  it('draws the warps, the tile of a thread and the waves', () => {
    const chart = pictureOf({
      problem: { m: 4096, n: 4096, k: 512 },
      schedule: {
        algorithm: 'warp-tile',
        block: { m: 128, n: 128, k: 16 },
        warp: { m: 64, n: 32 },
        thread: { m: 8, n: 8 },
      },
    });
    const areas = chart.marks.filter(mark => mark.kind === 'area');
    const warps = areas.filter(({ role, opacity }) => role === 'axis' || opacity === 0.4);
    assert.equal(warps.length, 8);
    const waves = areas.filter(({ role, opacity }) => role === 'bar' && opacity !== 0.4);
    assert.equal(waves.length, Math.ceil((32 * 32) / 132) + 1, 'waves, and the thread');
  });
});
