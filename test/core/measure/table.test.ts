import assert from 'node:assert/strict';
import { recordedTables } from '../../../scripts/ladderTable';
import { MEASURED } from '../../../src/core/measure/measured';
import { ladderRates } from '../../../src/core/measure/table';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';

const rates = (
  m: number,
  over: Partial<GemmSpec> = {},
  problem: Partial<GemmSpec['problem']> = {},
) => ladderRates(resolve({ problem: { m, n: m, k: m, ...problem }, ...over }), 'cuda');

describe('the measured ladder', () => {
  it('says what was recorded, no more and no less', () => {
    assert.deepEqual(MEASURED, recordedTables());
    assert.deepEqual(
      MEASURED.map(({ device, target }) => [device, target]),
      [
        ['h200', 'cuda'],
        ['h200', 'wgsl'],
      ],
    );
  });

  it('gives the rates of the nearest measured size, and says whether it is the own one', () => {
    const [table] = recordedTables();
    const sizes = [1024, 4096];
    for (const size of sizes) {
      const found = rates(size);
      assert.deepEqual([found?.size, found?.exact], [size, true]);
      assert.deepEqual(
        found?.rows.map(({ gflops }) => gflops),
        table?.rows.flatMap(({ gflops: { [size]: own } }) => own ?? []),
      );
    }
    assert.deepEqual([rates(1025)?.size, rates(1025)?.exact], [1024, false]);
    assert.deepEqual([rates(100_000)?.size, rates(1)?.size], [4096, 1024]);
    assert.equal(rates(4096, {}, { k: 4095 })?.exact, false);
  });

  it('knows nothing of other devices, types, layouts or scalars', () => {
    assert.equal(rates(4096, { device: 'rtx-4090' }), null);
    for (const problem of [
      { a: { dtype: 's32' }, b: { dtype: 's32' } },
      { a: { layout: 'col' } },
      { a: { ld: 8192 } },
      { alpha: 2 },
      { beta: 1 },
      { batch: 2 },
    ] as const) {
      assert.equal(rates(4096, {}, problem), null, JSON.stringify(problem));
    }
  });
});
