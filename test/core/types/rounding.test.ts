/** Rounding and arithmetic of the element types, against exact arithmetic on integers. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { arithmeticOf, fmaF32, fmaF64 } from '../../../src/core/simulate/arithmetic';
import { bitsOf, roundTo, valueOfBits } from '../../../src/core/types/rounding';
import { runs } from '../../helpers/depth';

/**
 * Multiples of 2^-2200: sums and products of any f64 that are tested here are whole numbers of
 * them.
 */
const SCALE = 2200n;
const view = new DataView(new ArrayBuffer(8));

function exact(value: number): bigint {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const field = (bits >> 52n) & 0x7ffn;
  const fraction = bits & ((1n << 52n) - 1n);
  const significand = field === 0n ? fraction : fraction | (1n << 52n);
  const magnitude = significand << (SCALE - 1074n + (field === 0n ? 0n : field - 1n));
  return value < 0 ? -magnitude : magnitude;
}

const product = (left: number, right: number): bigint => (exact(left) * exact(right)) >> SCALE;
const distance = (one: bigint, other: bigint): bigint => (one > other ? one - other : other - one);

/**
 * Whether `value` is the nearest of its neighbours to what it stands for; of two equally near ones
 * the even.
 */
function isNearest(
  of: bigint,
  value: number,
  { below, above, even }: { below: number; above: number; even: boolean },
): boolean {
  const own = distance(of, exact(value));
  return [below, above].every(other => {
    const its = distance(of, exact(other));
    return own < its || (own === its && even);
  });
}

const TYPES = ['f16', 'bf16', 'e5m2', 'e4m3'] as const;
const VALUES = { f16: 0x10000, bf16: 0x10000, e5m2: 0x100, e4m3: 0x100 } as const;
const LARGEST = { f16: 65_504, bf16: 2 ** 128 - 2 ** 120, e5m2: 57_344, e4m3: 448 } as const;
const OVERFLOW = { f16: 65_520, bf16: 2 ** 128 - 2 ** 119 } as const;

describe('rounding', () => {
  it('tf32: 10 bits of fraction, ties away from zero', () => {
    const unit = 2 ** -10;
    for (const sign of [1, -1]) {
      const rounded = (value: number) => roundTo('tf32', sign * value) * sign;
      assert.equal(rounded(1 + unit / 2), 1 + unit);
      assert.equal(rounded(1 + 1.5 * unit), 1 + 2 * unit);
      assert.equal(rounded(1 + unit / 2 - 2 ** -23), 1);
      assert.equal(rounded(2 - unit / 2), 2);
      assert.equal(rounded(2 ** 128 - 2 ** 104), Infinity);
      assert.equal(rounded(Infinity), Infinity);
    }
    assert.ok(Number.isNaN(roundTo('tf32', NaN)));
  });

  for (const dtype of TYPES) {
    it(`${dtype}: all ${VALUES[dtype]} values are their own bits and their own nearest value`, () => {
      for (let bits = 0; bits < VALUES[dtype]; bits++) {
        const value = valueOfBits(dtype, bits);
        // No number rounds to the infinity of e5m2.
        if (dtype === 'e5m2' && Math.abs(value) === Infinity) continue;
        if (Number.isNaN(value)) {
          assert.ok(Number.isNaN(valueOfBits(dtype, bitsOf(dtype, value))));
          continue;
        }
        if (bitsOf(dtype, value) !== bits || !Object.is(roundTo(dtype, value), value))
          assert.fail(`${bits.toString(16)}: ${value}`);
      }
    });

    it(`${dtype}: what lies between two values goes to the nearer one, and from the middle to the even one`, () => {
      for (let bits = 1; bits <= bitsOf(dtype, LARGEST[dtype]); bits++) {
        const [below, above] = [valueOfBits(dtype, bits - 1), valueOfBits(dtype, bits)];
        if (above === Infinity) continue;
        const middle = (below + above) / 2;
        const even = bits % 2 === 0 ? above : below;
        const gap = above - below;
        const nearer = [middle - gap / 2 ** 20, middle + gap / 2 ** 20].map(x => roundTo(dtype, x));
        const found = [roundTo(dtype, middle), roundTo(dtype, -middle), ...nearer];
        if (found.some((x, i) => x !== [even, -even, below, above][i])) {
          assert.fail(`${below} .. ${above}: ${found.join(', ')}`);
        }
      }
    });

    it(`${dtype}: any f64 goes to its nearest value`, () => {
      const around = fc.oneof(
        fc.double({ noNaN: true, min: -LARGEST[dtype], max: LARGEST[dtype] }),
        fc
          .tuple(fc.double({ noNaN: true, min: -2, max: 2 }), fc.integer({ min: -150, max: 14 }))
          .map(([x, e]) => x * 2 ** e),
      );
      fc.assert(
        fc.property(around, x => {
          const rounded = roundTo(dtype, x);
          const bits = bitsOf(dtype, Math.abs(rounded));
          const neighbours = {
            below: valueOfBits(dtype, Math.max(0, bits - 1)),
            above: Math.min(LARGEST[dtype], valueOfBits(dtype, bits + 1)),
            even: bits % 2 === 0,
          };
          const itself = neighbours.above === Math.abs(rounded) || bits === 0;
          assert.ok(itself || isNearest(exact(Math.abs(x)), Math.abs(rounded), neighbours), `${x}`);
          assert.equal(rounded < 0 || Object.is(rounded, -0), x < 0 || Object.is(x, -0));
        }),
        { ...runs(3000) },
      );
    });
  }

  for (const dtype of ['f16', 'bf16'] as const) {
    it(`${dtype}: overflows to infinity from half a step above the largest value`, () => {
      const [largest, overflow] = [LARGEST[dtype], OVERFLOW[dtype]];
      assert.equal(valueOfBits(dtype, bitsOf(dtype, Infinity) - 1), largest);
      assert.equal(roundTo(dtype, overflow), Infinity);
      assert.equal(roundTo(dtype, -overflow), -Infinity);
      assert.equal(roundTo(dtype, overflow * (1 - 2 ** -50)), largest);
      assert.ok(Number.isNaN(roundTo(dtype, NaN)));
    });
  }

  for (const dtype of ['e5m2', 'e4m3'] as const) {
    it(`${dtype}: what is too large becomes the largest number, as CUDA converts`, () => {
      const largest = LARGEST[dtype];
      for (const value of [largest * 1.01, largest * 16, Infinity]) {
        assert.equal(roundTo(dtype, value), largest);
        assert.equal(roundTo(dtype, -value), -largest);
      }
      assert.ok(Number.isNaN(roundTo(dtype, NaN)));
    });
  }

  it('floats of 8 bits have the bits of their definition', () => {
    const bits = (dtype: 'e4m3' | 'e5m2') =>
      [1, -1.5, 2 ** -6, 2 ** -9, LARGEST[dtype]].map(value => bitsOf(dtype, value));
    assert.deepEqual(bits('e4m3'), [0x38, 0xbc, 0x08, 0x01, 0x7e]);
    assert.deepEqual(bits('e5m2'), [0x3c, 0xbe, 0x24, 0x18, 0x7b]);
    assert.equal(bitsOf('e5m2', Infinity), 0x7c);
    assert.equal(bitsOf('e4m3', NaN), 0x7f);
  });

  it('wraps integers where they are stored', () => {
    assert.deepEqual(
      [127, 128, -129, 2 ** 31].map(x => roundTo('s8', x)),
      [127, -128, 127, 0],
    );
    assert.deepEqual(
      [2 ** 31 - 1, 2 ** 31].map(x => roundTo('s32', x)),
      [2 ** 31 - 1, -(2 ** 31)],
    );
  });
});

describe('multiply-adds', () => {
  const half = fc.integer({ min: 0, max: 0xffff }).map(bits => valueOfBits('f16', bits));
  const finiteHalf = half.filter(Number.isFinite);

  it('f16: rounded once, whatever the exponents', () => {
    const { fma, mul, add } = arithmeticOf('f16');
    fc.assert(
      fc.property(finiteHalf, finiteHalf, finiteHalf, (left, right, addend) => {
        for (const [of, found] of [
          [product(left, right) + exact(addend), fma(left, right, addend)],
          [product(left, right), mul(left, right)],
          [exact(left) + exact(addend), add(left, addend)],
        ] as const) {
          const size = distance(of, 0n);
          if (!Number.isFinite(found)) {
            assert.ok(size >= exact(OVERFLOW.f16));
            continue;
          }
          const bits = bitsOf('f16', Math.abs(found));
          const neighbours = {
            below: valueOfBits('f16', Math.max(0, bits - 1)),
            above: bits === bitsOf('f16', LARGEST.f16) ? 2 ** 16 : valueOfBits('f16', bits + 1),
            even: bits % 2 === 0,
          };
          assert.ok(
            bits === 0 || isNearest(size, Math.abs(found), neighbours),
            `${left} ${right} ${addend}`,
          );
          assert.ok(found === 0 || found > 0 === of > 0n);
        }
      }),
      { ...runs(5000) },
    );
  });

  const wide = fc
    .tuple(fc.double({ noNaN: true, min: -2, max: 2 }), fc.integer({ min: -60, max: 60 }))
    .map(([x, e]) => x * 2 ** e)
    .filter(x => Math.abs(x) > 2 ** -300);

  function neighboursOf(value: number) {
    view.setFloat64(0, Math.abs(value));
    const bits = view.getBigUint64(0);
    const at = (of: bigint): number => {
      view.setBigUint64(0, of);
      return view.getFloat64(0);
    };
    return { below: at(bits - 1n), above: at(bits + 1n), even: bits % 2n === 0n };
  }

  it('f64: rounded once, near cancellation too', () => {
    const near = fc
      .tuple(wide, wide, fc.integer({ min: -4, max: 4 }))
      .map(
        ([left, right, ulps]) => [left, right, -(left * right) * (1 + ulps * 2 ** -52)] as const,
      );
    fc.assert(
      fc.property(fc.oneof(near, fc.tuple(wide, wide, wide)), ([left, right, addend]) => {
        const of = product(left, right) + exact(addend);
        const found = fmaF64(left, right, addend);
        if (of === 0n) assert.equal(found, 0);
        else {
          assert.ok(
            isNearest(distance(of, 0n), Math.abs(found), neighboursOf(found)),
            `${left} ${right} ${addend}`,
          );
          assert.equal(found > 0, of > 0n);
        }
      }),
      { ...runs(5000) },
    );
  });

  it('f32: rounded once', () => {
    // 1 + 2^-24 * (1 + 2^-23): just above a tie, which two roundings would take down.
    const x = 2 ** -12 * (1 + 2 ** -23);
    assert.equal(fmaF32(Math.fround(x), 2 ** -12, 1), Math.fround(1 + 2 ** -23));
    assert.equal(fmaF32(1e38, 10, 0), Infinity);
  });
});
