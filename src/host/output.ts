/** Collects what a child prints: UTF-8 across chunks, line by line, in bounded memory. */
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

export type OutputStream = 'stdout' | 'stderr';

/** Bytes kept of each stream. */
export const OUTPUT_CAP_BYTES = 4 * 2 ** 20;

/** A longer line of a program that is followed is dropped. */
export const LINE_CAP_CHARACTERS = 2 ** 20;
/** Kept of a program that is followed: its last words. */
const LAST_CHARACTERS = 8192;

export interface Output {
  /** The text so far; flushes an unfinished line. */
  readonly end: () => string;
  readonly truncated: () => boolean;
}

type OnLine = (line: string, stream: OutputStream) => void;

/** What passes the cap is read and dropped, so that the child never blocks on a full pipe. */
export function collectOutput(
  stream: Readable | null,
  name: OutputStream,
  onLine?: OnLine,
): Output {
  const kept: string[] = [];
  let bytes = 0;
  let truncated = false;
  const lines = splitLines(name, Infinity, onLine);
  const take = (text: string): void => {
    if (text !== '') kept.push(text);
    lines.take(text);
  };
  const decoder = new StringDecoder('utf8');
  stream?.on('data', (chunk: Buffer) => {
    if (truncated) return;
    const room = OUTPUT_CAP_BYTES - bytes;
    truncated = chunk.length > room;
    bytes += Math.min(chunk.length, room);
    take(decoder.write(truncated ? chunk.subarray(0, room) : chunk));
  });
  // The exit of the child says what happened; a read error adds nothing.
  stream?.on('error', () => undefined);

  return {
    end: () => {
      take(decoder.end());
      lines.end();
      if (truncated) kept.push(`\n[${name} is cut here: more than ${OUTPUT_CAP_BYTES} bytes]\n`);
      return kept.join('');
    },
    truncated: () => truncated,
  };
}

/** Of a program that says ever more: its lines as they come, and at its end the last that it said. */
export function followOutput(stream: Readable | null, name: OutputStream, onLine?: OnLine): Output {
  let last = '';
  let dropped = false;
  const lines = splitLines(name, LINE_CAP_CHARACTERS, onLine);
  const take = (text: string): void => {
    dropped ||= last.length + text.length > LAST_CHARACTERS;
    last = (last + text).slice(-LAST_CHARACTERS);
    lines.take(text);
  };
  const decoder = new StringDecoder('utf8');
  stream?.on('data', (chunk: Buffer) => {
    take(decoder.write(chunk));
  });
  stream?.on('error', () => undefined);
  return {
    end: () => {
      take(decoder.end());
      lines.end();
      return last;
    },
    truncated: () => dropped,
  };
}

/** Whole lines without their ends; of one that is longer than `most` characters nothing. */
function splitLines(name: OutputStream, most: number, onLine: OnLine | undefined) {
  let unfinished = '';
  let tooLong = false;
  const say = (line: string): void => {
    if (!tooLong && line.length <= most) onLine?.(line.replace(/\r$/, ''), name);
    tooLong = false;
  };
  return {
    take: (text: string): void => {
      if (onLine === undefined) return;
      const [first = '', ...rest] = text.split('\n');
      unfinished += first;
      for (const next of rest) {
        say(unfinished);
        unfinished = next;
      }
      if (unfinished.length > most) {
        tooLong = true;
        unfinished = '';
      }
    },
    end: (): void => {
      if (unfinished !== '') say(unfinished);
      unfinished = '';
    },
  };
}
