/**
 * VS Code for the web from files alone, as vscode.dev is: a static server, the workbench, our
 * extension in its web worker, an in-memory folder. There is no Node extension host, and a
 * connection that asks for one fails.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import path from 'node:path';
import { projectRoot } from '../../scripts/install/project';

export interface WebHost {
  readonly url: string;
  /** Requests for something that is no file: upgrades, methods other than GET, unknown paths. */
  readonly refused: readonly string[];
  readonly close: () => Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ttf': 'font/ttf',
  '.wasm': 'application/wasm',
};

/**
 * What code-server's build adds to VS Code's: it always connects to the server that it came from
 * and keeps the user's data there. Served from files it does neither, as VS Code's own build for
 * the web.
 */
const WITHOUT_SERVER: readonly (readonly [RegExp, string])[] = [
  [/,remoteAuthority:location\.host\}/, '}'],
  [/(\(this\.userDataPath\)\.with\(\{scheme:\w+)\.vscodeRemote\}/, '$1.vscodeUserData}'],
];

export async function startWebHost(vscode: string): Promise<WebHost> {
  const root = projectRoot();
  const refused: string[] = [];
  const folders: Readonly<Record<string, string>> = {
    vscode,
    extension: root,
    memory: path.join(root, 'out', 'test', 'web', 'memory'),
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const refuse = (status: number): void => {
      refused.push(`${request.method ?? ''} ${pathname}`);
      response.writeHead(status).end();
    };
    if (request.method !== 'GET') {
      refuse(405);
      return;
    }
    if (pathname === '/') {
      send(response, '.html', page(portOf(server)));
      return;
    }
    const [, name = '', ...below] = decodeURIComponent(pathname).split('/');
    const folder = folders[name];
    if (folder === undefined || below.includes('..')) {
      refuse(404);
      return;
    }
    const file = path.join(folder, ...below);
    fileOf(file).then(
      content => {
        send(response, path.extname(file), content);
      },
      () => {
        refuse(404);
      },
    );
  });
  server.on('upgrade', (request, socket) => {
    refused.push(`upgrade ${request.url ?? ''}`);
    socket.destroy();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${portOf(server)}/`,
    refused,
    close: () =>
      new Promise(resolve => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

async function fileOf(file: string): Promise<string | Buffer> {
  const content = await readFile(file);
  if (!file.endsWith(path.join('browser', 'workbench', 'workbench.js'))) return content;
  return WITHOUT_SERVER.reduce((text, [added, own]) => {
    assert.match(text, added, 'the workbench connects to a server as this test knows it');
    return text.replace(added, own);
  }, content.toString());
}

function send(response: ServerResponse, ending: string, content: string | Buffer): void {
  response.writeHead(200, {
    'Content-Type': TYPES[ending] ?? 'application/octet-stream',
    'Cache-Control': 'no-store',
  });
  response.end(content);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function page(port: number): string {
  const extension = (name: string) => ({
    scheme: 'http',
    authority: `127.0.0.1:${port}`,
    path: `/${name}`,
  });
  const configuration = {
    folderUri: { scheme: 'memory', path: '/workspace' },
    additionalBuiltinExtensions: [extension('extension'), extension('memory')],
    webviewEndpoint: `http://127.0.0.1:${port}/vscode/out/vs/workbench/contrib/webview/browser/pre`,
    userDataPath: '/user',
    isEnabledFileDownloads: false,
    isEnabledFileUploads: false,
    isEnabledCoderGettingStarted: false,
    enableWorkspaceTrust: false,
    configurationDefaults: { 'workbench.startupEditor': 'none' },
    productConfiguration: { enableTelemetry: false },
  };
  const settings = JSON.stringify(configuration).replaceAll('"', '&quot;');
  const base = `http://127.0.0.1:${port}/vscode`;
  return `<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta id="vscode-workbench-web-configuration" data-settings="${settings}">
<link rel="stylesheet" href="${base}/out/vs/code/browser/workbench/workbench.css">
</head>
<body></body>
<script>globalThis._VSCODE_FILE_ROOT = '${base}/out/';</script>
<script type="module" src="${base}/out/nls.messages.js"></script>
<script type="module" src="${base}/out/vs/code/browser/workbench/workbench.js"></script>
</html>`;
}

/** The extension as a browser gets it: what it asks its host for. */
export const requiredByWebBundle = (): readonly string[] => {
  const text = readFileSync(path.join(projectRoot(), 'dist', 'extension.web.cjs'), 'utf8');
  return [...new Set([...text.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = '']) => name))];
};
