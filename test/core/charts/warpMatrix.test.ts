/** A warp over the matrix: the drawn cells are the addresses of the request. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { placesText } from '../../../src/core/charts/pictureText';
import { sectorPicture } from '../../../src/core/charts/sectorPicture';
import { warpChart } from '../../../src/core/charts/warpChart';
import { warpGeometry } from '../../../src/core/charts/warpGeometry';
import { warpVariantChart } from '../../../src/core/charts/warpVariantChart';
import { warpVariants } from '../../../src/core/charts/warpVariants';
import { WARP_LANES } from '../../../src/core/hardware/warp';
import type { Kernel } from '../../../src/core/kernel/kernel';
import { warpAccesses } from '../../../src/core/memory/accesses';
import { drawnRequest } from '../../../src/core/memory/drawnRequest';
import { placedRequest } from '../../../src/core/memory/placedRequest';
import { SECTOR_BYTES } from '../../../src/core/memory/requestCost';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { analyze } from '../../../src/core/report/analyze';
import { cube, kernelOf, legal, tiled, warped } from '../../helpers/cudaKernels';
import { isEnough, runs } from '../../helpers/depth';
import { fragmentSpecs, gemvSpecs, registerTileSpecs, specs } from '../../helpers/specs';

const SIZE = { width: 20, height: 16, gap: 16 };
const naive = (extra: Partial<GemmSpec['problem']> = {}) =>
  legal({
    problem: { ...cube(1024), ...extra },
    schedule: { algorithm: 'naive', block: { m: 32, n: 32 } },
  });
const placed = (kernel: Kernel, site: string, op: 'load' | 'store' = 'load') => {
  const found = placedRequest(kernel, { site, op });
  assert.ok(found !== null, site);
  return found;
};

describe('a warp over the matrix', () => {
  it('has exactly the cells of the addresses of the drawn request, and their sectors', function () {
    this.timeout(120_000);
    let sites = 0;
    const drawn = fc.oneof(specs, fragmentSpecs, gemvSpecs, registerTileSpecs);
    fc.assert(
      fc.property(drawn, spec => {
        const kernel = kernelOf(spec);
        if (kernel === null) return;
        for (const site of warpAccesses(kernel).global) {
          const request = drawnRequest(kernel, site);
          const found = placedRequest(kernel, site);
          assert.ok(request !== null && found !== null);
          const { cells, rows, columns } = warpGeometry(found, SIZE);
          const bytes = request.widthBytes / found.width;
          const first = Math.min(...cells.map(({ element }) => element)) * bytes;
          const least = Math.min(...request.addresses.filter(address => address !== null));
          const addresses = new Map<number, number>();
          for (const { element, lanes } of cells)
            for (const lane of lanes) {
              assert.ok(!addresses.has(lane), 'each lane is in one cell');
              addresses.set(lane, element * bytes - first + least);
            }
          assert.deepEqual(
            Array.from({ length: WARP_LANES }, (_, lane) => addresses.get(lane) ?? null),
            request.addresses,
          );
          const sectors = new Set(
            cells.flatMap(({ element }) =>
              Array.from({ length: request.widthBytes }, (_, byte) =>
                Math.floor((element * bytes + byte) / SECTOR_BYTES),
              ),
            ),
          );
          assert.equal(sectors.size, request.cost);
          assert.equal(sectorPicture(request).sectors, request.cost);
          for (const { x, y, width, height } of cells)
            assert.ok(x >= 0 && y >= 0 && x + width <= columns.length && y + height <= rows.length);
          assert.equal(new Set(cells.map(({ x, y }) => `${x} ${y}`)).size, cells.length);
          const chart = warpChart(found, kernel.problem);
          const boxes = chart.marks.filter(mark => mark.kind === 'rect');
          assert.equal(boxes.length, cells.length + 2 * sectors.size);
          for (const mark of boxes)
            assert.ok(mark.x + mark.width <= chart.width && mark.y + mark.height <= chart.height);
          sites++;
        }
      }),
      { ...runs(200, 30), seed: 20261128 },
    );
    assert.ok(isEnough(sites, 200), `${sites} sites`);
  });

  it('draws one row per lane of a naive A, and one cell for the shared element of B', () => {
    const a = warpGeometry(placed(naive(), 'A load'), SIZE);
    assert.deepEqual([a.rows.slots.length, a.columns.slots.length, a.cells.length], [32, 1, 32]);
    assert.deepEqual(a.cells[31]?.lanes, [31]);
    const b = warpGeometry(placed(naive(), 'B load'), SIZE);
    assert.equal(b.cells.length, 1);
    assert.equal(b.cells[0]?.lanes.length, 32);
  });

  it('draws a column-major matrix along its columns', () => {
    const kernel = naive({ a: { layout: 'col' } });
    const { rows, columns } = warpGeometry(placed(kernel, 'A load'), SIZE);
    assert.deepEqual([rows.slots.length, columns.slots.length], [32, 1]);
    assert.equal(placed(kernel, 'A load').request.cost, 4);
  });

  it('draws one cell per vector, and leaves out unused rows', () => {
    const request = placed(warped(), 'A tile load');
    const { rows, columns, cells } = warpGeometry(request, SIZE);
    assert.equal(request.width, 4);
    assert.equal(cells.length, 32);
    assert.ok(columns.slots.every(({ count }) => count === 4));
    assert.ok(rows.slots.length * columns.slots.length >= 32);
    const stored = warpGeometry(placed(warped(), 'C store', 'store'), SIZE);
    assert.ok(stored.rows.breaks.length > 0, 'interleaved rows have breaks');
  });

  it('separates the sectors of a row by lines', () => {
    const marks = warpChart(placed(tiled(), 'B tile load'), tiled().problem).marks;
    const lines = marks.filter(mark => mark.kind === 'line' && mark.role === 'selected');
    assert.equal(lines.length, 3);
  });

  it('is printed by row, or by column of a column-major matrix', () => {
    assert.deepEqual(placesText(placed(tiled(), 'A tile load')), [
      'A row 0       columns 0-7: lanes 0-7',
      'A row 1       columns 0-7: lanes 8-15',
      'A row 2       columns 0-7: lanes 16-23',
      'A row 3       columns 0-7: lanes 24-31',
    ]);
    assert.deepEqual(placesText(placed(naive({ a: { layout: 'col' } }), 'A load')), [
      'A column 0    rows 0-31: lanes 0-31',
    ]);
    const rows = placesText(placed(naive(), 'A load'));
    assert.deepEqual([rows[1], rows.at(-1)], ['A row 1       column 0: lane 1', 'more rows: 24']);
  });

  it('marks elements outside of the matrix', () => {
    const kernel = naive({ m: 20 });
    const marks = warpChart(placed(kernel, 'A load'), kernel.problem).marks;
    const outside = marks.filter(mark => mark.kind === 'rect' && mark.role === 'cell-conflict');
    assert.equal(outside.length, 12);
  });
});

describe('naive, swapped and remapped kernels', () => {
  it('request the sectors of the access table', () => {
    for (const kernel of [naive(), tiled()]) {
      const variants = warpVariants(kernel);
      assert.deepEqual(
        variants.map(({ mapping }) => mapping),
        ['naive', 'swap', 'remap'],
      );
      for (const variant of variants) {
        const { globalMemory } = analyze(variant.kernel, { device: 'h200' });
        assert.deepEqual(
          variant.requests.map(({ request }) => [request.site, request.cost]),
          globalMemory.map(({ site, sectorsPerRequest }) => [site, sectorsPerRequest]),
        );
      }
      assert.deepEqual(
        variants.map(({ requests }) => requests.map(({ request }) => request.cost)),
        [
          [32, 1, 32],
          [1, 4, 4],
          [1, 4, 4],
        ],
      );
    }
  });

  it('include the kernel itself, and keep its block', () => {
    const kernel = legal({
      problem: cube(256),
      schedule: { algorithm: 'coalesced', block: { m: 16, n: 16 } },
    });
    const variants = warpVariants(kernel);
    assert.deepEqual(
      variants.map(({ isCurrent }) => isCurrent),
      [false, true, false],
    );
    for (const { kernel: variant } of variants)
      assert.deepEqual([variant.plan.tile.m, variant.plan.tile.n], [16, 16]);
    assert.ok(warpVariants(tiled()).every(({ isCurrent }) => !isCurrent));
  });

  it('are drawn with one cell per element of A, B and C, and one box per sector', () => {
    for (const variant of warpVariants(naive())) {
      const { marks, width, height } = warpVariantChart(variant);
      const boxes = marks.filter(mark => mark.kind === 'rect');
      const cells = variant.requests.flatMap(request => warpGeometry(request, SIZE).cells);
      const sectors = variant.requests.reduce((sum, { request }) => sum + request.cost, 0);
      assert.equal(boxes.length, cells.length + 2 * sectors);
      for (const box of boxes)
        assert.ok(box.x + box.width <= width && box.y + box.height <= height);
    }
  });

  it('are absent for tensor-core kernels', () => {
    const kernel = kernelOf({
      problem: { ...cube(1024), a: { dtype: 'f16' }, b: { dtype: 'f16' } },
      schedule: { algorithm: 'mma' },
    });
    assert.ok(kernel !== null);
    assert.deepEqual(warpVariants(kernel), []);
  });
});
