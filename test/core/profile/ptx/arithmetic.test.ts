/** Each integer instruction of PTX on numbers is what it is on bits. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { computedBy } from '../../../../src/core/profile/ptx/arithmetic';

const i32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
/** As many as addresses have. */
const i64 = fc.integer({ min: 0, max: 2 ** 45 });

const of = (opcode: string) => {
  const computed = computedBy(opcode);
  assert.ok(computed, opcode);
  return (a: number, b = NaN, c = NaN, d = NaN): number => computed.of(a, b, c, d);
};
const bits = (value: bigint): number => Number(BigInt.asIntN(32, value));
const unsigned = (value: number): bigint => BigInt(value >>> 0);

const SIGNED: readonly (readonly [string, (a: bigint, b: bigint) => bigint])[] = [
  ['add.s32', (a, b) => a + b],
  ['sub.s32', (a, b) => a - b],
  ['mul.lo.s32', (a, b) => a * b],
  ['mul.hi.s32', (a, b) => (a * b) >> 32n],
  ['and.b32', (a, b) => a & b],
  ['or.b32', (a, b) => a | b],
  ['xor.b32', (a, b) => a ^ b],
  ['min.s32', (a, b) => (a < b ? a : b)],
  ['max.s32', (a, b) => (a > b ? a : b)],
];
const UNSIGNED: typeof SIGNED = [
  ['mul.hi.u32', (a, b) => (a * b) >> 32n],
  ['min.u32', (a, b) => (a < b ? a : b)],
  ['max.u32', (a, b) => (a > b ? a : b)],
];
const DIVIDED: typeof SIGNED = [
  ['div.s32', (a, b) => a / b],
  ['rem.s32', (a, b) => a % b],
];

describe('The integers of PTX', () => {
  for (const [opcode, meant] of SIGNED) {
    it(`${opcode} is that of 32 signed bits`, () => {
      fc.assert(
        fc.property(i32, i32, (a, b) => {
          assert.equal(of(opcode)(a, b), bits(meant(BigInt(a), BigInt(b))));
        }),
      );
    });
  }
  for (const [opcode, meant] of UNSIGNED) {
    it(`${opcode} is that of 32 unsigned bits`, () => {
      fc.assert(
        fc.property(i32, i32, (a, b) => {
          assert.equal(of(opcode)(a, b), bits(meant(unsigned(a), unsigned(b))));
        }),
      );
    });
  }
  for (const [opcode, meant] of DIVIDED) {
    it(`${opcode} rounds to zero, and by zero is unknown`, () => {
      fc.assert(
        fc.property(i32, i32, (a, b) => {
          const expected = b === 0 ? NaN : bits(meant(BigInt(a), BigInt(b)));
          // Zero has no sign here.
          assert.equal(of(opcode)(a, b) + 0, expected + 0);
        }),
      );
    });
  }

  it('widens products, and adds to them', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 20), max: 2 ** 20 }), i32, i64, (a, b, c) => {
        assert.equal(of('mul.wide.s32')(a, b), a * b);
        assert.equal(of('mad.wide.s32')(a, b, c), a * b + c);
        assert.equal(of('mad.lo.s32')(a, b, 5), bits(BigInt(a) * BigInt(b) + 5n));
      }),
    );
  });

  it('of 64 bits are exact, or unknown', () => {
    fc.assert(
      fc.property(i64, i64, fc.integer({ min: 0, max: 70 }), (a, b, by) => {
        const exact = (value: bigint): number => {
          const wrapped = Number(BigInt.asIntN(64, value));
          return Number.isSafeInteger(wrapped) ? wrapped : NaN;
        };
        assert.equal(of('add.s64')(a, b), a + b);
        assert.equal(of('sub.s64')(a, b), a - b);
        assert.equal(of('mul.lo.s64')(a, b), exact(BigInt(a) * BigInt(b)));
        assert.equal(of('and.b64')(a, -64), exact(BigInt(a) & -64n));
        assert.equal(of('or.b64')(a, b), exact(BigInt(a) | BigInt(b)));
        assert.equal(of('shr.u64')(a, by), exact(BigInt(a) >> BigInt(by)));
        assert.equal(of('shl.b64')(a, by), by > 63 ? 0 : exact(BigInt(a) << BigInt(by)));
        assert.equal(of('cvt.u32.u64')(a), bits(BigInt(a)));
      }),
    );
  });

  it('shifts past the last bit give none, or the sign', () => {
    fc.assert(
      fc.property(i32, fc.integer({ min: 0, max: 40 }), (a, by) => {
        assert.equal(of('shl.b32')(a, by), by > 31 ? 0 : bits(BigInt(a) << BigInt(by)));
        assert.equal(of('shr.u32')(a, by), bits(unsigned(a) >> BigInt(by)));
        assert.equal(of('shr.s32')(a, by), bits(BigInt(a) >> BigInt(by)));
      }),
    );
  });

  it('fields, funnels, bytes and tables of bits', () => {
    fc.assert(
      fc.property(i32, i32, i32, fc.nat(31), fc.nat(31), (a, b, c, at, count) => {
        const mask = (1n << BigInt(count)) - 1n;
        const field = (unsigned(a) >> BigInt(at)) & mask;
        assert.equal(of('bfe.u32')(a, at, count), bits(field));
        const inserted =
          (unsigned(b) & ~(mask << BigInt(at))) | ((unsigned(a) & mask) << BigInt(at));
        assert.equal(of('bfi.b32')(a, b, at, count), bits(inserted));
        const both = (unsigned(b) << 32n) | unsigned(a);
        assert.equal(of('shf.r.wrap.b32')(a, b, at), bits(both >> BigInt(at)));
        assert.equal(of('shf.l.wrap.b32')(a, b, at), bits((both << BigInt(at)) >> 32n));
        assert.equal(of('lop3.b32')(a, b, c, 0x96), a ^ b ^ c);
        assert.equal(of('lop3.b32')(a, b, c, 0xea), (a & b) | c);
        assert.equal(of('prmt.b32')(a, b, 0x3210), a);
        assert.equal(of('prmt.b32')(a, b, 0x7654), b);
        assert.equal(of('prmt.b32')(a, b, 0xbbbb), a < 0 ? -1 : 0);
      }),
    );
  });

  it('compare by their type, and a known side may decide', () => {
    assert.equal(of('setp.lt.s32')(-1, 0), 1);
    assert.equal(of('setp.lt.u32')(-1, 0), 0);
    assert.equal(of('setp.lo.s32')(-1, 0), 0);
    // -0.0f is 0.0f.
    assert.equal(of('setp.eq.f32')(-(2 ** 31), 0), 1);
    assert.equal(of('setp.neu.f32')(0x3f800000, 0), 1);
    assert.equal(of('and.pred')(0, NaN), 0);
    assert.ok(Number.isNaN(of('and.pred')(1, NaN)));
    assert.equal(of('or.pred')(NaN, 1), 1);
    // nvcc writes true as -1.
    assert.equal(of('mov.pred')(-1), 1);
    assert.equal(of('selp.b32')(7, 7, NaN), 7);
    assert.ok(Number.isNaN(of('selp.b32')(7, 8, NaN)));
  });

  it('leaves floating point unknown', () => {
    for (const opcode of [
      'fma.rn.f32',
      'add.f64',
      'cvt.rn.f32.s32',
      'cvt.rzi.s32.f32',
      'sin.approx.f32',
      'add.cc.u32',
    ]) {
      assert.equal(computedBy(opcode), undefined, opcode);
    }
  });
});
