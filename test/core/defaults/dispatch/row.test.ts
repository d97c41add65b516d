import assert from 'node:assert/strict';
import {
  MAX_ROWS,
  rowsText,
  rowSteps,
  type DispatchRow,
} from '../../../../src/core/defaults/dispatch/row';
import { LARGE, parseRows, row, SMALL } from './tables';

const full: DispatchRow = {
  ...row([4096, 1024, 512], 41_234.5),
  blocksPerSm: 2,
  errorPercent: 0.1,
  baseline: { name: 'cuBLAS', gflops: 40_000 },
  ties: [SMALL],
  source: {
    record: '.gemm/tune/x.jsonl',
    driver: '580',
    compiler: 'nvcc 13.0',
    clocks: '1980 MHz',
    commit: 'abc',
  },
};

describe('dispatch: rows of a workspace', () => {
  it('are read back as they were written, a line each', () => {
    const rows = [full, row(64, 100, { target: 'wgsl', device: 'apple-m4' })];
    const text = rowsText(rows);
    assert.deepEqual(parseRows(text), { ok: true, rows });
    assert.equal(text.split('\n').length, rows.length + 3);
    assert.deepEqual(parseRows(rowsText([])), { ok: true, rows: [] });
  });

  it('that cannot be used are errors with their path', () => {
    const paths = (edit: (file: { version: unknown; rows: Record<string, unknown>[] }) => void) => {
      const file = JSON.parse(rowsText([full, full])) as Parameters<typeof edit>[0];
      edit(file);
      const decoded = parseRows(JSON.stringify(file));
      return decoded.ok ? [] : decoded.errors.map(({ path }) => path);
    };
    const second = (over: object) =>
      paths(file => {
        Object.assign(file.rows[1] ?? {}, over);
      });
    assert.deepEqual(second({}), []);
    assert.deepEqual(second({ gflops: 0 }), ['rows.1.gflops']);
    assert.deepEqual(second({ gflops: 1e-9 }), []);
    assert.deepEqual(second({ layouts: 'rrx' }), ['rows.1.layouts']);
    assert.deepEqual(second({ shape: { m: 0, n: 1, k: 1, batch: 1 } }), ['rows.1.shape.m']);
    assert.deepEqual(second({ shape: { m: 2 ** 31 - 1, n: 1, k: 1, batch: 1 } }), []);
    assert.deepEqual(second({ shape: { m: 2 ** 31, n: 1, k: 1, batch: 1 } }), ['rows.1.shape.m']);
    assert.deepEqual(second({ schedule: { ...LARGE, algorithm: 'fast' } }), [
      'rows.1.schedule.algorithm',
    ]);
    assert.deepEqual(second({ computeCapability: 'nine' }), ['rows.1.computeCapability']);
    assert.deepEqual(second({ surprise: 1 }), ['rows.1.surprise']);
    assert.deepEqual(
      paths(file => {
        file.version = 2;
      }),
      ['version'],
    );
    const notJson = parseRows('{');
    assert.ok(!notJson.ok && notJson.errors[0]?.message.startsWith('Not JSON: ') === true);
  });

  it('are decoded one at a time, and not at all where they are too many', () => {
    const steps = (text: string): readonly [number, readonly string[]] => {
      const all = rowSteps(text);
      for (let count = 0; ; count++) {
        const step = all.next();
        if (step.done !== true) continue;
        return [count, step.value.ok ? [] : step.value.errors.map(({ path }) => path)];
      }
    };
    const file = (rows: string): string => `{"version":1,"rows":[${rows}]}`;
    const many = (count: number): string => Array<string>(count).fill('0').join();
    assert.deepEqual(steps(rowsText([full, full, full])), [3, []]);
    assert.deepEqual(steps(file(many(MAX_ROWS + 1))), [0, ['rows']]);
    assert.deepEqual(steps(file(many(1_000_000))), [0, ['rows']]);
    const [decoded, errors] = steps(file(many(MAX_ROWS)));
    assert.deepEqual([decoded, errors.length, errors.at(-1)], [99, 100, 'rows.99']);
    const ties = (count: number) => JSON.stringify({ ...full, ties: Array(count).fill(SMALL) });
    assert.deepEqual(steps(file(ties(64))), [1, []]);
    assert.deepEqual(steps(file(ties(65)))[1], ['rows.0.ties']);
    const bad = JSON.stringify({ ...full, ties: Array(100_000).fill(0) });
    assert.deepEqual(steps(file(bad))[1], ['rows.0.ties']);
  });
});
