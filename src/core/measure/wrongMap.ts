/**
 * Schema of the map of a wrong result: affected tiles of C, positions within a tile, kinds of
 * errors, and example elements. Bits are stored as base64-encoded bytes, lowest bit first.
 */
import * as v from 'valibot';

/**
 * Maximum number of cells per side of the tile map. In larger results, a cell covers several
 * neighboring tiles.
 */
export const MAX_CELLS = 256;
/** Maximum tile side in elements. */
const MAX_TILE_SIDE = 1024;
export const MAX_EXAMPLES = 32;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const side = (most: number) => v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(most));
const finite = v.pipe(v.number(), v.finite());

export const bytesFor = (bits: number): number => Math.ceil(bits / 8);
const base64Length = (bytes: number): number => 4 * Math.ceil(bytes / 3);

const bitMap = (most: number) =>
  v.pipe(
    v.object({
      rows: side(most),
      columns: side(most),
      bits: v.pipe(v.string(), v.regex(/^[A-Za-z0-9+/]*={0,2}$/)),
    }),
    v.check(
      ({ rows, columns, bits }) => bits.length === base64Length(bytesFor(rows * columns)),
      'Expected rows x columns bits.',
    ),
  );

export const wrongMapSchema = v.object({
  /** Block tile of C; an arbitrary tile if the kernel's tile is unknown. */
  tile: v.object({ m: side(MAX_TILE_SIDE), n: side(MAX_TILE_SIDE) }),
  /**
   * Bit row * columns + column is set if an element in that cell of C is wrong in some matrix of
   * the batch.
   */
  tiles: bitMap(MAX_CELLS),
  /** Number of tiles per cell along each side. */
  fold: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  /**
   * Bit (row mod tile.m) * tile.n + column mod tile.n is set if an element at that position is
   * wrong in some tile.
   */
  within: bitMap(MAX_TILE_SIDE),
  /**
   * Number of elements of C that are unwritten, not finite, or otherwise wrong (`wrong`), and of
   * writes outside C (`outside`). `inputs`: number of overwritten elements of A and B, if checked.
   */
  kinds: v.object({
    unwritten: count,
    notFinite: count,
    outside: count,
    wrong: count,
    inputs: v.exactOptional(count),
  }),
  /** Sample of wrong elements, spread over the result; `actual` is null if not finite. */
  examples: v.pipe(
    v.array(
      v.object({
        product: count,
        row: count,
        column: count,
        actual: v.nullable(finite),
        expected: finite,
      }),
    ),
    v.maxLength(MAX_EXAMPLES),
  ),
});
export type WrongMap = v.InferOutput<typeof wrongMapSchema>;
export type BitMap = WrongMap['tiles'];
export type WrongExample = WrongMap['examples'][number];

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Encodes bytes as base64 without Node or the DOM. */
export function encodeBits(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const [one = 0, two = 0, three = 0] = bytes.subarray(i, i + 3);
    const word = (one << 16) | (two << 8) | three;
    const digits = [18, 12, 6, 0].map(shift => DIGITS[(word >> shift) & 63] ?? '');
    text += digits
      .slice(0, Math.min(3, bytes.length - i) + 1)
      .join('')
      .padEnd(4, '=');
  }
  return text;
}

export function decodeBits(text: string): Uint8Array {
  const digits = text.replace(/=+$/, '');
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let [word, held, at] = [0, 0, 0];
  for (const digit of digits) {
    word = ((word << 6) | DIGITS.indexOf(digit)) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes[at++] = (word >> held) & 255;
  }
  return bytes;
}

/** Returns a function that reports whether the bit of (row, column) is set. */
export function bitsOf({ columns, bits }: BitMap): (row: number, column: number) => boolean {
  const bytes = decodeBits(bits);
  return (row, column) => {
    const bit = row * columns + column;
    return (((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
  };
}
