/**
 * What tests of hostile inputs share: pipes without a writer, a reader that is gone, processes that
 * must end.
 */
import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { CLI, type Ran } from './cli';

/** Far beyond what any of these calls takes: a process that is killed then hangs. */
const LIMIT_MS = 60_000;

/** A run, as the line of a file. */
export const RUN = JSON.stringify({
  specKey: 'k',
  kernelKey: 'x',
  resolved: null,
  backend: 'cuda',
  outcome: 'unavailable',
  device: { name: 'H200', adapter: '9.0', driver: '1', where: 'cli' },
  verification: { reference: 'none', maxError: null, bound: null, mismatches: 0, samples: 0 },
});

export function makeFifo(folder: string, name: string): string {
  const file = path.join(folder, name);
  const { status, stderr } = spawnSync('mkfifo', [file], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`mkfifo: ${stderr}`);
  return file;
}

/**
 * A line for bash, in which "$@" is the CLI with these arguments. `code` is null where it did not
 * end.
 */
export function bash(
  line: string,
  args: readonly string[],
  options: {
    readonly cwd?: string;
    readonly env?: NodeJS.ProcessEnv;
    readonly input?: string;
  } = {},
): Ran {
  const { status, stdout, stderr } = spawnSync(
    '/bin/bash',
    ['-c', line, 'bash', process.execPath, CLI, ...args],
    { ...options, encoding: 'utf8', timeout: LIMIT_MS, killSignal: 'SIGKILL' },
  );
  return { code: status, stdout, stderr };
}

/** The CLI whose standard output is a pipe that nobody reads any more, from its first byte. */
export const withoutReader = (
  args: readonly string[],
  options: Parameters<typeof bash>[2] = {},
): Ran => bash('exec 3> >(:); wait $!; "$@" >&3', args, options);

export interface Running {
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Resolves with the first text on standard error. */
  readonly noted: Promise<string>;
  /** As a shell would report it: 128 and the signal's number, where one ended it. */
  readonly ended: Promise<number>;
}

const SIGNALS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/** The CLI, started and left alone; its standard input stays open unless there is an input. */
export function started(
  args: readonly string[],
  { input, env }: { readonly input?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Running {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: 'pipe', ...(env && { env }) });
  const guard = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  child.stdin.on('error', () => undefined);
  if (input !== undefined) child.stdin.end(input);
  child.stdout.resume();
  return {
    kill: signal => child.kill(signal),
    noted: new Promise(resolve => {
      child.stderr.once('data', data => {
        resolve(String(data));
      });
    }),
    ended: new Promise(resolve =>
      child.once('close', (code, signal) => {
        clearTimeout(guard);
        resolve(code ?? 128 + (SIGNALS[signal ?? ''] ?? 0));
      }),
    ),
  };
}
