/**
 * Implements locks between processes, editors and terminals. A lock is a named local socket, which
 * the system closes when its process ends.
 */
import net from 'node:net';
import * as fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { codeOf, messageOf, printable } from './text';

export interface NamedLock {
  readonly release: () => void;
  /** Reason why locks are unavailable; undefined if the lock was taken. */
  readonly note?: string;
}

export interface LockOptions {
  /** Name of this process, shown to processes that wait for the lock. */
  readonly owner: string;
  readonly signal: AbortSignal;
  /** Called with the owner's name if another process holds the lock. */
  readonly waiting: (owner: string) => void;
  readonly waitMs?: number;
}

export interface StillHeld {
  readonly heldBy: string;
  readonly waitMs: number;
}

/** Maximum wait in milliseconds, after which the owner is assumed to hang. */
const WAIT_MS = 15 * 60_000;
const RETRY_MS = 100;
/** Time in milliseconds in which the owner must report its name. */
const ANSWER_MS = 1000;

/**
 * Takes the lock, and waits up to a limit if another process holds it. Returns undefined if the
 * wait was cancelled, and the owner's name if the limit was exceeded.
 */
export async function takeLock(
  name: string,
  options: LockOptions,
): Promise<NamedLock | StillHeld | undefined> {
  const { owner, waitMs = WAIT_MS } = options;
  const address = addressOf(name);
  const limit = AbortSignal.timeout(waitMs);
  const signal = AbortSignal.any([options.signal, limit]);
  let heldBy = '';
  const waiting = (other: string): void => {
    heldBy = other.trim();
    options.waiting(other);
  };
  while (!signal.aborted) {
    const taken = await take(address, owner);
    if (taken !== 'busy') return taken;
    await untilReleased(address, { owner, signal, waiting });
  }
  return options.signal.aborted ? undefined : { heldBy, waitMs };
}

/**
 * Takes the lock without waiting. If another process holds the lock, `busy` is the owner's name, or
 * `another process` if the owner does not report its name.
 */
export async function tryLock(
  name: string,
  owner: string,
): Promise<NamedLock | { readonly busy: string }> {
  const address = addressOf(name);
  const taken = await take(address, owner);
  if (taken !== 'busy') return taken;
  const giveUp = AbortSignal.timeout(ANSWER_MS);
  return await new Promise(resolve => {
    const waiting = (busy: string): void => {
      resolve({ busy: busy.trim() });
    };
    void untilReleased(address, { owner, signal: giveUp, waiting }).then(() => {
      waiting('another process');
    });
  });
}

/**
 * Returns the address of the socket: on Linux in the abstract namespace (unix(7)), which creates no
 * file, and on Windows a named pipe.
 */
function addressOf(name: string): string {
  const ours = `gemm-explorer-${name}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${ours}`;
  return process.platform === 'linux' ? `\0${ours}` : path.join(os.tmpdir(), `${ours}.sock`);
}

/**
 * Takes the lock without waiting, or returns `busy`. Removes the socket file if its owner was
 * killed.
 */
async function take(address: string, owner: string): Promise<NamedLock | 'busy'> {
  const taken = await listen(address, owner);
  if (taken !== 'busy' || !path.isAbsolute(address) || process.platform === 'win32') return taken;
  const isStale = await new Promise<boolean>(resolve => {
    const socket = net.connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', error => {
      resolve(codeOf(error) === 'ECONNREFUSED');
    });
  });
  if (!isStale) return 'busy';
  await fs.rm(address, { force: true });
  return await listen(address, owner);
}

function listen(address: string, owner: string): Promise<NamedLock | 'busy'> {
  return new Promise(resolve => {
    const waiting = new Set<net.Socket>();
    const server = net.createServer(socket => {
      waiting.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => waiting.delete(socket));
      socket.write(`${owner}\n`);
    });
    server.once('error', error => {
      if (codeOf(error) === 'EADDRINUSE') resolve('busy');
      else {
        resolve({ release: () => undefined, note: messageOf(error) });
      }
    });
    server.listen({ path: address, exclusive: true }, () => {
      const release = (): void => {
        server.close();
        for (const socket of waiting) socket.destroy();
      };
      resolve({ release });
    });
  });
}

/**
 * Waits until the owner releases the lock by closing the connection, or until `signal` is aborted.
 */
function untilReleased(address: string, { signal, waiting }: LockOptions): Promise<void> {
  return new Promise(resolve => {
    const socket = net.connect(address);
    const stop = (): void => {
      socket.destroy();
    };
    signal.addEventListener('abort', stop);
    socket.once('data', data => {
      waiting(printable(String(data), 200));
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      signal.removeEventListener('abort', stop);
      setTimeout(resolve, RETRY_MS);
    });
  });
}
