import assert from 'node:assert/strict';
import { recordedTable } from '../../scripts/ladderTable';
import { MEASURED } from '../../src/core/measure/measured';
import { tableBest } from '../../src/core/measure/table';
import { resolve } from '../../src/core/spec/resolve';
import type { GemmSpec } from '../../src/core/spec/schema';

const best = (
  m: number,
  over: Partial<GemmSpec> = {},
  problem: Partial<GemmSpec['problem']> = {},
) => tableBest(resolve({ problem: { m, n: m, k: m, ...problem }, ...over }), 'cuda');

describe('the measured table', () => {
  it('says what was recorded, no more and no less', () => {
    assert.deepEqual(MEASURED, [recordedTable()]);
  });

  it('gives the fastest schedule of a measured size', () => {
    const fastest = Math.max(
      ...recordedTable().rows.flatMap(({ size, gflops }) => (size === 4096 ? [gflops] : [])),
    );
    const found = best(4096);
    assert.deepEqual([found?.size, found?.exact, found?.gflops], [4096, true, fastest]);
  });

  it('of another size gives that of the nearest, and says that it is another', () => {
    const sizes = recordedTable().rows.map(({ size }) => size);
    const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
    assert.deepEqual([best(least + 1)?.size, best(least + 1)?.exact], [least, false]);
    assert.deepEqual([best(100_000)?.size, best(1)?.size], [most, least]);
    assert.equal(best(4096, {}, { k: 4095 })?.exact, false);
  });

  it('knows nothing of other devices, languages, types, layouts or scalars', () => {
    assert.equal(best(4096, { device: 'rtx-4090' }), null);
    for (const problem of [
      { a: { dtype: 's32' }, b: { dtype: 's32' } },
      { a: { layout: 'col' } },
      { a: { ld: 8192 } },
      { alpha: 2 },
      { beta: 1 },
      { batch: 2 },
    ] as const) {
      assert.equal(best(4096, {}, problem), null, JSON.stringify(problem));
    }
    assert.equal(tableBest(resolve({ problem: { m: 512, n: 512, k: 512 } }), 'wgsl'), null);
  });
});
