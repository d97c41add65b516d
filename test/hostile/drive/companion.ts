/** Asks the companion extension over its port. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../../scripts/host/until';
import type { RequestName, Requests } from '../companion/protocol';

export type Ask = <Name extends RequestName>(
  name: Name,
  ask: Requests[Name]['ask'],
) => Promise<Requests[Name]['answer']>;

/** Returns once the companion listens, which it does when its extension host is up. */
export async function companion(records: string): Promise<Ask> {
  const file = join(records, 'port');
  const port = await until('the companion extension', () => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    return Promise.resolve(text === '' ? undefined : text);
  });
  return async (name, ask) => {
    const body = JSON.stringify({ name, ask });
    // A connection that rests is closed by the other side while the extension host is busy.
    const headers = { connection: 'close' };
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers });
    const { answer, error } = (await response.json()) as { answer: never; error?: string };
    if (error !== undefined) throw new Error(`${name}: ${error}`);
    return answer;
  };
}
