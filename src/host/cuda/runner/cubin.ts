/**
 * Reads kernel names from a cubin. A cubin is a 64-bit little-endian ELF file with one section
 * `.text.NAME` per kernel.
 */

const MAGIC = '\x7fELF';
const HEADER_BYTES = 64;
const PREFIX = '.text.';
/** Maximum number of sections; a larger number indicates a damaged file. */
const MAX_SECTIONS = 100_000;

/** Returns the kernel names, or an empty list if the file is not a cubin. */
export function cubinSymbols(bytes: Buffer): readonly string[] {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, 4) !== MAGIC) return [];
  const tableAt = numberAt(bytes, 0x28);
  const [size, count, namesIndex] = [0x3a, 0x3c, 0x3e].map(at => bytes.readUInt16LE(at));
  if (size === undefined || count === undefined || namesIndex === undefined) return [];
  const fits = tableAt + size * count <= bytes.length && count <= MAX_SECTIONS;
  if (size < HEADER_BYTES || !fits || namesIndex >= count) return [];
  const namesAt = numberAt(bytes, tableAt + size * namesIndex + 0x18);
  const found = new Set<string>();
  for (let section = 0; section < count; section++) {
    const name = textAt(bytes, namesAt + bytes.readUInt32LE(tableAt + size * section));
    if (name.startsWith(PREFIX)) found.add(name.slice(PREFIX.length));
  }
  return [...found];
}

const numberAt = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at));

function textAt(bytes: Buffer, at: number): string {
  if (at >= bytes.length) return '';
  const end = bytes.indexOf(0, at);
  return end < 0 ? '' : bytes.toString('utf8', at, end);
}
