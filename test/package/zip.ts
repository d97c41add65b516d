/** The names in a ZIP file, from its central directory (APPNOTE.TXT, 4.3.12). */
import assert from 'node:assert/strict';

const HEADER_BYTES = 46;

export function zipNames(zip: Buffer): readonly string[] {
  const end = zip.lastIndexOf('PK\x05\x06');
  assert.ok(end >= 0, 'no end of central directory');
  const count = zip.readUInt16LE(end + 10);
  const names: string[] = [];
  let at = zip.readUInt32LE(end + 16);
  while (names.length < count) {
    assert.equal(zip.toString('latin1', at, at + 4), 'PK\x01\x02');
    const nameBytes = zip.readUInt16LE(at + 28);
    names.push(zip.toString('utf8', at + HEADER_BYTES, at + HEADER_BYTES + nameBytes));
    at += HEADER_BYTES + nameBytes + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return names;
}
