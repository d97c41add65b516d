/** Collects the output of a child process in bounded memory, and splits it into lines. */
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

export type OutputStream = 'stdout' | 'stderr';

export const OUTPUT_CAP_BYTES = 4 * 2 ** 20;

/** Maximum number of characters per line of a long-running process; longer lines are dropped. */
export const LINE_CAP_CHARACTERS = 2 ** 20;
/** Number of characters that are kept from the end of the output of a long-running process. */
const LAST_CHARACTERS = 8192;

export interface Output {
  /** Passes on an unfinished line, then returns the kept output. */
  readonly end: () => string;
  readonly truncated: () => boolean;
}

type OnLine = (line: string, stream: OutputStream) => void;

/**
 * Collects output up to a limit. Further output is read and dropped, so that the child process does
 * not block on a full pipe.
 */
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
  // Without a handler, a read error would end this process.
  stream?.on('error', () => undefined);

  return {
    end: () => {
      take(decoder.end());
      lines.end();
      if (truncated) kept.push(`\n[${name} is truncated: more than ${OUTPUT_CAP_BYTES} bytes]\n`);
      return kept.join('');
    },
    truncated: () => truncated,
  };
}

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

/**
 * Splits text into lines without line terminators. Lines of more than `most` characters are
 * dropped.
 */
function splitLines(name: OutputStream, most: number, onLine: OnLine | undefined) {
  let unfinished = '';
  let tooLong = false;
  const emitLine = (line: string): void => {
    if (!tooLong && line.length <= most) onLine?.(line.replace(/\r$/, ''), name);
    tooLong = false;
  };
  return {
    take: (text: string): void => {
      if (onLine === undefined) return;
      const [first = '', ...rest] = text.split('\n');
      unfinished += first;
      for (const next of rest) {
        emitLine(unfinished);
        unfinished = next;
      }
      if (unfinished.length > most) {
        tooLong = true;
        unfinished = '';
      }
    },
    end: (): void => {
      if (unfinished !== '') emitLine(unfinished);
      unfinished = '';
    },
  };
}
