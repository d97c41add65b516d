/**
 * Serves one page to one browser through the loopback interface. The address contains a single-use
 * token, which the browser exchanges for a cookie. The browser sends messages as POST requests and
 * receives server-sent events.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ServedFile {
  readonly type: 'text/javascript' | 'text/css' | 'font/ttf';
  readonly read: () => Promise<Uint8Array>;
}

export interface PageServerOptions {
  readonly page: (nonce: string) => string;
  readonly files: Readonly<Record<string, ServedFile>>;
  readonly maxMessageBytes: number;
  readonly onMessage: (data: unknown) => void;
  /**
   * Called when a browser connects. The new connection replaces the connection of an earlier
   * browser.
   */
  readonly onConnected: () => void;
  readonly onDisconnected: () => void;
  /** Called when the server has closed, on request or after the idle timeout. */
  readonly onClosed: () => void;
  /** Time in milliseconds without a connected browser after which the server closes. */
  readonly idleMs: number;
  /** Time in milliseconds after which an incomplete request is dropped. */
  readonly requestMs?: number;
}

export interface PageServer {
  /** Returns an address with a new token. An earlier unused token becomes invalid. */
  readonly address: () => string;
  /**
   * Accepts an additional authority in requests, such as `localhost:5123` at the other end of a
   * tunnel.
   */
  readonly allow: (authority: string) => void;
  readonly post: (message: unknown) => void;
  readonly close: () => void;
}

const secret = (): string => randomBytes(32).toString('base64url');

const same = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

const HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

class Rejected extends Error {
  constructor(readonly status: 400 | 403 | 404 | 405 | 413 | 415) {
    super(String(status));
  }
}

const MAX_UNREAD_BYTES = 16 * 2 ** 20;
/** Maximum number of connections whose first request has not arrived. */
const MAX_WAITING = 32;
const MAX_CONNECTIONS = 256;
const COOKIE = 'gemm-explorer';

export async function servePage(options: PageServerOptions): Promise<PageServer> {
  const { requestMs = 10_000 } = options;
  // Browsers send cookies to all ports of a host. The secret path prevents other local servers from
  // receiving the cookie.
  const folder = secret();
  const session = secret();
  let token: string | undefined;
  let listener: ServerResponse | undefined;
  const authorities = new Set<string>();

  const hasSession = (request: IncomingMessage): boolean =>
    (request.headers.cookie ?? '').split(';').some(part => {
      const [name = '', value = ''] = part.trim().split('=', 2);
      return name === COOKIE && same(value, session);
    });

  /**
   * Throws 403 for unknown host names, foreign origins, POST requests without an origin, and
   * cross-site requests other than navigations.
   */
  const checkOrigin = (request: IncomingMessage): void => {
    const { host = '', origin } = request.headers;
    if (!authorities.has(host)) throw new Rejected(403);
    if (origin === undefined) {
      if (request.method === 'POST') throw new Rejected(403);
    } else if (origin !== `http://${host}` && origin !== `https://${host}`) throw new Rejected(403);
    const site = request.headers['sec-fetch-site'];
    if (site === 'cross-site' && request.headers['sec-fetch-mode'] !== 'navigate')
      throw new Rejected(403);
  };

  const sendPage = (response: ServerResponse, cookie: Readonly<Record<string, string>>): void => {
    const nonce = secret();
    const type = { 'Content-Type': 'text/html; charset=utf-8' };
    const guards = { 'Content-Security-Policy': policy(nonce), 'X-Frame-Options': 'DENY' };
    response.writeHead(200, { ...HEADERS, ...type, ...guards, ...cookie });
    response.end(options.page(nonce));
  };

  const listen = (response: ServerResponse): void => {
    // The newest tab replaces the previous tab, which is notified so that it does not reconnect.
    listener?.end('event: replaced\ndata: {}\n\n');
    listener = response;
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream' });
    response.write(': connected\n\n');
    response.on('close', () => {
      if (listener !== response) return;
      listener = undefined;
      options.onDisconnected();
      waitForBrowser();
    });
    clearTimeout(idle);
    options.onConnected();
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    checkOrigin(request);
    const { method = '' } = request;
    if (method !== 'GET' && method !== 'POST') throw new Rejected(405);
    const [, first, name = '', ...more] = (request.url ?? '').split('/');
    if (first !== folder || more.length > 0) throw new Rejected(404);
    if (method === 'GET' && token !== undefined && same(name, token)) {
      token = undefined;
      const cookie = `${COOKIE}=${session}; HttpOnly; SameSite=Strict`;
      sendPage(response, { 'Set-Cookie': cookie });
      return;
    }
    if (!hasSession(request)) throw new Rejected(403);
    if (method === 'POST') {
      if (name !== 'messages') throw new Rejected(404);
      const data = await readJson(request, options.maxMessageBytes);
      response.writeHead(204, HEADERS).end();
      options.onMessage(data);
    } else if (name === '') sendPage(response, {});
    else if (name === 'events') listen(response);
    else {
      const file = Object.hasOwn(options.files, name) ? options.files[name] : undefined;
      if (file === undefined) throw new Rejected(404);
      const content = await file.read();
      response.writeHead(200, { ...HEADERS, 'Content-Type': file.type }).end(content);
    }
  };

  // The default interval of Node's check for incomplete requests is 30 s.
  const connectionsCheckingInterval = Math.max(100, requestMs / 4);
  const server = createServer({ connectionsCheckingInterval }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      const status = error instanceof Rejected ? error.status : 500;
      if (response.headersSent) response.destroy();
      // The rest of a rejected body is not read.
      else response.writeHead(status, { ...HEADERS, Connection: 'close' }).end();
    });
  });
  server.requestTimeout = requestMs;
  server.headersTimeout = requestMs;
  server.maxConnections = MAX_CONNECTIONS;
  const waiting = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    waiting.add(socket);
    socket.once('close', () => waiting.delete(socket));
    // Browsers send a request immediately, so the oldest waiting connection is probably not a
    // browser.
    const [oldest] = waiting;
    if (waiting.size > MAX_WAITING) oldest?.destroy();
  });
  server.on('request', ({ socket }: IncomingMessage) => waiting.delete(socket));

  let idle: NodeJS.Timeout | undefined;
  const waitForBrowser = (): void => {
    clearTimeout(idle);
    idle = setTimeout(close, options.idleMs);
  };
  let closed = false;
  const close = (): void => {
    if (closed) return;
    closed = true;
    clearTimeout(idle);
    listener?.end('event: closed\ndata: {}\n\n');
    listener = undefined;
    server.close();
    server.closeAllConnections();
    options.onClosed();
  };

  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  authorities.add(`127.0.0.1:${port}`);
  waitForBrowser();
  return {
    address: () => {
      token = secret();
      return `http://127.0.0.1:${port}/${folder}/${token}`;
    },
    allow: authority => authorities.add(authority),
    post: message => {
      // A tab that does not read its messages is disconnected.
      if ((listener?.writableLength ?? 0) > MAX_UNREAD_BYTES) listener?.destroy();
      else listener?.write(`data: ${JSON.stringify(message)}\n\n`);
    },
    close,
  };
}

async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  if (request.headers['content-type'] !== 'application/json') throw new Rejected(415);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new Rejected(413);
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) throw new Rejected(413);
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    throw new Rejected(400);
  }
}
