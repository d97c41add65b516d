/**
 * Maps the lanes of a global-memory request to 32-byte sectors, by cache line, for the sector
 * diagram.
 */
import type { DrawnRequest } from '../memory/drawnRequest';
import { LINE_BYTES, SECTOR_BYTES } from '../memory/requestCost';

export interface SectorCell {
  readonly lanes: readonly number[];
  /** Number of bytes of the 32-byte sector that the lanes use. */
  readonly usedBytes: number;
}

/** A 128-byte cache line and its four sectors; null for sectors that no lane accesses. */
export interface SectorLine {
  /** Byte address of the line, with the origin of the request's addresses. */
  readonly offset: number;
  readonly sectors: readonly (SectorCell | null)[];
}

export interface SectorPicture {
  readonly lines: readonly SectorLine[];
  readonly sectors: number;
  readonly usedBytes: number;
  readonly movedBytes: number;
}

const SECTORS_PER_LINE = LINE_BYTES / SECTOR_BYTES;

export function sectorPicture({ addresses, widthBytes }: DrawnRequest): SectorPicture {
  const requested = new Map<number, { readonly lanes: Set<number>; readonly bytes: Set<number> }>();
  for (const [lane, address] of addresses.entries()) {
    if (address === null) continue;
    for (let byte = address; byte < address + widthBytes; byte++) {
      const sector = Math.floor(byte / SECTOR_BYTES);
      const cell = requested.get(sector) ?? { lanes: new Set(), bytes: new Set() };
      requested.set(sector, cell);
      cell.lanes.add(lane);
      cell.bytes.add(byte);
    }
  }
  const cellOf = (sector: number): SectorCell | null => {
    const cell = requested.get(sector);
    return cell === undefined ? null : { lanes: [...cell.lanes], usedBytes: cell.bytes.size };
  };
  const lines = [...new Set([...requested.keys()].map(s => Math.floor(s / SECTORS_PER_LINE)))];
  const usedBytes = [...requested.values()].reduce((sum, { bytes }) => sum + bytes.size, 0);
  return {
    lines: lines
      .sort((one, other) => one - other)
      .map(line => ({
        offset: line * LINE_BYTES,
        sectors: Array.from({ length: SECTORS_PER_LINE }, (_, i) =>
          cellOf(line * SECTORS_PER_LINE + i),
        ),
      })),
    sectors: requested.size,
    usedBytes,
    movedBytes: requested.size * SECTOR_BYTES,
  };
}
