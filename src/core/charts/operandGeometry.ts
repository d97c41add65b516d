/**
 * Geometry of the picture of A, B and C to scale, arranged as in a matrix product: B above C, A to
 * the left of C. All lengths are in pixels.
 */
import type { Kernel } from '../kernel/kernel';
import type { GemmPoint } from '../trace/elementFacts';
import { tileExtent, type TileOfC } from '../trace/tileOfC';
import type { Sides } from '../plan/tileCount';

const GAP_PX = 8;
/** Width of the letters at the right of B and C. */
const LETTER_PX = 16;
/** Minimum side length of a drawn matrix, so that a vector remains visible. */
const MIN_SIDE_PX = 12;
/** Maximum number of tiles along M or N for which tile boundaries are drawn. */
const MAX_TILE_LINES = 64;

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Letter {
  readonly name: 'A' | 'B' | 'C';
  readonly x: number;
  /** Base line of the text. */
  readonly y: number;
}

export interface OperandGeometry {
  readonly width: number;
  readonly height: number;
  readonly a: Box;
  readonly b: Box;
  readonly c: Box;
  /** Names of the matrices, outside of them: above A, and at the right of B and C. */
  readonly letters: readonly Letter[];
  /**
   * Pixels per row and column of C and per k. A dimension that is enlarged to the minimum side has
   * a separate scale.
   */
  readonly per: { readonly row: number; readonly column: number; readonly k: number };
  /** Rows and columns of the block tile. */
  readonly rows: Pick<Box, 'y' | 'height'>;
  readonly columns: Pick<Box, 'x' | 'width'>;
  /** Range of k whose tiles of A and B are staged together. */
  readonly staged: { readonly from: number; readonly extent: number };
  /** Centers of the selected element of C and of its factors. */
  readonly at: { readonly row: number; readonly column: number; readonly k: number };
  /** Extent of a tile in elements. */
  readonly tile: { readonly rows: number; readonly columns: number };
  /** Number of tiles; null if there are too many boundaries to draw. */
  readonly tiles: Sides | null;
}

/** @param side side of the square that contains the matrices */
export function operandGeometry(
  { plan, problem: { m, n, k } }: Kernel,
  tile: TileOfC,
  point: GemmPoint,
  side: number,
): OperandGeometry {
  const scale = (side - GAP_PX) / Math.max(k + n, k + m);
  const px = (extent: number): number => Math.max(MIN_SIDE_PX, extent * scale);
  const [height, width, depth] = [px(m), px(n), px(k)];
  const origin = 1 + depth + GAP_PX;
  const per = { row: height / m, column: width / n, k: depth / k };
  const tileK = plan.tile.k === 0 ? 1 : plan.tile.k;
  const stagedFrom = Math.floor(point.k / tileK) * tileK;
  const extent = tileExtent(plan);
  const tiles = { m: Math.ceil(m / extent.rows), n: Math.ceil(n / extent.columns) };
  return {
    width: origin + width + 1 + LETTER_PX,
    height: origin + height + 1,
    a: { x: 1, y: origin, width: depth, height },
    b: { x: origin, y: 1, width, height: depth },
    c: { x: origin, y: origin, width, height },
    letters: [
      { name: 'A', x: 1, y: origin - 5 },
      { name: 'B', x: origin + width + 6, y: 11 },
      { name: 'C', x: origin + width + 6, y: origin + 10 },
    ],
    per,
    rows: { y: origin + tile.row * per.row, height: tile.rows * per.row },
    columns: { x: origin + tile.column * per.column, width: tile.columns * per.column },
    staged: {
      from: 1 + stagedFrom * per.k,
      extent: Math.min(k - stagedFrom, tileK) * per.k,
    },
    at: {
      row: origin + (point.row + 0.5) * per.row,
      column: origin + (point.column + 0.5) * per.column,
      k: 1 + (point.k + 0.5) * per.k,
    },
    tile: extent,
    tiles: Math.max(tiles.m, tiles.n) > MAX_TILE_LINES ? null : tiles,
  };
}

/** Returns the inner boundaries of the tiles as an SVG path in units of tiles. */
export function tileGridPath({ m, n }: Sides): string {
  const across = Array.from({ length: m - 1 }, (_, i) => `M0 ${i + 1}h${n}`);
  const down = Array.from({ length: n - 1 }, (_, i) => `M${i + 1} 0v${m}`);
  return [...across, ...down].join('');
}
