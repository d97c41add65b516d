/** What a race leaves of its candidates, and that a table says of them what was measured. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as v from 'valibot';
import { packedTable, pickSchedules } from '../../../../scripts/dispatch/pick';
import { packedLine, packedSchema, unpacked } from '../../../../src/core/defaults/dispatch/packed';
import { shapeText, type DispatchRow } from '../../../../src/core/defaults/dispatch/row';
import { LARGE, row, schedule, SMALL } from './tables';

const OTHER = schedule(32, 32);
const key = (of: DispatchRow['schedule']): string => JSON.stringify(of);

describe('dispatch tables from races', () => {
  it('keep the schedules that matter: the best somewhere, by enough', () => {
    const sizes = [1024, 2048, 3072, 4096];
    const rates = (of: DispatchRow['schedule'], gflops: readonly number[]) =>
      gflops.map((rate, i) => row(sizes[i] ?? 0, rate, { schedule: of }));
    const rows = [
      ...rates(LARGE, [100, 200, 300, 400]),
      ...rates(SMALL, [150, 190, 200, 100]),
      // A hair better than the first at one shape.
      ...rates(OTHER, [90, 200, 300.5, 390]),
    ];
    assert.deepEqual(pickSchedules(rows), [key(LARGE), key(SMALL)]);
    // Where it alone is legal it is kept however slow it is.
    const alone = row([7, 7, 7], 1, { schedule: OTHER });
    assert.deepEqual(
      new Set(pickSchedules([...rows, alone])),
      new Set([key(LARGE), key(SMALL), key(OTHER)]),
    );
    assert.deepEqual(pickSchedules([]), []);
  });

  it('lose no more by what they leave out than the least gain, at any shape', () => {
    const rate = fc.integer({ min: 1000, max: 60_000 });
    fc.assert(
      fc.property(fc.array(fc.tuple(rate, rate, rate), { minLength: 1, maxLength: 8 }), points => {
        const rows = points.flatMap((rates, i) =>
          [LARGE, SMALL, OTHER].map((of, j) => row(64 * (i + 1), rates[j] ?? 1, { schedule: of })),
        );
        const picked = pickSchedules(rows);
        for (const rates of points) {
          const kept = rates.filter((_, j) =>
            picked.includes(key([LARGE, SMALL, OTHER][j] ?? LARGE)),
          );
          assert.ok(Math.log(Math.max(...rates) / Math.max(...kept)) < 0.02);
        }
      }),
    );
  });

  it('say in a line what was measured at a shape, to a thousandth of the fastest', () => {
    const shape = { m: 1009, n: 64, k: 4096, batch: 3 };
    const point = {
      shape,
      layouts: 'rcr',
      gflops: [12_345.6, null, 6172.8],
      baselineGflops: 11_000.4,
    };
    assert.equal(packedLine(point), '1009x64x4096x3 rcr 12346/11000 1000 - 500');
    assert.equal(packedLine({ ...point, gflops: [null, null] }), undefined);
    const rate = fc.option(fc.double({ min: 1, max: 90_000, noNaN: true }), { nil: null });
    fc.assert(
      fc.property(fc.array(rate, { minLength: 1, maxLength: 6 }), gflops => {
        const line = packedLine({ shape, layouts: 'ccr', gflops });
        if (line === undefined) {
          assert.ok(gflops.every(each => each === null));
          return;
        }
        const table = v.parse(packedSchema, {
          device: 'h200',
          target: 'cuda',
          types: row(1, 1).types,
          source: { record: 'x' },
          model: { residency: 0, prologue: 0 },
          schedules: gflops.map((_, i) => ({ schedule: schedule(16 * (i + 1), 16) })),
          points: [line],
        });
        const rows = unpacked(table);
        const best = Math.max(...gflops.map(each => each ?? 0));
        for (const { schedule: of, gflops: read, shape: at, layouts } of rows) {
          const given = gflops[(of.block?.m ?? 16) / 16 - 1] ?? NaN;
          assert.ok(Math.abs(read - given) <= 0.0006 * best + 1, `${read} of ${given}`);
          assert.deepEqual([shapeText(at), layouts], ['1009x64x4096x3', 'ccr']);
        }
      }),
    );
  });

  it('are what their rows say, with where they come from', () => {
    const rows = [1024, 2048].flatMap(size => [
      row(size, 2 * size, { blocksPerSm: 2, baseline: { name: 'cuBLAS', gflops: size } }),
      row(size, 3000, { schedule: SMALL, source: { record: 'a test', clocks: '1900 MHz' } }),
    ]);
    const table = v.parse(packedSchema, packedTable(rows));
    assert.deepEqual(
      unpacked(table).map(({ shape, gflops, schedule: of, blocksPerSm, baseline }) => [
        shape.m,
        gflops,
        of.block?.m,
        blocksPerSm,
        baseline?.gflops,
      ]),
      [
        [1024, 3000, 64, undefined, 1024],
        [1024, 2049, 128, 2, 1024],
        [2048, 2998.272, 64, undefined, 2048],
        [2048, 4096, 128, 2, 2048],
      ],
    );
    assert.deepEqual(table.source, { record: 'a test', clocks: '1900 MHz' });
    assert.equal(table.baseline, 'the fastest of cuBLAS');
  });
});
