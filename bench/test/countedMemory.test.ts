/** The record of counters compared with the analysis. */
import assert from 'node:assert/strict';
import { check } from '../../src/core/defaults/check';
import { rowsOf, summary, type Counted } from '../src/memory/counted';
import { siteKernels } from '../src/memory/kernels';

const figure = (value: number) => ({ value, unit: '', from: 'measured' });

const counted = (counters: unknown): Counted => ({
  spec: { problem: { m: 64, n: 64, k: 64 } },
  counters,
  analysis: {
    specKey: 'gemm-x',
    memoryLevels: { levels: [{ level: 'dram', bytes: { value: 105 } }] },
  },
  message: counters === null ? 'refused' : '',
});

const row = (id: string, ours: number, found: number | null) => ({
  id,
  name: id,
  ours: figure(ours),
  counted: found === null ? null : figure(found),
  verdict: ours === found ? 'equal' : 'differs',
  why: '',
  differencePercent: null,
});

describe('counted memory', () => {
  it('has 40 legal kernels and more: every algorithm, four layouts, padded and swizzled', () => {
    const specs = siteKernels(1024);
    for (const spec of specs) assert.ok(check(spec).ok, JSON.stringify(check(spec).violations));
    assert.ok(specs.length >= 40);
    assert.equal(new Set(specs.map(spec => check(spec).specKey)).size, specs.length);
    assert.equal(new Set(specs.map(({ schedule }) => schedule?.algorithm)).size, 9);
    assert.ok(specs.some(({ schedule }) => schedule?.swizzle === 'xor'));
    assert.ok(specs.some(({ schedule }) => (schedule?.padding?.a ?? 0) > 0));
  });

  it('compares counts exactly and modelled bytes within 10 %, and names what differs', () => {
    const result = counted({
      rows: [
        row('shared-wavefronts', 64, 64),
        row('shared-store-wavefronts', 64, 65),
        row('dram-bytes', 90, 100),
        row('duration', 1, null),
      ],
    });
    assert.deepEqual(
      rowsOf(result).map(({ quantity, ours, equal }) => [quantity, ours, equal]),
      [
        ['shared-wavefronts', 64, true],
        ['shared-store-wavefronts', 64, false],
        ['dram-bytes', 105, true],
      ],
    );
    const text = summary([result, counted(null)]);
    assert.match(text, /^2 kernels, 1 without counters; 2 of 3 quantities agree/);
    assert.match(text, /shared-store-wavefronts \| 64 \| 65 \| -1\.54 %/);
    assert.match(text, /none: refused/);
  });

  it('reads nothing from an answer of another shape', () => {
    assert.deepEqual(rowsOf(counted({ rows: 'none' })), []);
  });
});
