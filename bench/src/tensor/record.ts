/**
 * JSON Lines record that a later call continues if commit, device, driver and compiler are the
 * same.
 */
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import * as v from 'valibot';

const headSchema = v.looseObject({
  type: v.literal('head'),
  commit: v.string(),
  device: v.string(),
  driver: v.string(),
  compiler: v.string(),
});
export type Head = v.InferOutput<typeof headSchema>;
const SAME = ['commit', 'device', 'driver', 'compiler'] as const;

const keyed = v.looseObject({ key: v.string() });

export interface Recorded {
  readonly has: (key: string) => boolean;
  readonly write: (line: object) => void;
}

export function openRecord(file: string, head: Head): Recorded {
  const whole = existsSync(file) ? readFileSync(file, 'utf8') : '';
  // An interrupted write may have truncated the last line.
  const text = whole.slice(0, whole.lastIndexOf('\n') + 1);
  if (text !== whole) truncateSync(file, Buffer.byteLength(text));
  const keys = new Set<string>();
  let isSame = false;
  for (const line of text.split('\n').filter(Boolean)) {
    const value: unknown = JSON.parse(line);
    const found = v.safeParse(headSchema, value);
    if (found.success) {
      const before = found.output;
      const goesOn = SAME.every(field => before[field] === head[field]);
      if (!goesOn) keys.clear();
      isSame = goesOn;
    }
    const one = v.safeParse(keyed, value);
    if (isSame && one.success) keys.add(one.output.key);
  }
  const write = (line: object): void => {
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  };
  if (!isSame) write(head);
  return { has: key => keys.has(key), write };
}
