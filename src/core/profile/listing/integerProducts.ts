/**
 * Classifies integer FMAs (IMAD), which address computations use too: all of them if the kernel
 * multiplies integers, otherwise the IMADs of two loaded values. Packed FMAs (dp4a) occur only in
 * GEMMs.
 */
import type { Instruction, Listing } from './instruction';

const IMAD = /^(mad\.(lo|wide)\.[su](16|32|64)|IMAD(\.WIDE)?(\.U32)?)$/;

const LOAD = /^(shared|global)-load$/;

/** Conversions, moves and byte extractions, which preserve a loaded value. */
const VALUE_PRESERVING =
  /^(cvt|mov|bfe|shr|shl|and|prmt|selp|I2I|I2IP|MOV|SHF|LOP3|PRMT|SEL|SGXT)\b/;

/** Classifies all integer FMAs of the listing as GEMM work, including those of addresses. */
export const withIntegerProducts = (listing: Listing): Listing =>
  counting(listing, ({ opcode }) => /^(mad\.lo\.[su]32|IMAD)$/.test(opcode));

/**
 * Classifies only those whose two factors are loaded from memory: addresses are computed from sizes
 * and indices.
 */
export function withLoadedProducts(listing: Listing): Listing {
  const loaded = loadedRegisters(listing.instructions);
  return counting(listing, ({ opcode, operands = '' }) => {
    const [, left, right] = operands.split(',').map(registerOf);
    return IMAD.test(opcode) && isIn(loaded, left) && isIn(loaded, right);
  });
}

const counting = (listing: Listing, isProduct: (one: Instruction) => boolean): Listing => ({
  ...listing,
  instructions: listing.instructions.map(one => (isProduct(one) ? { ...one, kind: 'fma' } : one)),
});

const isIn = (registers: ReadonlySet<string>, name: string | undefined): boolean =>
  name !== undefined && registers.has(name);

/**
 * Finds registers with loaded values, or bytes of them, as a fixed point: loops carry values
 * backward.
 */
function loadedRegisters(instructions: readonly Instruction[]): ReadonlySet<string> {
  const loaded = new Set(
    instructions.flatMap(({ kind, operands = '', widthBytes }) =>
      LOAD.test(kind) ? destinations(operands, widthBytes) : [],
    ),
  );
  const keeping = instructions.flatMap(({ opcode, operands = '' }) => {
    const [to, ...from] = VALUE_PRESERVING.test(opcode) ? operands.split(',').map(registerOf) : [];
    return to === undefined ? [] : [{ to, from }];
  });
  for (let known = -1; known !== loaded.size;) {
    known = loaded.size;
    for (const { to, from } of keeping) if (from.some(name => isIn(loaded, name))) loaded.add(to);
  }
  return loaded;
}

/** Parses `{%r1, %r2}` in PTX; in SASS, loads of 8 or 16 bytes write consecutive registers. */
function destinations(operands: string, widthBytes = 4): readonly string[] {
  const [list] = /^\{[^}]*\}|^[^,]*/.exec(operands) ?? [''];
  const named = list.match(/%?\w+/g) ?? [];
  const [, first] = /^R(\d+)$/.exec(named[0] ?? '') ?? [];
  if (first === undefined) return named;
  return Array.from({ length: Math.max(1, widthBytes / 4) }, (_, i) => `R${Number(first) + i}`);
}

/** Drops signs, SASS suffixes and braces. */
const registerOf = (operand: string): string | undefined => /%\w+|\bR\d+/.exec(operand)?.[0];
