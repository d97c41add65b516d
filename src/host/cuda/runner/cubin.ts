/**
 * Reads kernel names and resources from a cubin. A cubin is a 64-bit little-endian ELF file with
 * one section `.text.NAME` per kernel. The meaning of the resource sections was derived from the
 * output of ptxas 13.0 for compute capability 7.5 to 12.0.
 */

const MAGIC = '\x7fELF';
const HEADER_BYTES = 64;
const CODE = '.text.';
const SHARED = '.nv.shared.';
/** Exists from compute capability 9.0 on, where the sizes include the reserved shared memory. */
const RESERVED = '.nv.shared.reserved.0';
const RESERVED_BYTES = 1024;
const SYMBOL_BYTES = 24;
/** Attribute of `.nv.info` with a symbol index and a register count. */
const REGISTER_COUNT = 0x2f;
/** Format of attributes whose size follows the attribute, in bytes. */
const SIZED = 4;
/** Maximum number of sections; a larger number indicates a damaged file. */
const MAX_SECTIONS = 100_000;

interface Section {
  readonly name: string;
  readonly at: number;
  readonly bytes: number;
}

/** Returns the kernel names, or an empty list if the file is not a cubin. */
export const cubinSymbols = (bytes: Buffer): readonly string[] => [
  ...new Set(
    sectionsOf(bytes).flatMap(({ name }) =>
      name.startsWith(CODE) ? [name.slice(CODE.length)] : [],
    ),
  ),
];

/**
 * Returns the registers per thread and the static shared memory of a kernel; undefined if the file
 * does not have them.
 */
export function cubinResources(
  bytes: Buffer,
  symbol: string,
): { readonly registers: number; readonly sharedBytes: number } | undefined {
  const sections = sectionsOf(bytes);
  const find = (name: string): Section | undefined => sections.find(each => each.name === name);
  const [info, symbols, names] = [find('.nv.info'), find('.symtab'), find('.strtab')];
  if (info === undefined || symbols === undefined || names === undefined) return undefined;
  const nameOf = (index: number): string => {
    const at = symbols.at + SYMBOL_BYTES * index;
    const inside = index * SYMBOL_BYTES < symbols.bytes && at + 4 <= bytes.length;
    return inside ? textAt(bytes, names.at + bytes.readUInt32LE(at)) : '';
  };
  const registers = registerCounts(bytes, info).find(([index]) => nameOf(index) === symbol)?.[1];
  if (registers === undefined) return undefined;
  const size = find(SHARED + symbol)?.bytes ?? 0;
  const reserved = find(RESERVED) === undefined ? 0 : RESERVED_BYTES;
  return { registers, sharedBytes: Math.max(0, size - reserved) };
}

/** Returns pairs of a symbol index and a register count. */
function registerCounts(bytes: Buffer, info: Section): readonly (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  const end = Math.min(info.at + info.bytes, bytes.length);
  for (let at = info.at; at + 4 <= end;) {
    const size = bytes[at] === SIZED ? bytes.readUInt16LE(at + 2) : 0;
    if (bytes[at + 1] === REGISTER_COUNT && size >= 8 && at + 12 <= end) {
      found.push([bytes.readUInt32LE(at + 4), bytes.readUInt32LE(at + 8)]);
    }
    at += 4 + size;
  }
  return found;
}

function sectionsOf(bytes: Buffer): readonly Section[] {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, 4) !== MAGIC) return [];
  const tableAt = numberAt(bytes, 0x28);
  const [size, count, namesIndex] = [0x3a, 0x3c, 0x3e].map(at => bytes.readUInt16LE(at));
  if (size === undefined || count === undefined || namesIndex === undefined) return [];
  const fits = tableAt + size * count <= bytes.length && count <= MAX_SECTIONS;
  if (size < HEADER_BYTES || !fits || namesIndex >= count) return [];
  const namesAt = numberAt(bytes, tableAt + size * namesIndex + 0x18);
  return Array.from({ length: count }, (_, section): Section => {
    const at = tableAt + size * section;
    return {
      name: textAt(bytes, namesAt + bytes.readUInt32LE(at)),
      at: numberAt(bytes, at + 0x18),
      bytes: numberAt(bytes, at + 0x20),
    };
  });
}

const numberAt = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at));

function textAt(bytes: Buffer, at: number): string {
  if (at >= bytes.length) return '';
  const end = bytes.indexOf(0, at);
  return end < 0 ? '' : bytes.toString('utf8', at, end);
}
