/** Layouts as grids by thread, bank and sector, thread-value layouts, and explained results. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fragmentMaps } from '../../../src/core/charts/fragmentMap';
import {
  fragmentGrid,
  LAYOUT_COLORS,
  layoutGrid,
  threadGrid,
  threadValueGrid,
  type LayoutCell,
  type LayoutGrid,
} from '../../../src/core/charts/layoutGrid';
import { gridsSvg, titledGrids } from '../../../src/core/charts/layoutPicture';
import { explainLayout } from '../../../src/core/charts/layoutSteps';
import { LayoutError } from '../../../src/core/layout/layout';
import { reportOf, reportText } from '../../../src/core/layout/print';
import type { PlacedLayout } from '../../../src/core/layout/value';
import { planIfLegal } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { ownersOf } from '../../../src/core/trace/owners';
import { runs } from '../../helpers/depth';
import { kernelFor } from '../../helpers/kernels';

function valueOf(expression: string): PlacedLayout {
  const value = explainLayout(expression).steps.at(-1)?.value;
  assert.ok(value !== undefined);
  return value;
}

const texts = ({ cells }: LayoutGrid, of: (cell: LayoutCell) => string) =>
  cells.map(row => row.map(of));

describe('grids of layouts', () => {
  it('have the offsets of the printed table, with and without a swizzle', () => {
    for (const expression of [
      '((2,4),8):((1,16),2)',
      'tile((64,64):(1,64), (8,8), (1,2))',
      'composition(Swizzle<2,1,3>{}, (8,32):(32,1))',
      '12:3',
    ]) {
      const report = reportOf(expression);
      assert.ok('table' in report);
      const grid = layoutGrid(valueOf(expression), { color: 'offset', bytes: 4 });
      assert.deepEqual(
        texts(grid, cell => cell.text),
        report.table?.map(row => row.map(String)),
      );
    }
  });

  it('give the bank and the sector of each element by its size', () => {
    const grid = (color: 'bank' | 'sector', bytes: number) =>
      texts(layoutGrid(valueOf('(1,40)'), { color, bytes }), cell => cell.detail)[0] ?? [];
    assert.deepEqual(grid('bank', 4).slice(30, 34), ['b30', 'b31', 'b0', 'b1']);
    assert.deepEqual(grid('bank', 2).slice(0, 5), ['b0', 'b0', 'b1', 'b1', 'b2']);
    assert.deepEqual(grid('bank', 8).slice(14, 18), ['b28', 'b30', 'b0', 'b2']);
    assert.deepEqual(grid('sector', 4).slice(6, 10), ['s0', 's0', 's1', 's1']);
    assert.deepEqual(grid('sector', 1).slice(30, 34), ['s0', 's0', 's1', 's1']);
  });

  it('describe a cell in a sentence', () => {
    const told = (color: (typeof LAYOUT_COLORS)[number]) =>
      layoutGrid(valueOf('(8,(4,2)):(1,(8,32))'), { color, bytes: 4 }).cells[3]?.[5]?.told;
    assert.equal(told('offset'), 'Coordinate (3,(1,1)): offset 43');
    assert.equal(told('thread'), 'Coordinate (3,(1,1)): thread 43 (warp 1, lane 11)');
    assert.equal(told('bank'), 'Coordinate (3,(1,1)): offset 43, bank 11, 4-byte word 43');
    assert.equal(told('sector'), 'Coordinate (3,(1,1)): offset 43, sector 5');
  });

  it('show a window of a layout with any number of elements', () => {
    const window = { row: 4000, column: 10, rows: 32, columns: 2 };
    const coloring = { color: 'offset', bytes: 4 } as const;
    const grid = layoutGrid(valueOf('(4096,4096):(1,5120)'), coloring, window);
    assert.deepEqual([grid.rows, grid.columns], [4096, 4096]);
    assert.equal(grid.cells.length, 32);
    assert.equal(grid.cells[0]?.[1]?.text, `${4000 + 11 * 5120}`);
    const last = layoutGrid(valueOf('(8,8)'), coloring, { ...window, columns: 32 });
    assert.deepEqual(last.window, { row: 7, column: 7, rows: 1, columns: 1 });
  });

  it('have one color per group, and a text for each color', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...LAYOUT_COLORS),
        fc.constantFrom(1, 2, 4, 8),
        fc.integer({ min: 1, max: 70 }),
        (color, bytes, stride) => {
          const cells = layoutGrid(valueOf(`(4,8):(${stride},7)`), { color, bytes }).cells.flat();
          const textOf = (cell: LayoutCell): string =>
            color === 'offset' || color === 'thread' ? cell.text : cell.detail;
          const groups = new Map<number, string>();
          for (const cell of cells) {
            assert.equal(groups.get(cell.group) ?? textOf(cell), textOf(cell));
            groups.set(cell.group, textOf(cell));
          }
          assert.equal(new Set(groups.values()).size, groups.size);
        },
      ),
      { ...runs(100) },
    );
  });
});

describe('thread-value layouts', () => {
  const MMA: GemmSpec = {
    problem: { m: 256, n: 256, k: 256, a: { dtype: 'f16' }, b: { dtype: 'f16' } },
    schedule: { algorithm: 'mma' },
  };

  it('of mma.m16n8 accumulators equal the fragment of the kernel', () => {
    const plan = planIfLegal(resolve(MMA), 'cuda');
    assert.ok(plan !== null);
    const map = fragmentMaps(plan).find(({ matrix }) => matrix === 'C');
    assert.ok(map?.rows === 16 && map.columns === 8);
    const tile = { rows: 16, columns: 8 };
    const grid = threadValueGrid(valueOf('((4,8),(2,2)):((32,1),(16,8))'), tile);
    assert.deepEqual(
      texts(grid, ({ text, detail }) => `${text} ${detail.replace('V', 'R')}`),
      texts(fragmentGrid(map), ({ text, detail }) => `${text} ${detail}`),
    );
  });

  it('show elements without a thread, and elements of several threads', () => {
    const grid = threadValueGrid(valueOf('(4,2):(2,8)'), { rows: 4, columns: 4 });
    assert.equal(grid.cells[1]?.[0]?.told, 'Element (1, 0): no thread holds it');
    const shared = threadValueGrid(valueOf('((2,2),4):((0,1),2)'), { rows: 2, columns: 4 });
    const cell = shared.cells.map(row => row[0])[1];
    assert.equal(cell?.text, 'T2+1');
    assert.equal(cell.told, 'Element (1, 0): thread 2, value 0; thread 3, value 0');
  });

  it('reject a layout without values or outside of the tile', () => {
    const tile = { rows: 4, columns: 4 };
    assert.throws(() => threadValueGrid(valueOf('16'), tile), /a mode of threads and a mode of v/);
    assert.throws(() => threadValueGrid(valueOf('(4,4)'), { rows: 3, columns: 5 }), LayoutError);
    assert.equal(threadValueGrid(valueOf('(4,4)'), tile).cells.length, 4);
  });

  it('equal the owners of C in a kernel with thread layouts', () => {
    const spec: GemmSpec = {
      problem: { m: 256, n: 256, k: 64 },
      schedule: { algorithm: 'layout' },
    };
    const kernel = kernelFor(spec);
    const tile = { row: 0, column: 0, rows: 128, columns: 128, entry: 0 };
    const window = { row: 0, column: 0, rows: 16, columns: 16 };
    const grid = threadGrid(ownersOf(kernel).threadsOf(tile), tile, window);
    const layout = layoutGrid(valueOf('(16,16):(1,16)'), { color: 'thread', bytes: 4 });
    assert.deepEqual(
      texts(grid, cell => cell.text),
      texts(layout, cell => cell.text),
    );
  });
});

describe('explained layouts', () => {
  it('draw both operands and the result of a composition', () => {
    const { steps } = explainLayout('composition((6,2):(8,2), (4,3):(3,1))');
    assert.deepEqual(
      steps.map(({ title }) => title),
      ['A = (6,2):(8,2)', 'B = (4,3):(3,1)', 'A(B(c)) = ((2,2),3):((24,2),8)'],
    );
    const [a, b, result] = titledGrids(steps, { color: 'offset', bytes: 4 });
    const offset = (grid: LayoutGrid | undefined, index: number): number => {
      const rows = grid?.rows ?? 1;
      return Number(grid?.cells[index % rows]?.[Math.floor(index / rows)]?.text);
    };
    for (let c = 0; c < 12; c++)
      assert.equal(offset(result?.grid, c), offset(a?.grid, offset(b?.grid, c)));
  });

  it('draw a layout before and after its swizzle, so that banks change', () => {
    const { steps } = explainLayout('composition(Swizzle<3,2,3>{}, (8,32):(32,1))');
    const [before, after] = titledGrids(steps, { color: 'bank', bytes: 4 });
    const banks = (grid: LayoutGrid | undefined) =>
      new Set(grid?.cells.map(row => row[0]?.detail)).size;
    assert.equal(banks(before?.grid), 1);
    assert.equal(banks(after?.grid), 8);
  });

  it('draw one grid without a title for any other layout, and none for a number', () => {
    assert.deepEqual(
      titledGrids(explainLayout('coalesce((2,4))').steps, { color: 'offset', bytes: 4 }).map(
        ({ title }) => title,
      ),
      [''],
    );
    assert.deepEqual(explainLayout('size((2,4))').steps, []);
    assert.equal(explainLayout('compose((8,8), (4:1, 2:4))').steps.length, 1);
  });

  it('become one SVG picture with a title and escaped text', () => {
    const grids = titledGrids(explainLayout('composition(Swizzle<1,0,1>{}, (2,2):(1,2))').steps, {
      color: 'thread',
      bytes: 4,
    });
    const svg = gridsSvg('Swizzle<1,0,1>', grids, 'dark');
    assert.match(svg, /<title>Swizzle&lt;1,0,1&gt;<\/title>\n<rect [^>]*fill="#1f1f1f"/);
    assert.match(svg, /With swizzle Sw&lt;1,0,1&gt;/);
    assert.equal(svg.match(/>T\d</g)?.length, 8);
    assert.doesNotMatch(gridsSvg('L', grids, 'dark', { background: 'none' }), /#1f1f1f/);
  });

  it('use definitions that precede the expression', () => {
    const { report } = explainLayout('compose(sA, 4:2)', 'sA = make_layout(make_shape(_8,_2));');
    assert.match(reportText(report), /^4:2\nsize 4/);
  });
});
