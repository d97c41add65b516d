/** Refuses messages that are too long, so that a client cannot exhaust the memory. */
import { Transform, type TransformCallback } from 'node:stream';

/** Maximum number of bytes of one message. */
export const MAX_MESSAGE_BYTES = 8_000_000;

const NEWLINE = 0x0a;
/** Number of bytes at both ends of a refused message in which its id is searched. */
const END_BYTES = 200;
const ID = /"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")\s*[,}]/;

export interface Refused {
  /** Id of the refused request; undefined if it was not found. */
  readonly id: number | string | undefined;
}

/**
 * Returns a stream that passes lines of at most `mostBytes` bytes on, and drops longer lines. It
 * keeps at most `mostBytes` bytes of an unfinished line.
 */
export function limitedLines(
  onRefused: (refused: Refused) => void,
  mostBytes = MAX_MESSAGE_BYTES,
): Transform {
  let parts: Buffer[] = [];
  let bytes = 0;
  /** Ends of the message that is being dropped. */
  let dropped: { readonly start: string; end: Buffer } | undefined;

  const add = (part: Buffer): void => {
    if (dropped !== undefined) {
      dropped.end = Buffer.concat([dropped.end, part.subarray(-END_BYTES)]).subarray(-END_BYTES);
      return;
    }
    parts.push(part);
    bytes += part.length;
    if (bytes <= mostBytes) return;
    const whole = Buffer.concat(parts);
    dropped = {
      start: whole.toString('utf8', 0, END_BYTES),
      end: whole.subarray(-END_BYTES),
    };
    parts = [];
    bytes = 0;
  };

  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      let rest = chunk;
      for (let at = rest.indexOf(NEWLINE); at >= 0; at = rest.indexOf(NEWLINE)) {
        add(rest.subarray(0, at));
        if (dropped === undefined) this.push(Buffer.concat([...parts, Buffer.from('\n')]));
        else onRefused({ id: idIn(dropped.end.toString('utf8')) ?? idIn(dropped.start) });
        parts = [];
        bytes = 0;
        dropped = undefined;
        rest = rest.subarray(at + 1);
      }
      if (rest.length > 0) add(rest);
      done();
    },
  });
}

function idIn(text: string): number | string | undefined {
  const found = ID.exec(text)?.[1];
  return found === undefined ? undefined : (JSON.parse(found) as number | string);
}
