/** CuTe C++ source as learners paste it, with the results that CuTe's tutorial prints. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { evaluateLayout } from '../../../src/core/layout/evaluate';
import { tupleText, type IntTuple } from '../../../src/core/layout/intTuple';
import { textOf } from '../../../src/core/layout/layout';
import { reportOf, reportText } from '../../../src/core/layout/print';
import { swizzleOffset, swizzleOf } from '../../../src/core/layout/swizzle';
import { ExpressionError } from '../../../src/core/layout/tokens';
import { swizzled } from '../../../src/core/kernel/wgmma/layouts';
import { runs } from '../../helpers/depth';

/** The value as CuTe prints it: `_` before static integers, then the offset. */
function printed(text: string): string {
  const report = reportOf(text);
  if ('value' in report) return tupleText(report.value);
  return `${report.cute ?? report.layout}${report.offset === 0 ? '' : ` + ${report.offset}`}`;
}

const TUTORIAL = `
  // Define shapes (dynamic)
  auto M = int(5120);
  auto N = int(5120);
  auto K = int(4096);
  // Define strides (mixed)
  auto dA = make_stride(Int<1>{}, 5120); // (dM,dK)
  auto dB = make_stride(Int<1>{}, 5120); // (dN,dK)
  auto dC = make_stride(Int<1>{}, 5120); // (dM,dN)
  // Define block sizes (static)
  auto bM = Int<128>{};
  auto bN = Int<128>{};
  auto bK = Int<  8>{};
  // Define the block layouts (static)
  auto sA = make_layout(make_shape(bM,bK));
  auto sB = make_layout(make_shape(bN,bK));
  auto sC = make_layout(make_shape(bM,bN));
  // Define the thread layouts (static)
  auto tA = make_layout(make_shape(Int<32>{}, Int< 8>{}));
  auto tB = make_layout(make_shape(Int<32>{}, Int< 8>{}));
  auto tC = make_layout(make_shape(Int<16>{}, Int<16>{}));
  auto mA = make_tensor(make_gmem_ptr(A), make_shape(M,K), dA);
  auto mB = make_tensor(make_gmem_ptr(B), make_shape(N,K), dB);
  auto mC = make_tensor(make_gmem_ptr(C), make_shape(M,N), dC);
  blockIdx.x = 0; blockIdx.y = 0; threadIdx.x = 37;
  auto blk_shape = make_shape(size<0>(sA), size<0>(sB), size<1>(sB));  // (BLK_M,BLK_N,BLK_K)
  auto blk_coord = make_coord(blockIdx.x, blockIdx.y, _);              // (m,n,k)
  Tensor gA = local_tile(mA, blk_shape, blk_coord, Step<_1, X,_1>{});  // (BLK_M,BLK_K,k)
  Tensor gB = local_tile(mB, blk_shape, blk_coord, Step< X,_1,_1>{});  // (BLK_N,BLK_K,k)
  Tensor gC = local_tile(mC, blk_shape, blk_coord, Step<_1,_1, X>{});  // (BLK_M,BLK_N)
  auto tAgA = local_partition(gA, tA, threadIdx.x);
  auto tAsA = local_partition(sA, tA, threadIdx.x);
  auto tCsA = local_partition(sA, tC, threadIdx.x, Step<_1, X>{});
  auto tCsB = local_partition(sB, tC, threadIdx.x, Step< X,_1>{});
  auto tCgC = local_partition(gC, tC, threadIdx.x, Step<_1,_1>{});
`;

describe('CuTe C++ source', () => {
  const tutorial: readonly (readonly [string, string])[] = [
    ['sA', '(_128,_8):(_1,_128)'],
    ['sB', '(_128,_8):(_1,_128)'],
    ['sC', '(_128,_128):(_1,_128)'],
    ['tA', '(_32,_8):(_1,_32)'],
    ['tB', '(_32,_8):(_1,_32)'],
    ['tC', '(_16,_16):(_1,_16)'],
    ['size(tC)', '256'],
    ['cosize_v(sA)', '1024'],
    ['mA', '(5120,4096):(_1,5120)'],
    ['gA', '(_128,_8,512):(_1,5120,40960)'],
    ['gB', '(_128,_8,512):(_1,5120,40960)'],
    ['gC', '(_128,_128):(_1,5120)'],
    ['gA(_,_,3)', '(_128,_8):(_1,5120) + 122880'],
    ['size<2>(gA)', '512'],
    ['size<2>(tAgA)', '512'],
    // Thread 37 of tA is at (5,1): offset 5 + 5120 in gA, 5 + 128 in sA.
    ['tAgA', '(_4,_1,512):(_32,_0,40960) + 5125'],
    ['tAsA', '(_4,_1):(_32,_0) + 133'],
    // Thread 37 of tC is at (5,2): its rows of sA start at 5, its rows of sB at 2.
    ['tCsA', '(_8,_8):(_16,_128) + 5'],
    ['tCsB', '(_8,_8):(_16,_128) + 2'],
    ['tCgC', '(_8,_8):(_16,81920) + 10245'],
  ];
  for (const [name, expected] of tutorial) {
    it(`evaluates ${name} of the tutorial to ${expected}`, () => {
      assert.equal(printed(TUTORIAL + name), expected);
    });
  }

  it('returns the last definition of a listing', () => {
    assert.equal(printed(TUTORIAL), printed(`${TUTORIAL}tCgC`));
  });

  const values: readonly (readonly [string, string])[] = [
    ['make_layout(make_shape(Int<32>{}, Int< 8>{}))', '(_32,_8):(_1,_32)'],
    ['make_layout(make_shape(4, 8), make_stride(8, 1))', '(4,8):(8,1)'],
    ['make_layout(make_shape(4, 8), LayoutRight{})', '(4,8):(8,1)'],
    ['make_layout(make_shape(_4{}, _8{}), GenRowMajor{})', '(_4,_8):(_8,_1)'],
    ['cute::make_layout(cute::Shape<_4,_8>{}, cute::LayoutLeft{})', '(_4,_8):(_1,_4)'],
    ['Layout<Shape<_2,_4>,Stride<_4,_1>>{}', '(_2,_4):(_4,_1)'],
    ['Layout<Shape<Shape<_2,_2>,_2>,Stride<Stride<_1,_4>,_2>>', '((_2,_2),_2):((_1,_4),_2)'],
    ['make_layout(Layout<_4,_1>{}, Layout<_8,_4>{})', '(_4,_8):(_1,_4)'],
    ['using L = Layout<Shape<_2,_4>>; L{}', '(_2,_4):(_1,_2)'],
    ['make_layout(make_shape(4, Int<8>{}))', '(4,_8):(_1,4)'],
    ['logical_divide(16:1, Int<4>{})', '(_4,4):(1,4)'],
    ['tiled_divide((8,8):(1,8), Shape<_4,_2>{})', '((_4,_2),2,4):((1,8),4,16)'],
    ['flat_divide((8,8):(1,8), Shape<_4,_2>{})', '(_4,_2,2,4):(1,8,4,16)'],
    ['print_layout(Layout<_8>{})', '_8:_1'],
    ['Layout<Shape<_4,_8>>{}(3,2)', '11'],
    ['Swizzle<3,3,3>{}(65)', '73'],
    ['composition(Swizzle<2,0,2>{}, Layout<_16>{})(5)', '4'],
    ['composition(Swizzle<3,3,3>{}, (8,64):(64,1))', 'Sw<3,3,3> o 0 o (8,64):(64,1)'],
    [
      'composition(Swizzle<3,3,3>{}, Layout<Shape<_8,_64>,Stride<_64,_1>>{})',
      'Sw<3,3,3> o _0 o (_8,_64):(_64,_1)',
    ],
    ['Sw<3,3,3> o 0 o (8,64):(64,1)', 'Sw<3,3,3> o 0 o (8,64):(64,1)'],
    [
      'local_tile(composition(Swizzle<3,3,3>{}, (8,64):(64,1)), (8,8), (0,1))',
      'Sw<3,3,3> o 8 o (8,8):(64,1) + 8',
    ],
    ['coalesce((_2,(_1,_6)):(_1,(_6,_2)), Step<_1,_1>{})', '(_2,_6):(_1,_2)'],
    ['make_tensor(make_smem_ptr(smemA), Layout<_8>{})', '_8:_1'],
    [
      'make_tensor(make_gmem_ptr<float>(A + 4), make_shape(4, 8), make_stride(_1{}, 4))',
      '(4,8):(_1,4)',
    ],
    ['make_tensor(&smem.a[0], make_shape(_4{}, _8{}), LayoutRight{})', '(_4,_8):(_8,_1)'],
    ['make_tensor(static_cast<float const*>(p), make_shape(4, 8))', '(4,8):(1,4)'],
    ['make_tensor<float>(Layout<Shape<_2,_4>>{})', '(_2,_4):(_1,_2)'],
    ['make_tensor<typename T::type>(Shape<_2,_4>{})(1,_)', '_4:_2 + 1'],
  ];
  for (const [text, expected] of values) {
    it(`evaluates ${text} to ${expected}`, () => {
      assert.equal(printed(text), expected);
    });
  }

  const wrong: readonly (readonly [string, number, RegExp])[] = [
    ['make_tensor(ptr)', 16, /Expected "," after the pointer of make_tensor, but found "\)"/],
    ['make_tensor(ptr, (4,8)', 23, /Expected "," or "\)" in the call of make_tensor/],
    ['make_tensor(f(, (4,8))', 23, /Expected "," after the pointer of make_tensor/],
    ['make_tensor<float', 18, /Expected "\(" after make_tensor/],
    ['make_layout(make_shape(bM, 8))', 24, /definition such as bM = 8;/],
    ['Int<>{}', 1, /Int takes one integer, such as Int<8>/],
    ['Int<(2,4)>{}', 1, /Int takes one integer/],
    ['Shape<>{}', 1, /Shape has at least one element/],
    ['Shape<_2,_4', 12, /Expected "," or ">" in the template arguments of Shape/],
    ['Layout<_2,_1,_1>', 1, /Layout takes a shape and a stride/],
    ['vector<_2>', 1, /vector<\.\.\.> is not a supported type\. Supported: Int, /],
    ['_8{', 4, /Expected "}" after "{", but the expression ends/],
    ['Swizzle<3>{}', 1, /Swizzle takes three integers/],
    ['Swizzle<3,3,2>{}', 1, /shift must be at least 3/],
    ['Swizzle<9,9,9>{}', 1, /more than 24 bits/],
    ['size(Swizzle<X,1,1>)', 14, /Expected three integers/],
    ['Sw<3,3,3> o 64:1', 1, /Expected an offset and a layout/],
    ['right_inverse(composition(Swizzle<3,3,3>{}, 64:1))', 15, /without a swizzle/],
    ['make_layout(4, 8, 2)', 1, /takes a shape and strides, or layouts/],
    ['make_layout(make_shape(4, 8), 8:1)', 1, /but not both/],
    ['a = 8; b = (a, c)', 16, /definition such as c = 8;/],
    ['8 8', 3, /Expected the end of the expression or ";"/],
    ['get<0>((8,4))', 1, /Unknown operation get/],
    ['mode((8,4), 2)', 1, /Mode 2 does not exist: the layout has 2 modes/],
  ];
  for (const [text, column, message] of wrong) {
    it(`reports the column of the error in ${text}`, () => {
      assert.throws(
        () => evaluateLayout(text),
        (error: unknown) => {
          assert.ok(error instanceof ExpressionError, String(error));
          assert.match(error.message, message);
          assert.equal(error.span.start + 1, column);
          return true;
        },
      );
    });
  }

  it('limits the parts of an expression after its names are replaced', () => {
    const doubling = Array.from({ length: 60 }, (_, i) => `a${i + 1} = compose(a${i}, a${i});`);
    assert.throws(() => evaluateLayout(`a0 = 8:1; ${doubling.join(' ')}`), /more than 10000 parts/);
  });

  const leaf = fc.integer({ min: 1, max: 16 });
  const { shape } = fc.letrec<{ shape: IntTuple }>(tie => ({
    shape: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      leaf,
      fc.array(tie('shape'), { minLength: 1, maxLength: 3 }),
    ),
  }));
  const strides = (of: IntTuple): fc.Arbitrary<IntTuple> =>
    typeof of === 'number' ? fc.nat(64) : fc.tuple(...of.map(strides));
  const layouts = shape.chain(of => fc.record({ shape: fc.constant(of), stride: strides(of) }));

  it('parses each way of writing a layout to the same layout', () => {
    fc.assert(
      fc.property(layouts, fc.boolean(), ({ shape: of, stride }, isStatic) => {
        const int = (value: number): string => (isStatic ? `Int< ${value}>{}` : String(value));
        const call = (name: string, tuple: IntTuple): string =>
          typeof tuple === 'number'
            ? int(tuple)
            : `make_${name}(${tuple.map(mode => call(name, mode)).join(', ')})`;
        const type = (name: string, tuple: IntTuple): string =>
          typeof tuple === 'number'
            ? `_${tuple}`
            : `${name}<${tuple.map(mode => type(name, mode)).join(',')}>`;
        const expected = textOf({ shape: of, stride });
        const written = [
          expected,
          `make_layout(${call('shape', of)}, ${call('stride', stride)})`,
          `auto s = ${call('shape', of)};\nauto l = make_layout(s, ${call('stride', stride)});`,
          `Layout<${type('Shape', of)},${type('Stride', stride)}>{}`,
        ];
        for (const text of written) {
          const report = reportOf(text);
          assert.ok('layout' in report);
          assert.equal(report.layout, expected, text);
          // The printed form, with its underscores, has the same value and the same form.
          assert.equal(printed(printed(text)), printed(text));
        }
        assert.equal(printed(written[3] ?? ''), expected.replaceAll(/\d+/g, '_$&'));
      }),
      { ...runs(300) },
    );
  });

  it('prints a swizzled layout as an expression with the same offsets', () => {
    const swizzles = fc
      .tuple(fc.nat(3), fc.nat(4), fc.integer({ min: 3, max: 5 }), fc.boolean())
      .map(([bits, base, shift, isNegative]) => swizzleOf(bits, base, isNegative ? -shift : shift));
    fc.assert(
      fc.property(layouts, swizzles, (layout, { bits, base, shift }) => {
        const text = `composition(Swizzle<${bits},${base},${shift}>{}, ${textOf(layout)})`;
        const [first, again] = [reportOf(text), reportOf(printed(text))];
        assert.ok('table' in first && 'table' in again);
        assert.deepEqual(again.table, first.table);
        assert.equal(again.layout, first.layout);
      }),
      { ...runs(200) },
    );
  });
});

describe('swizzles', () => {
  it('are bijections that undo themselves, and keep low bits', () => {
    fc.assert(
      fc.property(
        fc.nat(3),
        fc.nat(4),
        fc.integer({ min: 3, max: 6 }),
        fc.nat(2 ** 40),
        (bits, base, shift, offset) => {
          for (const by of [shift, -shift]) {
            const swizzle = swizzleOf(bits, base, by);
            const moved = swizzleOffset(swizzle, offset);
            assert.equal(swizzleOffset(swizzle, moved), offset);
            assert.equal(moved % 2 ** base, offset % 2 ** base);
          }
        },
      ),
      { ...runs(300) },
    );
  });

  it('equal the TMA swizzles of shared memory', () => {
    for (const [bits, bytes] of [
      [1, 32],
      [2, 64],
      [3, 128],
    ] as const) {
      const swizzle = swizzleOf(bits, 4, 3);
      for (let byte = 0; byte < 4096; byte++)
        assert.equal(swizzleOffset(swizzle, byte), swizzled(byte, bytes));
    }
  });
});

describe('static and dynamic integers', () => {
  it('are told apart in the text of a result, with what the mark means', () => {
    const text = reportText(reportOf('local_tile((64,64):(_1,64), (_8,_4), (_,0))'));
    assert.match(text, /^\(_8,_4,8\):\(_1,64,_8\)\n/);
    assert.match(text, /\n_ marks static integers \(compile-time constants, Int<N>\)/);
  });

  it('are not marked in an expression without static integers', () => {
    const report = reportOf('(128,8):(1,128)');
    assert.ok('layout' in report);
    assert.equal(report.cute, undefined);
    assert.doesNotMatch(reportText(report), /_/);
  });

  it('make a result dynamic that depends on a dynamic integer', () => {
    assert.equal(printed('composition((_8,_8):(_8,_1), (4,2):(2,1))'), '(4,2):(16,8)');
    assert.equal(printed('logical_divide(_16:_1, 4)'), '(4,4):(_1,4)');
  });
});
