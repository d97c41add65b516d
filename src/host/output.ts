/** Collects what a child prints: UTF-8 across chunks, line by line, never more than a cap. */
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

export type OutputStream = 'stdout' | 'stderr';

/** Bytes kept of each stream. */
export const OUTPUT_CAP_BYTES = 4 * 2 ** 20;

export interface Output {
  /** The text so far; flushes an unfinished line. */
  readonly end: () => string;
  readonly truncated: () => boolean;
}

/** What passes the cap is read and dropped, so that the child never blocks on a full pipe. */
export function collectOutput(
  stream: Readable | null,
  name: OutputStream,
  onLine?: (line: string, stream: OutputStream) => void,
): Output {
  const decoder = new StringDecoder('utf8');
  const kept: string[] = [];
  let bytes = 0;
  let unfinished = '';
  let truncated = false;

  const take = (text: string): void => {
    if (text === '') return;
    kept.push(text);
    if (onLine === undefined) return;
    const lines = (unfinished + text).split('\n');
    unfinished = lines.pop() ?? '';
    for (const line of lines) onLine(line.replace(/\r$/, ''), name);
  };
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
      if (unfinished !== '') onLine?.(unfinished.replace(/\r$/, ''), name);
      unfinished = '';
      if (truncated) kept.push(`\n[${name} is cut here: more than ${OUTPUT_CAP_BYTES} bytes]\n`);
      return kept.join('');
    },
    truncated: () => truncated,
  };
}
