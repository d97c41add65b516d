/** Waiting for something that will come. */
import { setTimeout as delay } from 'node:timers/promises';

/** For a machine whose cores are all busy: who has what they wait for waits no longer. */
export const TIMEOUT_MS = 60_000;

/** Asks again and again until the answer is not undefined. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  timeoutMs = TIMEOUT_MS,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs / 1000} s for ${what}.`);
    await delay(50);
  }
}

/** The same, for something that may not come. */
export const within = <T>(
  timeoutMs: number,
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> => until('it', ask, timeoutMs).catch(() => undefined);
