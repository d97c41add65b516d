/** Serves the built page to a headless browser from a loopback address. */
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { PAGE_FILES } from '../../src/extension/explorer/pageFiles';

export interface PageAddress {
  readonly origin: string;
  readonly folder: string;
}

export interface PageServer {
  readonly add: (dist: string, html: (address: PageAddress) => string) => string;
}

/**
 * Headers that make the page cross-origin isolated, which improves its clock resolution from 100 µs
 * to 5 µs (W3C High Resolution Time).
 */
const ISOLATED = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

let started: Promise<PageServer> | undefined;

/** Returns the server of this process, which does not keep the process alive. */
export const pageServer = (): Promise<PageServer> => (started ??= start());

async function start(): Promise<PageServer> {
  const pages: string[] = [];
  const folders: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    const [kind, index, name = ''] = url.slice(1).split('/');
    const page = pages[Number(index)];
    const folder = folders[Number(index)];
    if (kind === 'page' && page !== undefined) send(response, 'text/html', 'no-store', page);
    else if (kind === 'dist' && folder !== undefined && isPageFile(name))
      void sendFile(response, folder, name);
    else response.writeHead(404).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    add: (dist, html) => {
      if (!folders.includes(dist)) folders.push(dist);
      const folder = `${origin}/dist/${folders.indexOf(dist)}`;
      return `${origin}/page/${pages.push(html({ origin, folder })) - 1}`;
    },
  };
}

const isPageFile = (name: string): name is keyof typeof PAGE_FILES =>
  Object.hasOwn(PAGE_FILES, name);

async function sendFile(
  response: ServerResponse,
  folder: string,
  name: keyof typeof PAGE_FILES,
): Promise<void> {
  try {
    const content = await readFile(path.join(folder, name));
    send(response, PAGE_FILES[name], 'max-age=3600', content);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}

const send = (
  response: ServerResponse,
  contentType: string,
  cacheControl: string,
  content: string | Uint8Array,
): void => {
  const headers = { ...ISOLATED, 'Content-Type': contentType, 'Cache-Control': cacheControl };
  response.writeHead(200, headers).end(content);
};
