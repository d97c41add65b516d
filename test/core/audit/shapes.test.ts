/** Readers of the files of TunableOp and of the CUTLASS profiler. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { uniqueShapes } from '../../../src/core/audit/shapes';
import { HEADER, listOf, row, TUNABLE } from '../../helpers/shapeLists';

describe('the reader of TunableOp files', () => {
  it('reads a column-major call as the row-major product that PyTorch computes', () => {
    const [linear, strided] = listOf(TUNABLE).entries;
    assert.deepEqual(linear?.problem, {
      m: 512,
      n: 4096,
      k: 1024,
      a: { dtype: 'bf16', layout: 'row' },
      b: { dtype: 'bf16', layout: 'col' },
      c: { dtype: 'bf16' },
    });
    // B of the call is 96 x 128 with ld 100: its transpose has its columns 100 elements apart.
    assert.deepEqual(strided?.problem, {
      m: 96,
      n: 64,
      k: 128,
      a: { dtype: 'f16', layout: 'col', ld: 100 },
      b: { dtype: 'f16', layout: 'row', ld: 70 },
      c: { dtype: 'f16' },
    });
  });

  it('has the times of results, and names what the product does not contain', () => {
    const { entries } = listOf(TUNABLE);
    assert.deepEqual(entries[0]?.time, { milliseconds: 0.0196817, kernel: 'Gemm_Rocblas_621' });
    assert.equal(entries[1]?.time, undefined);
    assert.deepEqual(entries[2]?.problem.epilogue, [{ op: 'bias', along: 'n' }]);
    assert.deepEqual(entries[2].omitted, []);
    assert.deepEqual(entries[4]?.omitted, ['scale per row and column', 'bias']);
  });

  it('reads batches, TF32 and scaled 8-bit floats', () => {
    const { entries } = listOf(TUNABLE);
    const [, , , batched, scaled] = entries;
    assert.equal(batched?.problem.batch, 96);
    assert.deepEqual([batched.problem.a?.dtype, batched.problem.c?.dtype], ['tf32', 'f32']);
    assert.deepEqual(
      [scaled?.problem.a?.dtype, scaled?.problem.b?.dtype, scaled?.problem.c?.dtype],
      ['e5m2', 'e4m3', 'bf16'],
    );
  });

  it('reads lines of older versions, which have no leading dimensions', () => {
    assert.deepEqual(listOf(TUNABLE).entries.at(-1)?.problem, {
      m: 4096,
      n: 25088,
      k: 64,
      a: { dtype: 'f32', layout: 'col' },
      b: { dtype: 'f32', layout: 'row' },
      c: { dtype: 'f32' },
    });
  });

  it('reports unsupported operators by name and line', () => {
    const { issues } = listOf(TUNABLE);
    assert.deepEqual(
      issues.map(({ kind, place }) => [kind, place]),
      [
        ['unsupported', 'line 7'],
        ['unsupported', 'line 8'],
      ],
    );
    assert.match(issues[0]?.message ?? '', /c10::complex<float>/);
    assert.match(issues[1]?.message ?? '', /GroupedGemmTunableOp_BFloat16_TN/);
  });

  for (const [name, line] of [
    ['a zero', 'GemmTunableOp_float_NN,nn_0_64_64_ld_64_64_64'],
    ['a leading dimension below the extent', 'GemmTunableOp_float_NN,nn_64_64_64_ld_63_64_64'],
    ['transpositions that differ', 'GemmTunableOp_float_NN,tn_64_64_64_ld_64_64_64'],
    ['no parameters', 'GemmTunableOp_float_NN'],
    ['a batch without its operator', 'GemmTunableOp_float_NN,nn_64_64_64_B_2_ld_64_64_64'],
    ['an extent above the limit', 'GemmTunableOp_float_NN,nn_4294967296_64_64'],
  ] as const)
    it(`names the line of ${name}`, () => {
      const { entries, issues } = listOf(`${TUNABLE}${line}\n`);
      assert.equal(entries.length, 6);
      assert.deepEqual([issues.at(-1)?.kind, issues.at(-1)?.place], ['malformed', 'line 10']);
    });

  it('skips a last line without a line break, which may be cut within a number', () => {
    const cut = `${TUNABLE}GemmTunableOp_float_NT,nt_25088_4096_6`;
    const { entries, issues } = listOf(cut);
    assert.equal(entries.length, 6);
    assert.deepEqual(issues.at(-1)?.kind, 'truncated');
    assert.match(issues.at(-1)?.message ?? '', /truncated/);
  });

  it('returns every drawn call, with its strides', () => {
    const extent = fc.integer({ min: 1, max: 100_000 });
    const trans = fc.constantFrom('n', 't');
    const pad = fc.integer({ min: 0, max: 9 });
    fc.assert(
      fc.property(extent, extent, extent, trans, trans, pad, (m, n, k, a, b, more) => {
        const ld = [(a === 'n' ? m : k) + more, (b === 'n' ? k : n) + more, m + more];
        const op = `${a}${b}`;
        const text = `GemmTunableOp_Half_${op.toUpperCase()},${op}_${m}_${n}_${k}_ld_${ld.join('_')}\n`;
        const [entry] = listOf(text).entries;
        assert.deepEqual([entry?.problem.m, entry?.problem.n, entry?.problem.k], [n, m, k]);
        assert.equal(entry?.problem.a?.layout, b === 'n' ? 'row' : 'col');
        assert.equal(entry.problem.b?.layout, a === 'n' ? 'row' : 'col');
        assert.equal(entry.problem.a.ld, more === 0 ? undefined : ld[1]);
        assert.equal(entry.problem.b.ld, more === 0 ? undefined : ld[0]);
        assert.equal(entry.problem.c?.ld, more === 0 ? undefined : ld[2]);
      }),
    );
  });
});

describe('the reader of the CUTLASS profiler', () => {
  it('finds the table in the output of the profiler', () => {
    const text = ['=====', '  Problem ID: 1, and more', 'CSV Results:', '', HEADER, row(), ''];
    const { format, entries, issues } = listOf(text.join('\n'));
    assert.equal(format, 'cutlass');
    assert.deepEqual(issues, []);
    assert.deepEqual(entries[0]?.problem, {
      m: 3456,
      n: 4096,
      k: 4096,
      accumulator: 'f32',
      a: { dtype: 'f32', layout: 'col' },
      b: { dtype: 'f32', layout: 'row' },
      c: { dtype: 'f32', layout: 'col' },
    });
    assert.deepEqual(entries[0].time, {
      milliseconds: 6.73655,
      kernel: 'CUTLASS cutlass_simt_sgemm_128x128_8x2_nt_align1',
    });
  });

  it('takes the output from D, tensor cores on f32 as TF32, and batches and factors', () => {
    const header = HEADER.replace(',C,', ',C,D,');
    const cells = row({
      A: 'f32:row',
      op_class: 'tensorop',
      batch_count: '3',
      alpha: '2',
      beta: '0.5',
    })
      .split(',')
      .toSpliced(12, 1, 'void:row', 'bf16:row');
    const [entry] = listOf(`${header}\n${cells.join(',')}\n`).entries;
    const { a, c, batch, alpha, beta } = entry?.problem ?? {};
    assert.deepEqual(a, { dtype: 'tf32', layout: 'row' });
    assert.deepEqual(c, { dtype: 'bf16', layout: 'row' });
    assert.deepEqual([batch, alpha, beta], [3, 2, 0.5]);
  });

  it('keeps the fastest kernel of a shape, and no time of a kernel that failed', () => {
    const text = [
      HEADER,
      row({ Runtime: '7', Operation: 'slow' }),
      row({ Runtime: '5', Operation: 'fast' }),
      row({ Runtime: '1', Operation: 'wrong', Disposition: 'incorrect' }),
      row({ Runtime: '0', Operation: 'none', Disposition: 'not_run' }),
      '',
    ];
    const { entries } = listOf(text.join('\n'));
    const shapes = uniqueShapes(entries, 'cutlass');
    assert.equal(shapes.length, 1);
    assert.deepEqual(shapes[0]?.fileTime, { milliseconds: 5, kernel: 'CUTLASS fast' });
    assert.deepEqual([shapes[0].weight, shapes[0].entries], [1, 4]);
  });

  it('reports other operations, types and layouts by name', () => {
    const text = [
      HEADER,
      row({ OperationKind: 'conv2d' }),
      row({ gemm_kind: 'grouped' }),
      row({ A: 'cf32:column' }),
      row({ B: 'f16:nhwc' }),
      row({ m: '-4' }),
      `${row()},7`,
      '',
    ];
    const { entries, issues } = listOf(text.join('\n'));
    assert.deepEqual(entries, []);
    assert.deepEqual(
      issues.map(({ kind }) => kind),
      ['unsupported', 'unsupported', 'unsupported', 'unsupported', 'malformed', 'malformed'],
    );
    assert.match(issues[0]?.message ?? '', /conv2d/);
    assert.match(issues[2]?.message ?? '', /cf32:column/);
    assert.equal(issues[5]?.place, 'line 7');
  });
});
