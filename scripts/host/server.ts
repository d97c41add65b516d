/** Starts the VS Code server on the loopback interface and a free port. */

import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { VscodeHost } from '../install/vscode';
import { hasEnded, startGroup, stopGroup } from './processes';

export interface ServerOptions {
  readonly dataFolder: string;
  readonly extensionsFolder: string;
  /** Whether the workbench accepts a payload in its URL; notification toasts are then hidden. */
  readonly payload: boolean;
  /**
   * Whether the server ends some minutes after the last window was closed, even if this process was
   * killed.
   */
  readonly endWhenUnused: boolean;
  readonly trust: 'trusted' | 'restricted';
  readonly env: Readonly<Record<string, string>>;
  /** Executable that starts the server with the given arguments, such as a tracer. */
  readonly under?: readonly [program: string, ...args: string[]];
}

export interface Server {
  readonly port: number;
  readonly log: () => string;
  readonly ended: () => boolean;
  readonly whenEnded: Promise<void>;
  readonly stop: () => Promise<void>;
}

const START_TIMEOUT_MS = 120_000;

export async function startServer(host: VscodeHost, options: ServerOptions): Promise<Server> {
  const port = await freePort();
  let output = '';
  const args = [
    host.server,
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--without-connection-token',
    '--accept-server-license-terms',
    '--telemetry-level',
    'off',
    ...(options.endWhenUnused ? ['--enable-remote-auto-shutdown'] : []),
    ...(options.payload ? ['--enable-smoke-test-driver'] : []),
    '--disable-getting-started-override',
    // Without this flag, the environment of a login shell, including its PATH, replaces this
    // environment.
    '--force-disable-user-env',
    '--server-data-dir',
    options.dataFolder,
    '--extensions-dir',
    options.extensionsFolder,
    ...(options.trust === 'trusted' ? ['--disable-workspace-trust'] : []),
  ];
  const [program, ...before] = options.under ?? [host.node];
  const all = options.under === undefined ? args : [...before, host.node, ...args];
  const child = startGroup(program, all, { env: { ...cleanEnv(), ...options.env } }, text => {
    output += text;
  });
  const server: Server = {
    port,
    log: () => output,
    ended: () => hasEnded(child),
    whenEnded: new Promise(
      resolve =>
        void child.once('exit', () => {
          resolve();
        }),
    ),
    stop: () => stopGroup(child),
  };
  try {
    await answers(server);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/**
 * Returns this process's environment without the variables of an enclosing VS Code, because a test
 * in its terminal must not connect to that VS Code.
 */
const cleanEnv = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_RUN_AS_NODE$)/.test(name)),
  );

async function answers(server: Server): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && !server.ended()) {
    const response = await fetch(`http://127.0.0.1:${server.port}/version`).catch(() => undefined);
    if (response?.ok === true) return;
    await delay(50);
  }
  const reason = server.ended()
    ? 'ended immediately'
    : `did not respond within ${START_TIMEOUT_MS / 1000} s`;
  throw new Error(`The VS Code server ${reason}. Output:\n${server.log()}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port);
        else reject(new Error('The system did not assign a free port on 127.0.0.1.'));
      });
    });
  });
}
