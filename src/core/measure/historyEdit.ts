/** Changes to a file of the run history, byte by byte: what is not meant stays exactly as it is. */
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** The file without these lines and their line ends. Lines that are no UTF-8 equal none. */
export function removeLines(bytes: Uint8Array, lines: readonly string[]): Uint8Array {
  const unwanted = new Set(lines.map(line => bytesToHex(utf8ToBytes(line))));
  const lengths = new Set(lines.map(line => utf8ToBytes(line).length));
  return joined(
    segments(bytes).filter(segment => {
      const line = withoutEnd(segment);
      return !(lengths.has(line.length) && unwanted.has(bytesToHex(line)));
    }),
  );
}

/** The file with these lines at its end, each a line of its own. */
export function addLines(bytes: Uint8Array, lines: readonly string[]): Uint8Array {
  const separator = bytes.length === 0 || bytes.at(-1) === NEWLINE ? '' : '\n';
  const added = lines.map(line => `${line}\n`).join('');
  return joined([bytes, utf8ToBytes(lines.length === 0 ? '' : separator + added)]);
}

/** What takes removed lines back: the file as it was, where nobody has changed it since. */
export const restoreLines =
  (before: Uint8Array, after: Uint8Array, lines: readonly string[]) =>
  (now: Uint8Array): Uint8Array =>
    sameBytes(now, after) ? before : addLines(now, lines);

export const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index]);

/** Lines with their line ends; together they are the file. */
function segments(bytes: Uint8Array): readonly Uint8Array[] {
  const found: Uint8Array[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, start);
    const next = end < 0 ? bytes.length : end + 1;
    found.push(bytes.subarray(start, next));
    start = next;
  }
  return found;
}

function withoutEnd(segment: Uint8Array): Uint8Array {
  let end = segment.length;
  if (segment[end - 1] === NEWLINE) end--;
  if (segment[end - 1] === RETURN) end--;
  return segment.subarray(0, end);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
