/** Queries the machine's state and Dawn's version for a benchmark record. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';

export const DAWN_PACKAGE = 'webgpu';

export function dawnVersion(): string {
  const folder = path.dirname(fileURLToPath(import.meta.resolve(DAWN_PACKAGE)));
  const manifest: unknown = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return `${DAWN_PACKAGE} ${v.parse(v.object({ version: v.string() }), manifest).version}`;
}

export const GPU_QUERY =
  'name,driver_version,power.limit,clocks.sm,clocks.max.sm,clocks.mem,temperature.gpu';

/** Returns the GPU's state as `nvidia-smi` reports it, or undefined if `nvidia-smi` fails. */
export function gpuState(): string | undefined {
  const args = [`--query-gpu=${GPU_QUERY}`, '--format=csv,noheader'];
  const { stdout, status } = spawnSync('nvidia-smi', args, { encoding: 'utf8', timeout: 10_000 });
  return status === 0 ? stdout.trim() : undefined;
}

const busyMs = (): number =>
  cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);

/**
 * Starts measuring processor use. The returned function computes the fraction of all processors
 * that other processes have used since the start.
 */
export function watchOthers(): () => number {
  const [busy, began, own] = [busyMs(), performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(own);
    const others = busyMs() - busy - (user + system) / 1000;
    // The operating system counts CPU time in steps of 10 ms, so the difference can be slightly
    // negative.
    return Math.max(0, others) / ((performance.now() - began) * cpus().length);
  };
}

const LOOK_MS = 1000;

/**
 * Waits until other processes use at most the fraction `mostOthers` of all processors, or until the
 * time limit. Does not wait if `mostOthers` is 1 or more.
 */
export async function untilQuiet(mostOthers: number, limitMs: number): Promise<void> {
  if (mostOthers >= 1) return;
  for (const began = performance.now(); performance.now() - began < limitMs;) {
    const others = watchOthers();
    await delay(LOOK_MS);
    if (others() <= mostOthers) return;
  }
}
