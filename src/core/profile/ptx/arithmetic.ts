/**
 * Evaluates PTX integer instructions (PTX ISA 9.0, sections 9.7.1, 9.7.6, 9.7.8, 9.7.9). Registers
 * of up to 32 bits are signed integers; 64-bit registers are signed integers that a double
 * represents exactly. NaN means unknown and propagates. Floating-point registers hold raw bits;
 * only moves, selections and f32 comparisons are evaluated.
 */

/** Operation on up to four register values; unused operands are ignored. */
export type Operation = (a: number, b: number, c: number, d: number) => number;

export interface Computed {
  readonly of: Operation;
  /**
   * True if the operation also accepts unknown operands; otherwise an unknown operand makes the
   * result unknown.
   */
  readonly lenient?: true;
}

interface Type {
  readonly kind: string;
  readonly bits: number;
}

const typeOf = (name: string | undefined): Type | undefined => {
  const [, kind, bits] = /^([busf])(8|16|32|64)$/.exec(name ?? '') ?? [];
  return kind === undefined ? undefined : { kind, bits: Number(bits) };
};

/** Interprets register bits as a value of the type; NaN for u64 values of 2^63 and above. */
function read(value: number, { kind, bits }: Type): number {
  if (bits === 64) return kind === 'u' && value < 0 ? NaN : value;
  const unsigned = bits === 32 ? value >>> 0 : value & (2 ** bits - 1);
  return kind === 'u' ? unsigned : (unsigned << (32 - bits)) >> (32 - bits);
}

const exact = (value: number): number => (Number.isSafeInteger(value) ? value : NaN);

/**
 * Converts a value to register bits, truncated to the width of the type; NaN if a 64-bit value is
 * not exact.
 */
const write = (value: number, { bits }: Type): number =>
  bits === 64 ? exact(value) : (value << (32 - bits)) >> (32 - bits);

/**
 * Computes a 64-bit result with big integers; returns NaN if a double cannot represent it exactly.
 */
function wide(a: number, b: number, of: (a: bigint, b: bigint) => bigint): number {
  return exact(Number(BigInt.asIntN(64, of(BigInt(a), BigInt(b)))));
}

const product = (a: number, b: number, { bits }: Type): number =>
  bits < 64 ? Math.imul(a, b) : Number.isSafeInteger(a * b) ? a * b : wide(a, b, (x, y) => x * y);

const high = (a: number, b: number, { bits }: Type): number =>
  Number((BigInt(a) * BigInt(b)) >> BigInt(bits));

const LOGIC: Readonly<Record<string, readonly [Operation, (a: bigint, b: bigint) => bigint]>> = {
  and: [(a, b) => a & b, (a, b) => a & b],
  or: [(a, b) => a | b, (a, b) => a | b],
  xor: [(a, b) => a ^ b, (a, b) => a ^ b],
};

const isUnknown = Number.isNaN;

/** Predicate operations. For `and` and `or`, a single known operand may determine the result. */
const PREDICATES: Readonly<Record<string, Operation>> = {
  and: (a, b) => (a === 0 || b === 0 ? 0 : isUnknown(a) || isUnknown(b) ? NaN : 1),
  or: (a, b) => (a === 1 || b === 1 ? 1 : isUnknown(a) || isUnknown(b) ? NaN : 0),
  xor: (a, b) => (isUnknown(a) || isUnknown(b) ? NaN : a ^ b),
  not: a => 1 - a,
  mov: a => (isUnknown(a) ? NaN : Number(a !== 0)),
};

const choose: Operation = (a, b, c) => (isUnknown(c) ? (a === b ? a : NaN) : c === 1 ? a : b);

const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};

const BUFFER = new DataView(new ArrayBuffer(4));

const float = (bits: number): number => {
  BUFFER.setInt32(0, bits);
  return BUFFER.getFloat32(0);
};

/**
 * Returns the operation of an opcode; undefined for unsupported opcodes, whose results are unknown.
 */
export function computedBy(opcode: string): Computed | undefined {
  const parts = opcode.split('.');
  const [name = ''] = parts;
  const last = parts.at(-1);
  if (last === 'pred') {
    const of = PREDICATES[name];
    return of === undefined ? undefined : { of, lenient: true };
  }
  const type = typeOf(last);
  if (type === undefined) return undefined;
  if (name === 'selp') return { of: choose, lenient: true };
  const of = operationOf(name, parts, type);
  return of === undefined ? undefined : { of };
}

function operationOf(name: string, parts: readonly string[], type: Type): Operation | undefined {
  if (name === 'setp') return comparison(parts, type);
  if (name === 'mov') return a => a;
  if (name === 'cvta') return addressSpace(parts);
  if (name === 'cvt') return conversion(parts, type);
  if (type.kind === 'f') return undefined;
  const logic = LOGIC[name];
  if (logic !== undefined) return type.bits === 64 ? (a, b) => wide(a, b, logic[1]) : logic[0];
  return arithmetic(name, parts, type) ?? shift(name, parts, type) ?? fields(name, type);
}

/**
 * Start of the shared-memory window in the generic address space. Global addresses equal their
 * generic addresses.
 */
export const SHARED_WINDOW = 2 ** 45;

const addressSpace = (parts: readonly string[]): Operation | undefined => {
  const from = parts[1] === 'to' ? -SHARED_WINDOW : SHARED_WINDOW;
  if (parts.includes('shared')) return a => a + from;
  return parts.includes('global') ? a => a : undefined;
};

const UNSIGNED: Readonly<Record<string, string>> = { lo: 'lt', ls: 'le', hi: 'gt', hs: 'ge' };

function comparison([, word = '', joined]: readonly string[], type: Type): Operation | undefined {
  const unsigned = UNSIGNED[word];
  const holds = COMPARISONS[unsigned ?? word.replace(/u$/, '')];
  if (holds === undefined || (type.kind === 'f' && type.bits !== 32)) return undefined;
  const of = unsigned === undefined ? type : { ...type, kind: 'u' };
  const value = (register: number): number =>
    type.kind === 'f' ? float(register) : read(register, of);
  const join = /^(and|or|xor)$/.test(joined ?? '') ? PREDICATES[joined ?? ''] : undefined;
  return (a, b, c, d) => {
    const [left, right] = [value(a), value(b)];
    if (isUnknown(left) || isUnknown(right)) return NaN;
    const truth = Number(holds(left, right));
    return join === undefined ? truth : join(truth, c, d, NaN);
  };
}

/** Returns the conversion between two integer types; undefined for floating-point types. */
function conversion(parts: readonly string[], from: Type): Operation | undefined {
  const to = typeOf(parts.at(-2));
  if (to === undefined || to.kind === 'f' || from.kind === 'f') return undefined;
  return a => {
    const value = a < 0 && from.bits === 64 ? a : read(a, from);
    return to.bits === 64 || Math.abs(value) < 2 ** 31 ? write(value, to) : wide32(value, to);
  };
}

const wide32 = (value: number, to: Type): number =>
  write(Number(BigInt.asIntN(32, BigInt(value))), to);

function arithmetic(name: string, parts: readonly string[], type: Type): Operation | undefined {
  const of = (value: number): number => read(value, type);
  const inPart = (part: string): boolean => parts.includes(part);
  if (inPart('cc') || inPart('sat')) return undefined;
  const double: Type = { kind: type.kind, bits: 2 * type.bits };
  switch (name) {
    case 'add':
      return (a, b) => write(a + b, type);
    case 'sub':
      return (a, b) => write(a - b, type);
    case 'mul':
    case 'mad': {
      const plus = (value: number, c: number): number => (name === 'mul' ? value : value + c);
      if (inPart('wide')) return (a, b, c) => write(plus(of(a) * of(b), c), double);
      if (inPart('hi')) {
        return type.bits === 64
          ? undefined
          : (a, b, c) => write(plus(high(of(a), of(b), type), c), type);
      }
      return (a, b, c) => write(plus(product(a, b, type), c), type);
    }
    case 'div':
      return (a, b) => (of(b) === 0 ? NaN : write(Math.trunc(of(a) / of(b)), type));
    case 'rem':
      return (a, b) => (of(b) === 0 ? NaN : write(of(a) % of(b), type));
    case 'min':
      return (a, b) => write(Math.min(of(a), of(b)), type);
    case 'max':
      return (a, b) => write(Math.max(of(a), of(b)), type);
    case 'abs':
      return a => write(Math.abs(of(a)), type);
    case 'neg':
      return a => write(-a, type);
    case 'not':
      return a => write(-a - 1, type);
    default:
      return undefined;
  }
}

function shift(name: string, parts: readonly string[], type: Type): Operation | undefined {
  const { bits } = type;
  const clamped = (by: number): number => Math.min(by >>> 0, bits);
  switch (name) {
    case 'shl':
      return bits === 64
        ? (a, b) => (clamped(b) === 64 ? 0 : wide(a, clamped(b), (x, y) => x << y))
        : (a, b) => (clamped(b) === bits ? 0 : write(a << clamped(b), type));
    case 'shr':
      return (a, b) => write(Math.floor(read(a, type) / 2 ** clamped(b)), type);
    case 'shf': {
      if (bits !== 32) return undefined;
      const amount = parts.includes('wrap')
        ? (c: number) => c & 31
        : (c: number) => Math.min(c >>> 0, 32);
      const both = (a: number, b: number): bigint => (BigInt(b >>> 0) << 32n) | BigInt(a >>> 0);
      return parts.includes('l')
        ? (a, b, c) => Number(BigInt.asIntN(32, (both(a, b) << BigInt(amount(c))) >> 32n))
        : (a, b, c) => Number(BigInt.asIntN(32, both(a, b) >> BigInt(amount(c))));
    }
    default:
      return undefined;
  }
}

/**
 * Returns the operation of a bit-field, LOP3, PRMT or bit-count instruction; undefined for other
 * instructions and for types that are not 32 bits wide.
 */
function fields(name: string, type: Type): Operation | undefined {
  if (type.bits !== 32) return undefined;
  switch (name) {
    case 'bfe':
      return (a, b, c) => {
        const length = Math.min(c & 255, 32);
        const field = Math.floor((a >>> 0) / 2 ** (b & 255)) % 2 ** length;
        const isNegative = type.kind === 's' && length > 0 && field >= 2 ** (length - 1);
        return isNegative ? field - 2 ** length : field | 0;
      };
    case 'bfi':
      return (a, b, c, d) => {
        const length = Math.min(d & 255, 32);
        const ones = length === 32 ? -1 : 2 ** length - 1;
        const mask = (c & 255) > 31 ? 0 : ones << (c & 255);
        return (b & ~mask) | ((a << (c & 255)) & mask);
      };
    case 'lop3':
      return (a, b, c, table) =>
        [0, 1, 2, 3, 4, 5, 6, 7].reduce((bits, row) => {
          if (((table >> row) & 1) === 0) return bits;
          const [x, y, z] = [row & 4 ? a : ~a, row & 2 ? b : ~b, row & 1 ? c : ~c];
          return bits | (x & y & z);
        }, 0);
    case 'prmt':
      return (a, b, selector) => permuted(a, b, selector);
    case 'popc':
      return a => (a >>> 0).toString(2).replaceAll('0', '').length;
    case 'clz':
      return a => Math.clz32(a);
    default:
      return undefined;
  }
}

/**
 * Evaluates PRMT, which selects four of eight bytes. The top bit of a selector replicates the sign
 * of the byte.
 */
function permuted(a: number, b: number, selector: number): number {
  const byteAt = (place: number): number => {
    const select = (selector >>> (4 * place)) & 15;
    const index = select & 7;
    const byte = ((index < 4 ? a : b) >>> (8 * (index & 3))) & 255;
    return (select & 8) === 0 ? byte : byte > 127 ? 255 : 0;
  };
  return byteAt(0) | (byteAt(1) << 8) | (byteAt(2) << 16) | (byteAt(3) << 24);
}
