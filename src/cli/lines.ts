/** Lines of a stream that may be of any length, in bounded memory. */
import { StringDecoder } from 'node:string_decoder';

/** Whole lines without their ends; undefined, and nothing after it, in the place of one of more than `most` characters. */
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
