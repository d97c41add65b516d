/**
 * One measurement at a time on a GPU, whichever editor or terminal makes it. The lock is a named local socket: the
 * system gives it up when its process ends, however that happens, and it holds across users where a file would not.
 */
import net from 'node:net';
import { codeOf, messageOf, printable } from '../../text';

export interface GpuLock {
  readonly release: () => void;
  /** Why nothing was locked, in words. */
  readonly note?: string;
}

export interface LockOptions {
  /** Who we are, for whoever waits. */
  readonly owner: string;
  readonly signal: AbortSignal;
  /** Called when somebody else has it, with who says so. */
  readonly waiting: (owner: string) => void;
}

const RETRY_MS = 100;

/** The lock of the GPU with this UUID; undefined when cancelled meanwhile. */
export async function lockGpu(uuid: string, options: LockOptions): Promise<GpuLock | undefined> {
  const address = addressOf(uuid);
  // CUDA has no other systems.
  if (address === undefined) return { release: () => undefined };
  while (!options.signal.aborted) {
    const taken = await take(address, options.owner);
    if (taken !== 'busy') return taken;
    await untilReleased(address, options);
  }
  return undefined;
}

/** Linux: the abstract namespace, which leaves no file (unix(7)). Windows: a pipe. */
function addressOf(uuid: string): string | undefined {
  const name = `gemm-explorer-${uuid}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  return process.platform === 'linux' ? `\0${name}` : undefined;
}

function take(address: string, owner: string): Promise<GpuLock | 'busy'> {
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
        const note = `The GPU could not be reserved, so another program may have used it meanwhile: ${messageOf(error)}.`;
        resolve({ release: () => undefined, note });
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

/** Whoever holds it ends the connection with it. */
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
