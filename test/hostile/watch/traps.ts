/**
 * A listener that counts whoever connects: hostile URLs point at it. No TLS: a connection is
 * enough.
 */
import { createServer, type Server } from 'node:net';

export interface Listener {
  readonly authority: string;
  /** The first bytes of each connection, as far as they came. */
  readonly heard: readonly string[];
  readonly close: () => Promise<void>;
}

export async function listen(): Promise<Listener> {
  const heard: string[] = [];
  const server: Server = createServer(socket => {
    const index = heard.push('') - 1;
    socket.on('error', () => socket.destroy());
    socket.once('data', bytes => {
      const isTls = bytes[0] === 0x16;
      heard[index] = isTls ? 'TLS' : (bytes.toString('latin1').split('\r\n')[0] ?? '');
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The listener has no port.');
  return {
    authority: `127.0.0.1:${address.port}`,
    heard,
    close: () =>
      new Promise(resolve =>
        server.close(() => {
          resolve();
        }),
      ),
  };
}
