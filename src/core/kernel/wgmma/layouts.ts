/**
 * Shared-memory layout of a tile, as TMA writes it and as wgmma reads it through its descriptor,
 * and the accumulator fragment of a thread. Source: PTX ISA, "Shared Memory Matrix Layout", "Matrix
 * descriptor".
 */
import type { TileLoads } from './model';

export interface WrittenElement {
  /** Row of A or column of B in the tile. */
  readonly side: number;
  readonly depth: number;
  readonly place: number;
}

export interface Places {
  /** Whether K is the contiguous dimension. */
  readonly deep: boolean;
  /** Elements written by the boxes of all blocks that share the tile. */
  readonly written: readonly WrittenElement[];
  /**
   * Element offsets from which wgmma reads: element (side, depth) has index side * depths + depth.
   */
  readonly read: readonly number[];
}

export interface TileExtent {
  readonly side: number;
  readonly depth: number;
  readonly bytes: number;
}

/**
 * Applies the XOR swizzle. At 128 bytes, bits 7 to 9 of the address are XORed into bits 4 to 6. At
 * 64 bytes, bits 7 and 8 are XORed into bits 4 and 5; at 32 bytes, bit 7 into bit 4.
 */
export function swizzled(byte: number, swizzleBytes: number): number {
  const chunks = swizzleBytes / CHUNK_BYTES;
  return byte ^ (((byte >> 7) & (chunks - 1)) << 4);
}
export const CHUNK_BYTES = 16;
/** Number of rows after which the swizzle pattern repeats. */
export const PATTERN_ROWS = 8;

export const placesOf = (loads: TileLoads, extent: TileExtent): Places => ({
  deep: loads.major === 'k',
  written: writtenBy(loads, extent),
  read: readBy(loads, extent),
});

function writtenBy(loads: TileLoads, { depth, bytes }: TileExtent): readonly WrittenElement[] {
  const { box, share, panels, swizzleBytes, major } = loads;
  const [inner, outer] = box;
  const written: WrittenElement[] = [];
  // A panel contains all of its rows, regardless of which block of the cluster loads them.
  const panelBytes = depth * inner * bytes;
  for (let part = 0; part < share; part++) {
    for (let panel = 0; panel < panels; panel++) {
      for (let row = 0; row < outer; row++) {
        for (let element = 0; element < inner; element++) {
          const line = part * outer + row;
          const [side, at] = major === 'k' ? [line, element] : [panel * inner + element, line];
          const first = major === 'k' ? 0 : panel * panelBytes;
          const byte = first + (line * inner + element) * bytes;
          written.push({ side, depth: at, place: swizzled(byte, swizzleBytes) / bytes });
        }
      }
    }
  }
  return written;
}

function readBy(loads: TileLoads, { side: sides, depth: depths, bytes }: TileExtent): number[] {
  const { swizzleBytes, major, box } = loads;
  const read: number[] = [];
  for (let side = 0; side < sides; side++) {
    for (let depth = 0; depth < depths; depth++) {
      // Rows within a swizzle pattern are contiguous; patterns and panels have separate strides.
      const [line, element, panel] =
        major === 'k' ? [side, depth, 0] : [depth, side % box[0], Math.floor(side / box[0])];
      const pattern = Math.floor(line / PATTERN_ROWS) * PATTERN_ROWS * swizzleBytes;
      const byte =
        panel * depths * swizzleBytes +
        pattern +
        (line % PATTERN_ROWS) * swizzleBytes +
        element * bytes;
      read.push(swizzled(byte, swizzleBytes) / bytes);
    }
  }
  return read;
}

/**
 * Returns the row and column of a thread's accumulator register (PTX ISA, "Register Fragments for
 * wgmma.mma_async").
 */
export const accumulatorPlace = (
  thread: number,
  register: number,
): { readonly row: number; readonly column: number } => ({
  row: 16 * Math.floor(thread / 32) + Math.floor((thread % 32) / 4) + 8 * ((register >> 1) & 1),
  column: 8 * (register >> 2) + 2 * (thread % 4) + (register & 1),
});
