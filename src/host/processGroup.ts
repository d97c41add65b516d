/** Ends process groups, on request and when this process exits. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import path from 'node:path';

const windows = process.platform === 'win32';
const live = new Set<number>();
const FATAL_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Sends a signal to the process group that `pid` leads, and returns whether it was sent. On
 * Windows, ends the process tree and returns true.
 */
export function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  if (windows) {
    // On Windows, console processes cannot handle SIGTERM, so the process tree is ended
    // immediately.
    spawn(taskkill(), ['/PID', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on(
      'error',
      () => undefined,
    );
    return true;
  }
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Registers a child process until it exits, so that it is ended when this process ends. */
export function track(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (live.size === 0) watchParent(true);
  live.add(pid);
  child.once('exit', () => {
    live.delete(pid);
    if (live.size === 0) watchParent(false);
  });
}

/** Kills all registered child processes synchronously, because exit handlers cannot wait. */
export function killAllGroups(): void {
  for (const pid of live) {
    if (windows) {
      spawnSync(taskkill(), ['/PID', String(pid), '/T', '/F'], { windowsHide: true });
    } else {
      signalGroup(pid, 'SIGKILL');
    }
  }
}

function taskkill(): string {
  return path.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe');
}

function watchParent(on: boolean): void {
  const change = on ? 'on' : 'off';
  process[change]('exit', killAllGroups);
  for (const signal of FATAL_SIGNALS) process[change](signal, raiseSignal);
}

/**
 * Ends the child processes and this process after a signal. If there is another handler for the
 * signal, does nothing.
 */
function raiseSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killAllGroups();
  process.off(signal, raiseSignal);
  process.kill(process.pid, signal);
}
