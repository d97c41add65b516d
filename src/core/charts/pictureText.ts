/**
 * Renders memory requests as fixed-width text: a table of banks by wavefront, or of sectors by
 * cache line.
 */
import { bankPicture, type BankCell, type BankPhase } from './bankDiagram';
import type { DrawnRequest } from '../memory/drawnRequest';
import type { PlacedRequest } from '../memory/placedRequest';
import { BANKS } from '../memory/requestCost';
import { sectorPicture, type SectorCell, type SectorLine } from './sectorPicture';

/** Formats ascending lane indices as ranges, for example `0-3, 7`. */
export function lanesText(lanes: readonly number[]): string {
  const runs: { from: number; to: number }[] = [];
  for (const lane of lanes) {
    const last = runs.at(-1);
    if (last?.to === lane - 1) last.to = lane;
    else runs.push({ from: lane, to: lane });
  }
  return runs.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}

export const pictureText = (request: DrawnRequest): readonly string[] =>
  request.space === 'shared' ? banksText(request) : sectorsText(request);

/**
 * Returns the lanes on each row of the matrix; on each column of a column-major matrix. Boundary
 * tiles may have rows and columns outside of the matrix.
 */
export function placesText({ request, lanes, layout, width }: PlacedRequest): readonly string[] {
  const [outer, inner] = layout === 'row' ? ['row', 'column'] : ['column', 'row'];
  const lines = new Map<number, Map<number, number[]>>();
  for (const [lane, place] of lanes.entries()) {
    if (place === null) continue;
    const [line, first] = layout === 'row' ? [place.row, place.column] : [place.column, place.row];
    const starts = lines.get(line) ?? new Map<number, number[]>();
    lines.set(line, starts);
    starts.set(first, [...(starts.get(first) ?? []), lane]);
  }
  const all = [...lines].sort(([one], [other]) => one - other);
  const rest = all.length - MAX_LINES;
  return [
    ...all.slice(0, MAX_LINES).map(([line, starts]) => {
      const accessed = [...starts].sort(([one], [other]) => one - other);
      const indices = accessed.flatMap(([first]) =>
        Array.from({ length: width }, (_, index) => first + index),
      );
      const by = lanesText(accessed.flatMap(([, found]) => found).sort((a, b) => a - b));
      const matrix = request.operand === 'workspace' ? 'workspace' : request.operand.toUpperCase();
      return (
        `${matrix} ${outer} ${line}`.padEnd(LABEL) +
        `${named(inner, lanesText(indices))}: ${named('lane', by)}`
      );
    }),
    ...(rest > 0 ? [`more ${outer}s: ${rest}`] : []),
  ];
}

/** Returns the name in the singular or plural, with one index or ranges of indices. */
const named = (name: string, indices: string): string =>
  `${name}${/^\d+$/.test(indices) ? '' : 's'} ${indices}`;

const LABEL = 14;
const CELL = 4;

function banksText(request: DrawnRequest): readonly string[] {
  const { phases, wavefronts, conflicts, paired } = bankPicture(request);
  const banks = Array.from({ length: BANKS }, (_, bank) => `${bank}`.padStart(CELL - 1) + ' ');
  return [
    `${request.site}: ${request.widthBytes} B per lane, wavefronts: ${wavefronts}, due to conflicts: ${conflicts}${request.throughL1 > 0 ? '; plus one pass through L1' : ''}${paired ? '; lane pairs read the same address' : ''}.`,
    ['bank'.padEnd(LABEL), ...banks].join('').trimEnd(),
    ...phases.flatMap(phase => phaseText(phase, phases.length)),
    'Each cell is the first lane served. +: more lanes access the word; !: a different word of the same bank (conflict).',
  ];
}

function phaseText(phase: BankPhase, phases: number): readonly string[] {
  const { first, last, wavefronts } = phase;
  const served = phases === 1 ? [] : [`lanes ${first} to ${last}`];
  return [
    ...served,
    ...wavefronts.map((cells, pass) =>
      [`wavefront ${pass + 1}`.padEnd(LABEL), ...cells.map(cell => cellText(cell, pass))]
        .join('')
        .trimEnd(),
    ),
  ];
}

function cellText(cell: BankCell | null, pass: number): string {
  if (cell === null) return '.'.padStart(CELL - 1) + ' ';
  const mark = pass > 0 ? '!' : cell.lanes.length > 1 ? '+' : ' ';
  return `${cell.lanes[0] ?? ''}`.padStart(CELL - 1) + mark;
}

/**
 * Maximum number of cache lines shown. A final text line gives the number of omitted cache lines.
 */
const MAX_LINES = 8;
const SECTOR_CELL = 22;

function sectorsText(request: DrawnRequest): readonly string[] {
  const { lines, sectors, usedBytes, movedBytes } = sectorPicture(request);
  const heads = [0, 1, 2, 3].map(i => `sector ${i}`.padEnd(SECTOR_CELL));
  const rest = lines.length - MAX_LINES;
  return [
    `${request.site}: ${request.widthBytes} B per lane, sectors: ${sectors}, lines: ${lines.length}, ${usedBytes} of ${movedBytes} bytes used.`,
    ['line'.padEnd(LABEL), ...heads].join('').trimEnd(),
    ...lines.slice(0, MAX_LINES).map(lineText),
    ...(rest > 0 ? [`more lines: ${rest}`] : []),
  ];
}

const lineText = ({ offset, sectors }: SectorLine): string =>
  [`+${offset} B`.padEnd(LABEL), ...sectors.map(sectorText)].join('').trimEnd();

function sectorText(cell: SectorCell | null): string {
  if (cell === null) return '.'.padEnd(SECTOR_CELL);
  const { lanes, usedBytes } = cell;
  const named = lanes.length === 1 ? 'lane' : 'lanes';
  return `${named} ${lanesText(lanes)}: ${usedBytes} B`.padEnd(SECTOR_CELL);
}
