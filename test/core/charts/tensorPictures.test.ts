/** Pictures of tensor cores: who holds which element, and which chunk of a tile lies where. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fragmentMaps, type FragmentMap } from '../../../src/core/charts/fragmentMap';
import { swizzlePictures } from '../../../src/core/charts/swizzlePicture';
import { planIfLegal } from '../../../src/core/plan/planner';
import type { Plan } from '../../../src/core/plan/plan';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { DTYPE_BYTES } from '../../../src/core/types/dtype';
import { placesOf } from '../../../src/core/kernel/wgmma/layouts';
import { declaredFor, WARP_GROUP_SPECS, warpGroupSpecs } from '../../helpers/warpGroupSpecs';
import { runs } from '../../helpers/depth';

function planOf(spec: GemmSpec): Plan {
  const plan = planIfLegal(resolve(spec), 'cuda');
  assert.ok(plan !== null);
  return plan;
}

const product = (dtype: string, over: object = {}): GemmSpec =>
  ({
    problem: { m: 256, n: 256, k: 256, a: { dtype }, ...over },
    schedule: { algorithm: 'mma' },
  }) as GemmSpec;

/** Every element has one holder, and no bit of a register two elements. */
function assertOneToOne({ rows, columns, bits, registers, holders }: FragmentMap, warps: number) {
  const held = holders.flat();
  assert.equal(held.length, rows * columns);
  assert.ok(holders.every(row => Object.keys(row).length === columns));
  const places = held.map(({ warp, lane, register, bit }) => `${warp} ${lane} ${register} ${bit}`);
  assert.equal(new Set(places).size, places.length);
  for (const { warp, lane, register, bit } of held) {
    assert.ok(warp < warps && lane < 32 && register < registers && bit + bits <= 32);
  }
  assert.equal(places.length * bits, warps * 32 * registers * 32, 'no bit is left over');
}

const transposed = <T>(rows: readonly (readonly T[])[]): readonly (readonly T[])[] =>
  rows[0]!.map((_, column) => rows.map(row => row[column]!));

describe('fragment maps', () => {
  const PRODUCTS = [
    product('f16'),
    product('f16', { accumulator: 'f16' }),
    ...['bf16', 'tf32'].map(dtype => product(dtype)),
    product('s8', { b: { layout: 'col' } }),
    { ...product('e4m3', { b: { layout: 'col' } }), device: 'rtx-4090' },
    { ...product('f16'), device: 't4' },
  ];
  for (const spec of PRODUCTS) {
    const { device = 'h200' } = spec;
    it(`of mma hold each element once: ${JSON.stringify(spec.problem)} on ${device}`, () => {
      const plan = planOf(spec);
      assert.ok(plan.family === 'mma');
      const maps = fragmentMaps(plan);
      assert.deepEqual(
        maps.map(({ matrix }) => matrix),
        ['A', 'B', 'C'],
      );
      for (const map of maps) assertOneToOne(map, 1);
      const [a, b, c] = maps as readonly [FragmentMap, FragmentMap, FragmentMap];
      const { m, n, k } = plan.matrix.shape;
      assert.deepEqual(
        [a.rows, a.columns, b.rows, b.columns, c.rows, c.columns],
        [m, k, k, n, m, n],
      );
      assert.equal(a.registers, plan.fragments.a.words);
      assert.equal(b.registers, plan.fragments.b.words);
    });
  }

  it('of mma.m16n8k16 are those that the PTX ISA draws', () => {
    const [a, b, c] = fragmentMaps(planOf(product('f16')));
    const at = (map: FragmentMap | undefined, row: number, column: number) => {
      const { lane, register, bit } = map!.holders[row]![column]!;
      return [lane, register, bit];
    };
    // a2, a3 of lane 0: row 8; a4, a5: columns 8 and 9; b2: row 8; c2: row 8.
    assert.deepEqual(at(a, 8, 1), [0, 1, 16]);
    assert.deepEqual(at(a, 0, 9), [0, 2, 16]);
    assert.deepEqual(at(a, 15, 15), [31, 3, 16]);
    assert.deepEqual(at(b, 8, 0), [0, 1, 0]);
    assert.deepEqual(at(b, 3, 7), [29, 0, 16]);
    assert.deepEqual(at(c, 8, 0), [0, 2, 0]);
    assert.deepEqual(at(c, 7, 7), [31, 1, 0]);
  });

  it('of wgmma hold each sum once, and repeat in every eight columns, four registers further', () => {
    for (const spec of Object.values(WARP_GROUP_SPECS)) {
      const plan = planOf(spec);
      assert.ok(plan.family === 'wgmma');
      if (plan.wgmma.instruction === 'mma') continue;
      const [map, ...others] = fragmentMaps(plan);
      assert.ok(map !== undefined && others.length === 0);
      assertOneToOne(map, 4);
      const isSwapped = plan.wgmma.operandOrder === 'ba';
      const sides = isSwapped ? [plan.tile.m, 64] : [64, plan.tile.n];
      assert.deepEqual([map.rows, map.columns], sides);
      assert.equal(map.warpsAlong, isSwapped ? 'columns' : 'rows');
      // Rows of the instruction are columns of C where the transposed product is computed.
      const rows = isSwapped ? transposed(map.holders) : map.holders;
      for (const [row, held] of rows.entries()) {
        for (const [column, { warp, lane, register }] of held.entries()) {
          const first = held[column % 8]!;
          assert.deepEqual([warp, lane], [Math.floor(row / 16), first.lane]);
          assert.equal(register, first.register + 4 * Math.floor(column / 8));
        }
      }
    }
  });

  it('are none where a kernel has no matrices, or the driver deals them', () => {
    const of = (spec: GemmSpec, target: 'cuda' | 'wgsl') =>
      fragmentMaps(planIfLegal(resolve(spec), target)!);
    const problem = { m: 256, n: 256, k: 256 };
    assert.deepEqual(of({ problem, schedule: { algorithm: 'warp-tile' } }, 'cuda'), []);
    const matrices = { problem: { ...problem, a: { dtype: 'f16' as const } } };
    assert.deepEqual(
      of({ ...matrices, schedule: { algorithm: 'mma' }, targets: ['wgsl'] }, 'wgsl'),
      [],
    );
  });
});

describe('pictures of a swizzle', () => {
  it('show what the model writes, and eight lines of a chunk in different banks', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(warpGroupSpecs, spec => {
        const plan = planIfLegal(resolve(spec), 'cuda');
        if (plan?.family !== 'wgmma') return;
        const { loads, tile, element, operandOrder } = declaredFor(spec).model;
        const bytes = DTYPE_BYTES[element];
        for (const picture of swizzlePictures(plan.wgmma)) {
          const { matrix, line, lineBytes, swizzled, plain } = picture;
          seen.add(`${matrix} ${line} ${lineBytes}`);
          assert.deepEqual([swizzled.passes, plain.passes], [1, (8 * lineBytes) / 128]);
          if (matrix === 'C') {
            const isRow: boolean = plan.spec.problem.c.layout === 'row';
            assert.equal(line, isRow ? 'row' : 'column', 'the contiguous dimension of C');
            continue;
          }
          const operand = (matrix === 'A') === (operandOrder === 'ab') ? 'a' : 'b';
          const side = operand === 'a' ? tile.m : tile.n;
          const places = placesOf(loads[operand], { side, depth: tile.k, bytes });
          for (const at of places.written) {
            const byte = at.place * bytes;
            if (byte >= 8 * lineBytes) continue;
            const [lineAt, element] = places.deep ? [at.side, at.depth] : [at.depth, at.side];
            const chunk = Math.floor((element * bytes) / 16);
            const drawn = swizzled.rows[Math.floor(byte / 128)]?.[Math.floor((byte % 128) / 16)];
            assert.deepEqual(drawn, { line: lineAt, chunk });
          }
        }
      }),
      {
        ...runs(60, Object.keys(WARP_GROUP_SPECS).length),
        seed: 20261123,
        examples: Object.values(WARP_GROUP_SPECS).map(spec => [spec]),
      },
    );
    for (const kind of [
      'A row 128',
      'A row 64',
      'A depth 128',
      'B column 128',
      'B depth 64',
      'C row 64',
      'C column 128',
    ])
      assert.ok(seen.has(kind), `${kind} of ${[...seen].join(', ')}`);
  });

  it('have every chunk of eight lines once, with a swizzle and without', () => {
    const plan = planOf(WARP_GROUP_SPECS.TN);
    assert.ok(plan.family === 'wgmma');
    for (const { swizzled, plain, lineBytes } of swizzlePictures(plan.wgmma)) {
      for (const { rows } of [swizzled, plain]) {
        const chunks = rows.flat().map(({ line, chunk }) => `${line} ${chunk}`);
        assert.equal(new Set(chunks).size, (8 * lineBytes) / 16);
        assert.ok(rows.every(row => row.length === 8));
      }
      assert.deepEqual(plain.rows[0]?.[0], { line: 0, chunk: 0 });
      assert.deepEqual(
        swizzled.rows[1]?.[0]?.chunk,
        1,
        'the second row begins with its second chunk',
      );
    }
  });
});
