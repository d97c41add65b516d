/**
 * Classifies integer FMAs (IMAD), which address computations also use. In an integer GEMM, every
 * 32-bit IMAD counts as GEMM work. Otherwise, only IMADs of two loaded values count. Packed FMAs
 * (dp4a) always count.
 */
import type { Instruction, Listing } from './instruction';

const IMAD = /^(mad\.(lo|wide)\.[su](16|32|64)|IMAD(\.WIDE)?(\.U32)?)$/;

const LOAD = /^(shared|global)-load$/;

/** Opcodes that copy or convert a loaded value, or extract its bytes. */
const VALUE_PRESERVING =
  /^(cvt|mov|bfe|shr|shl|and|prmt|selp|I2I|I2IP|MOV|SHF|LOP3|PRMT|SEL|SGXT)\b/;

export const withIntegerProducts = (listing: Listing): Listing =>
  counting(listing, ({ opcode }) => /^(mad\.lo\.[su]32|IMAD)$/.test(opcode));

/**
 * Classifies an integer FMA as GEMM work if both factors are loaded from memory. Address
 * computations multiply sizes and indices instead.
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
 * Finds the registers that hold loaded values or their bytes. Iterates to a fixed point because
 * loops carry values backward.
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

/**
 * Returns the destination registers of a load. PTX lists them as `{%r1, %r2}`; SASS loads of 8 or
 * 16 bytes write consecutive registers.
 */
function destinations(operands: string, widthBytes = 4): readonly string[] {
  const [list] = /^\{[^}]*\}|^[^,]*/.exec(operands) ?? [''];
  const named = list.match(/%?\w+/g) ?? [];
  const [, first] = /^R(\d+)$/.exec(named[0] ?? '') ?? [];
  if (first === undefined) return named;
  return Array.from({ length: Math.max(1, widthBytes / 4) }, (_, i) => `R${Number(first) + i}`);
}

/** Returns the first register name in an operand; undefined if there is none. */
const registerOf = (operand: string): string | undefined => /%\w+|\bR\d+/.exec(operand)?.[0];
