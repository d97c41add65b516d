/** Runs the built CLI as a process, the way users and scripts do. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Tests run in the project's root, after the build. */
export const CLI = path.resolve('dist/cli.js');

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function cli(
  args: readonly string[],
  input = '',
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CLI, ...args], { ...options, stdio: 'pipe' });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.stdin.on('error', () => undefined);
    child.on('close', code => {
      resolve({
        code,
        stdout: Buffer.concat(out).toString(),
        stderr: Buffer.concat(err).toString(),
      });
    });
    child.stdin.end(input);
  });
}

/** The one JSON value on standard output. */
export const jsonOf = (ran: Ran): unknown => JSON.parse(ran.stdout);

export interface Doctor {
  readonly tools: readonly { readonly id: string; readonly found: boolean; hint: string }[];
}

/** Whether `doctor` finds a tool. */
export const found = async (id: string): Promise<boolean> =>
  (jsonOf(await cli(['doctor', '--json'])) as Doctor).tools.some(t => t.id === id && t.found);

/** An environment without nvcc and without a GPU's tools. */
export const WITHOUT_TOOLS: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: '/nowhere',
  CUDA_PATH: '',
  CUDA_HOME: '',
};

/** A spec's text. */
export const spec = (
  schedule?: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
): string =>
  JSON.stringify({ problem: { m: 96, n: 80, k: 64 }, ...(schedule && { schedule }), ...more });

/** Gives `use` a folder whose name needs quoting everywhere, and removes it afterwards. */
export async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), `gemm 'cli' "ü 行列" $(x) `));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
