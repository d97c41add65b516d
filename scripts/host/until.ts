/** Polls for conditions. */
import { setTimeout as delay } from 'node:timers/promises';

/** Default timeout, chosen for a machine with busy cores. */
export const TIMEOUT_MS = 60_000;

/**
 * Polls until the result is defined, and returns it. After the timeout, throws an error that names
 * `what`.
 */
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

/** Polls like `until`, but returns undefined after the timeout or an error. */
export const within = <T>(
  timeoutMs: number,
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> => until('it', ask, timeoutMs).catch(() => undefined);
