/** Splits a stream into lines in bounded memory. */
import { StringDecoder } from 'node:string_decoder';

/**
 * Yields the lines of a stream without line terminators. If a line exceeds `most` characters,
 * yields undefined and stops.
 */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  most: number,
): AsyncGenerator<string | undefined> {
  const decoder = new StringDecoder('utf8');
  let unfinished = '';
  for await (const chunk of chunks) {
    const [first = '', ...rest] = decoder.write(chunk).split('\n');
    unfinished += first;
    for (const next of rest) {
      if (unfinished.length > most) break;
      yield unfinished.replace(/\r$/, '');
      unfinished = next;
    }
    if (unfinished.length > most) {
      yield undefined;
      return;
    }
  }
  unfinished += decoder.end();
  if (unfinished !== '') yield unfinished;
}
