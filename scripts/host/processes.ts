/**
 * Starts child processes that are killed when this process exits. Each child leads a process group,
 * which is killed as a whole.
 */

import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

const GRACE_MS = 2000;
const groups = new Set<ChildProcess>();

process.once('exit', () => {
  for (const child of groups) signalGroup(child, 'SIGKILL');
});

export interface GroupOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** `output` receives stdout, stderr and the error message if the process cannot start. */
export function startGroup(
  command: string,
  args: readonly string[],
  options: GroupOptions,
  output: (text: string) => void,
): ChildProcess {
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe'];
  const child = spawn(command, args, { ...options, detached: true, stdio });
  groups.add(child);
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output(chunk.toString());
    });
  child.once('error', error => {
    output(`${error.message}\n`);
  });
  return child;
}

export const hasEnded = (child: ChildProcess): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;

/**
 * Sends SIGTERM to the group, waits at most `GRACE_MS` for its leader to exit, then kills the
 * remaining processes.
 */
export async function stopGroup(child: ChildProcess): Promise<void> {
  if (!hasEnded(child)) {
    const ended = once(child, 'exit');
    signalGroup(child, 'SIGTERM');
    await Promise.race([ended, delay(GRACE_MS, undefined, { ref: false })]);
  }
  signalGroup(child, 'SIGKILL');
  groups.delete(child);
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has ended already.
  }
}

/**
 * Runs `close` on an interrupt, then exits with the usual exit code of the signal. Returns a
 * function that removes the signal handlers.
 */
export function onInterrupt(close: () => Promise<void>): () => void {
  const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
  const handlers = Object.entries(codes).map(([signal, code]) => {
    const handler = (): void => {
      void close().finally(() => process.exit(code));
    };
    process.once(signal, handler);
    return [signal, handler] as const;
  });
  return () => {
    for (const [signal, handler] of handlers) process.removeListener(signal, handler);
  };
}
