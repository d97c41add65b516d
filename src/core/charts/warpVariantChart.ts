/**
 * Small picture of a warp over A, B and C, arranged as in a matrix product, with the sectors of its
 * requests. It compares mappings of threads to elements of C.
 */
import { t } from '@vscode/l10n';
import type { PlacedRequest } from '../memory/placedRequest';
import { SECTOR_BYTES } from '../memory/requestCost';
import type { Chart, Mark, Role } from './chart';
import { moved } from './chartCaption';
import { textWidth } from './textBox';
import { matrixName } from './warpChart';
import { sectorPicture } from './sectorPicture';
import { warpGeometry } from './warpGeometry';
import type { ThreadMapping, WarpVariant } from './warpVariants';

const CELL = { width: 4, height: 4, gap: 6 };
/** Side of C, and depth of A and B, in pixels: 32 elements, and 8 elements. */
const SIDE = 32 * CELL.width;
const DEPTH = 8 * CELL.width;
const GAP = 10;
const MARGIN = 14;
const SECTOR = 4;
const STRIP_ROW = 30;
/** Sectors in one row of the strip. */
const PER_ROW = 34;

const text = (x: number, y: number, content: string, role: Role = 'tick'): Mark => ({
  kind: 'text',
  x,
  y,
  text: content,
  anchor: 'start',
  role,
});

export const mappingName = (mapping: ThreadMapping): string =>
  ({
    naive: t('naive'),
    swap: t('coalesced, x and y swapped'),
    remap: t('coalesced, remapped'),
  })[mapping];

export function warpVariantChart({ mapping, requests }: WarpVariant): Chart {
  const of = (operand: 'a' | 'b' | 'c'): PlacedRequest | undefined =>
    requests.find(({ request }) => request.operand === operand);
  const [a, b, c] = [fragment(of('a')), fragment(of('b')), fragment(of('c'))];
  const width = { a: Math.max(DEPTH, a.width), c: Math.max(SIDE, b.width, c.width) };
  const height = { b: Math.max(DEPTH, b.height), c: Math.max(SIDE, a.height, c.height) };
  const origin = { x: MARGIN + width.a + GAP, y: MARGIN + height.b + GAP };
  const place = (
    part: Fragment,
    x: number,
    y: number,
    extent: readonly [number, number],
  ): readonly Mark[] => [outline(x, y, ...extent), ...part.marks.map(mark => moved(mark, x, y))];
  const strips = requests.map((request, index) =>
    sectorStrip(request).map(mark =>
      moved(mark, MARGIN, origin.y + height.c + 8 + index * STRIP_ROW),
    ),
  );
  return {
    width: Math.max(
      origin.x + width.c + MARGIN,
      MARGIN + PER_ROW * (SECTOR + 1),
      // A saved picture has the title above the picture.
      MARGIN + textWidth(mappingName(mapping)),
    ),
    height: origin.y + height.c + 8 + requests.length * STRIP_ROW + 4,
    title: mappingName(mapping),
    marks: [
      ...place(a, MARGIN, origin.y, [width.a, height.c]),
      ...place(b, origin.x, MARGIN, [width.c, height.b]),
      ...place(c, origin.x, origin.y, [width.c, height.c]),
      text(MARGIN, origin.y - 4, 'A', 'label'),
      text(origin.x - 9, MARGIN + 10, 'B', 'label'),
      text(origin.x + width.c + 3, origin.y + 10, 'C', 'label'),
      ...strips.flat(),
    ],
  };
}

interface Fragment {
  readonly width: number;
  readonly height: number;
  readonly marks: readonly Mark[];
}

/** Returns the elements of a request, from the first used row and column. */
function fragment(placed: PlacedRequest | undefined): Fragment {
  if (placed === undefined) return { width: 0, height: 0, marks: [] };
  const { rows, columns, cells } = warpGeometry(placed, CELL);
  return {
    width: columns.length,
    height: rows.length,
    marks: cells.map(({ x, y, width, height }): Mark => ({
      kind: 'rect',
      x,
      y,
      width,
      height,
      role: 'bar',
    })),
  };
}

const outline = (x: number, y: number, width: number, height: number): Mark => ({
  kind: 'path',
  role: 'leader',
  at: [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
    [x, y],
  ],
});

/** Returns the sectors of a request, filled to the used part of their bytes. */
function sectorStrip(placed: PlacedRequest): readonly Mark[] {
  const { lines, sectors } = sectorPicture(placed.request);
  const used = lines.flatMap(line => line.sectors).filter(cell => cell !== null);
  const name = matrixName(placed);
  return [
    text(
      0,
      10,
      placed.request.op === 'load'
        ? t('{0} load: sectors {1}, lines {2}', name, sectors, lines.length)
        : t('{0} store: sectors {1}, lines {2}', name, sectors, lines.length),
    ),
    ...used.flatMap(({ usedBytes }, index): readonly Mark[] => {
      const x = (index % PER_ROW) * (SECTOR + 1);
      const y = 14 + Math.floor(index / PER_ROW) * (2 * SECTOR + 1);
      const height = (2 * SECTOR * usedBytes) / SECTOR_BYTES;
      return [
        { kind: 'rect', x, y, width: SECTOR, height: 2 * SECTOR, role: 'cell' },
        { kind: 'rect', x, y: y + 2 * SECTOR - height, width: SECTOR, height, role: 'bar' },
      ];
    }),
  ];
}
