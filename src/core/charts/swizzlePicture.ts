/**
 * Maps the 16-byte chunks of a `wgmma` tile to shared memory, with and without the TMA swizzle.
 * Covers one period of the pattern, eight lines; kernel/wgmma/layouts.ts computes whole tiles.
 */
import { isTransposedBox } from '../plan/wgmma/wgmmaOutput';
import type { WgmmaPlan } from '../plan/wgmma/wgmmaPlan';
import { CHUNK_BYTES, PATTERN_ROWS, swizzled } from '../kernel/wgmma/layouts';
import { BANK_ROW_BYTES } from '../memory/requestCost';

/**
 * A 16-byte chunk: its line along the contiguous dimension of the tile, and its index in that line.
 */
export interface Chunk {
  readonly line: number;
  readonly chunk: number;
}

export interface SwizzledLines {
  /** Chunks by position, in rows of 128 bytes (one word per bank). */
  readonly rows: readonly (readonly Chunk[])[];
  /** Wavefronts required to read the same chunk of all eight lines, an 8 x 16 B matrix. */
  readonly passes: number;
}

export interface SwizzlePicture {
  readonly matrix: 'A' | 'B' | 'C';
  /**
   * Elements of a line: a row of A or C, a column of B or C, or all elements of A or B with one k
   * index (`depth`).
   */
  readonly line: 'row' | 'column' | 'depth';
  readonly lineBytes: 64 | 128;
  readonly swizzled: SwizzledLines;
  readonly plain: SwizzledLines;
}

export function swizzlePictures({
  operandOrder,
  a,
  b,
  output,
}: WgmmaPlan): readonly SwizzlePicture[] {
  const lineOf = (major: 'k' | 'mn', side: 'row' | 'column') => (major === 'k' ? side : 'depth');
  return [
    pictureOf('A', lineOf(a.major, 'row'), a.swizzleBytes),
    pictureOf('B', lineOf(b.major, 'column'), b.swizzleBytes),
    ...(output.by !== 'registers'
      ? [pictureOf('C', lineOfC(operandOrder, output), output.swizzleBytes)]
      : []),
  ];
}

/** Returns the dimension of C whose lines a box holds: its contiguous dimension. */
const lineOfC = (
  operandOrder: WgmmaPlan['operandOrder'],
  output: Parameters<typeof isTransposedBox>[0],
): 'row' | 'column' => ((operandOrder === 'ab') === isTransposedBox(output) ? 'column' : 'row');

const pictureOf = (
  matrix: SwizzlePicture['matrix'],
  line: SwizzlePicture['line'],
  lineBytes: 64 | 128,
): SwizzlePicture => ({
  matrix,
  line,
  lineBytes,
  swizzled: linesAt(lineBytes, byte => swizzled(byte, lineBytes)),
  plain: linesAt(lineBytes, byte => byte),
});

function linesAt(lineBytes: number, placeOf: (byte: number) => number): SwizzledLines {
  const perLine = lineBytes / CHUNK_BYTES;
  const perRow = BANK_ROW_BYTES / CHUNK_BYTES;
  const rows = Array.from({ length: (PATTERN_ROWS * lineBytes) / BANK_ROW_BYTES }, () =>
    new Array<Chunk>(perRow).fill({ line: 0, chunk: 0 }),
  );
  /** Number of lines whose chunk starts at the same bank, by chunk and bank. */
  const linesPerBank = new Map<string, number>();
  for (let line = 0; line < PATTERN_ROWS; line++) {
    for (let chunk = 0; chunk < perLine; chunk++) {
      const place = placeOf(line * lineBytes + chunk * CHUNK_BYTES);
      const inRow = (place % BANK_ROW_BYTES) / CHUNK_BYTES;
      rows[Math.floor(place / BANK_ROW_BYTES)]?.splice(inRow, 1, { line, chunk });
      const key = `${chunk} ${inRow}`;
      linesPerBank.set(key, (linesPerBank.get(key) ?? 0) + 1);
    }
  }
  return { rows, passes: Math.max(...linesPerBank.values()) };
}
