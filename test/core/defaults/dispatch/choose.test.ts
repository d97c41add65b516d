import assert from 'node:assert/strict';
import fc from 'fast-check';
import { proposals } from '../../../../src/core/defaults/dispatch/choose';
import type { DispatchRow } from '../../../../src/core/defaults/dispatch/row';
import { tablesOf } from '../../../../src/core/defaults/dispatch/table';
import { waveEfficiency } from '../../../../src/core/defaults/dispatch/waveModel';
import { resolve } from '../../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { LARGE, row, schedule, SMALL, tables } from './tables';

const problemOf = (
  m: number,
  n = m,
  k = n,
  over: Partial<GemmSpec['problem']> = {},
): ReturnType<typeof resolve>['problem'] =>
  resolve({ problem: { m, n, k, ...over }, schedule: {} }).problem;

const proposed = (
  of: ReturnType<typeof tables>,
  problem = problemOf(4096),
  device = 'h200',
  target: 'cuda' | 'wgsl' = 'cuda',
) => proposals({ problem, device, target }, of);

describe('dispatch: proposals', () => {
  it('of a measured shape are its rows, the fastest first, before anything expected', () => {
    const other = schedule(32, 32);
    const of = tables(
      row(4096, 40_000, { schedule: SMALL }),
      row(4096, 50_000),
      // Elsewhere far faster than both.
      row(2048, 90_000, { schedule: other }),
    );
    const found = proposed(of);
    assert.deepEqual(
      found.map(({ schedule: of, how }) => [of.block?.m, how]),
      [
        [128, 'measured'],
        [64, 'measured'],
        [32, 'model'],
      ],
    );
    assert.equal(found[0]?.gflops, 50_000);
  });

  it('between measured shapes follow the waves', () => {
    // Tiles of 128 fill 17 rounds of 132 SMs at 6016, and only half of the second at 1536.
    const of = tables(
      row(4096, 50_000),
      row(4096, 48_000, { schedule: SMALL }),
      row(1024, 22_000),
      row(1024, 30_000, { schedule: SMALL }),
    );
    const [at6016] = proposed(of, problemOf(6016));
    const [at1536] = proposed(of, problemOf(1536));
    assert.ok(at6016 !== undefined && at1536 !== undefined);
    assert.equal(at6016.how, 'model');
    assert.deepEqual([at6016.schedule, at1536.schedule], [LARGE, SMALL]);
    assert.deepEqual(at6016.row.shape, { m: 4096, n: 4096, k: 4096, batch: 1 });
  });

  it('come close to the rows as the shape does', () => {
    const of = tables(row(4096, 50_000), row(2048, 30_000));
    const rate = (size: number) => proposed(of, problemOf(size))[0]?.gflops ?? 0;
    assert.equal(rate(4096), 50_000);
    // A k more or less: the waves are the same.
    const near = proposed(of, problemOf(4096, 4096, 4104))[0]?.gflops ?? 0;
    assert.ok(Math.abs(near / 50_000 - 1) < 0.01, String(near));
  });

  it('reach from half of a side on, and both ends of every reach', () => {
    const of = tables(row(1024, 50_000));
    const count = (m: number, n = 1024, k = 1024) => proposed(of, problemOf(m, n, k)).length;
    assert.deepEqual([count(512), count(511)], [1, 0]);
    assert.deepEqual([count(1024, 512), count(1024, 511)], [1, 0]);
    assert.deepEqual([count(1024, 1024, 64), count(1024, 1024, 63)], [1, 0]);
    // What is large enough is as large as any.
    assert.deepEqual([count(100_000), count(1024, 100_000), count(1024, 1024, 1e6)], [1, 1, 1]);
    const skinny = tables(row([16, 4096, 4096], 5000));
    const reach = (m: number) => proposed(skinny, problemOf(m, 4096, 4096)).length;
    assert.deepEqual([reach(7), reach(8), reach(64), reach(65), reach(4096)], [0, 1, 1, 0, 0]);
  });

  it('are of the same types and target only, and of other layouts where there is nothing nearer', () => {
    const of = tables(row(4096, 50_000), row(4096, 30_000, { layouts: 'crr', schedule: SMALL }));
    assert.equal(proposed(of, problemOf(4096), 'h200', 'wgsl').length, 0);
    const f16 = { a: { dtype: 'f16' }, b: { dtype: 'f16' } } as const;
    assert.equal(proposed(of, problemOf(4096, 4096, 4096, f16)).length, 0);
    assert.equal(proposed(of, problemOf(4096, 4096, 4096, { accumulator: 'f64' })).length, 0);
    const col = proposed(of, problemOf(4096, 4096, 4096, { a: { layout: 'col' } }));
    assert.deepEqual([col[0]?.schedule, col[0]?.how, col[1]?.how], [SMALL, 'measured', 'model']);
  });

  it('come from the same compute capability, then from the nearest lower one, never from a higher one', () => {
    const hopper = row(4096, 50_000);
    const ampere = row(4096, 15_000, {
      device: 'a100-sxm-80gb',
      computeCapability: '8.0',
      schedule: SMALL,
    });
    const kin = (device: string, ...rows: DispatchRow[]) =>
      proposed(tables(...rows), problemOf(4096), device).map(one => [one.kin, one.row.device]);
    assert.deepEqual(kin('h200', hopper, ampere), [
      ['device', 'h200'],
      ['lower-compute-capability', 'a100-sxm-80gb'],
    ]);
    assert.deepEqual(kin('h100-sxm', ampere, hopper), [
      ['compute-capability', 'h200'],
      ['lower-compute-capability', 'a100-sxm-80gb'],
    ]);
    assert.deepEqual(kin('b200', ampere, hopper)[0], ['lower-compute-capability', 'h200']);
    assert.deepEqual(kin('rtx-4090', hopper), []);
    assert.deepEqual(kin('rtx-4090', hopper, ampere), [
      ['lower-compute-capability', 'a100-sxm-80gb'],
    ]);
    assert.deepEqual(kin('apple-m4', hopper, ampere), []);
  });

  it("of a device's own row far away come after a relative's near ones", () => {
    const own = row(4096, 40_000, { device: 'h100-sxm', schedule: SMALL });
    const of = tables(own, row(1024, 30_000), row(4096, 50_000));
    assert.equal(proposed(of, problemOf(1024), 'h100-sxm')[0]?.row.device, 'h200');
    assert.equal(proposed(of, problemOf(4096), 'h100-sxm')[0]?.row.device, 'h100-sxm');
  });

  it("of a workspace take the place of shipped ones of the same point, and of no others'", () => {
    const shipped = { rows: [row(4096, 50_000), row(2048, 45_000)], origin: 'shipped' as const };
    const adopted = [row(4096, 49_000, { schedule: SMALL })];
    const of = tablesOf({ rows: adopted, origin: 'adopted' }, shipped);
    const [first] = proposed(of);
    assert.deepEqual([first?.schedule, first?.origin, first?.how], [SMALL, 'adopted', 'measured']);
    const [other] = proposed(of, problemOf(2048));
    assert.deepEqual([other?.schedule, other?.origin, other?.how], [LARGE, 'shipped', 'measured']);
  });

  it('are finite, in order, without repetition, and the same every time', () => {
    const size = fc.integer({ min: 1, max: 20_000 });
    const rows = fc.array(
      fc.record({
        shape: fc.tuple(size, size, size),
        gflops: fc.double({ min: 1, max: 60_000, noNaN: true }),
        schedule: fc.constantFrom(LARGE, SMALL, schedule(32, 32)),
        blocksPerSm: fc.integer({ min: 1, max: 8 }),
        layouts: fc.constantFrom('rrr', 'crr', 'rcr', 'ccr'),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(rows, fc.tuple(size, size, size), (given, [m, n, k]) => {
        const of = tables(...given.map(({ shape, gflops, ...over }) => row(shape, gflops, over)));
        const found = proposed(of, problemOf(m, n, k));
        assert.ok(found.every(({ gflops }) => Number.isFinite(gflops) && gflops > 0));
        const model = found.filter(({ how }) => how === 'model').map(({ gflops }) => gflops);
        assert.deepEqual(
          model,
          [...model].sort((one, other) => other - one),
        );
        const keys = found.map(({ schedule }) => JSON.stringify(schedule));
        assert.equal(new Set(keys).size, keys.length);
        assert.deepEqual(proposed(of, problemOf(m, n, k)), found);
      }),
    );
  });
});

describe('dispatch: the wave model', () => {
  const H200 = 132;
  const model = { residency: 0.5, prologue: 0 };
  const held = (blocksPerSm: number) => ({ schedule: LARGE, blocksPerSm });
  const cube = (size: number) => ({ m: size, n: size, k: size, batch: 1 });

  it('is the whole rate where every SM has full rounds of whole tiles, and never more', () => {
    const whole = { m: 128 * 12, n: 128 * 11, k: 1024, batch: 1 };
    assert.equal(waveEfficiency(whole, held(1), H200, model), 1);
    assert.equal(waveEfficiency({ ...whole, batch: 2 }, held(2), H200, model), 1);
    const size = fc.integer({ min: 1, max: 9000 });
    fc.assert(
      fc.property(size, size, size, fc.integer({ min: 1, max: 8 }), (m, n, k, blocks) => {
        const efficiency = waveEfficiency({ m, n, k, batch: 1 }, held(blocks), H200, model);
        assert.ok(efficiency > 0 && efficiency <= 1 + 1e-12, String(efficiency));
      }),
    );
  });

  it('falls by half where one tile more begins another round, less so where few blocks fill an SM', () => {
    const tiles = (count: number) => ({ m: 128 * count, n: 128, k: 1024, batch: 1 });
    const ratio = (residency: number) =>
      waveEfficiency(tiles(265), held(2), H200, { residency, prologue: 0 }) /
      waveEfficiency(tiles(264), held(2), H200, { residency, prologue: 0 });
    assert.ok(Math.abs(ratio(1) - 265 / 528) < 1e-9);
    assert.ok(Math.abs(ratio(0) - (265 / 264) * (2 / 3)) < 1e-9);
  });

  it('falls with a prologue the more, the shorter K is, and with what K is short of whole tiles', () => {
    const at = (k: number, prologue: number) =>
      waveEfficiency({ ...cube(1536), k }, held(1), H200, { residency: 0.5, prologue });
    assert.ok(at(128, 64) / at(128, 0) < at(4096, 64) / at(4096, 0));
    assert.ok(at(1025, 0) < at(1024, 0));
  });
});
