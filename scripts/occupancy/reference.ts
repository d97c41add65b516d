/**
 * Runs NVIDIA's occupancy calculation (`cuda_occupancy.h`) on cases, if this machine has the header
 * and g++.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { OccupancyInput } from '../../src/core/occupancy/occupancy';

export interface OccupancyCase extends OccupancyInput {
  readonly staticBytes: number;
}

export interface ReferenceAnswers {
  /** CUDA_VERSION of the header, such as 13000 for 13.0. */
  readonly cudaVersion: number;
  /**
   * Blocks per SM, limiters (1 threads, 2 registers, 4 shared memory, 8 blocks), allocated
   * registers and allocated bytes.
   */
  readonly rows: readonly (readonly number[])[];
}

export type Ask = (cases: readonly OccupancyCase[]) => ReferenceAnswers;

export type Reference =
  | { readonly ok: true; readonly ask: <T>(use: (run: Ask) => T) => T }
  | { readonly ok: false; readonly reason: string };

const SOURCE = resolve('scripts/occupancy/reference.cpp');

/**
 * Returns the reference, or the requirement that is missing. `ask` compiles the reference once for
 * all cases.
 */
export function findReference(): Reference {
  const include = findCudaInclude();
  if (include === undefined) return { ok: false, reason: 'no cuda_occupancy.h' };
  if (output('g++', ['--version']) === undefined) return { ok: false, reason: 'no g++' };
  return { ok: true, ask: use => compiled(include, use) };
}

function compiled<T>(include: string, use: (run: Ask) => T): T {
  const directory = mkdtempSync(join(tmpdir(), 'occupancy-'));
  try {
    const program = join(directory, 'occupancyReference');
    execFileSync('g++', ['-std=c++17', '-O1', '-w', `-I${include}`, SOURCE, '-o', program]);
    return use(cases => parse(execFileSync(program, { input: format(cases), maxBuffer: 2 ** 28 })));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/**
 * Returns the include folder with `cuda_occupancy.h`, in CUDA_PATH or in the toolkit of the nvcc on
 * PATH; undefined if there is none.
 */
function findCudaInclude(): string | undefined {
  const dryRun = output('nvcc', ['--dryrun', '-x', 'cu', '/dev/null']) ?? '';
  const roots = [process.env['CUDA_PATH'], /^#\$ TOP=(.+)$/m.exec(dryRun)?.[1]];
  return roots
    .flatMap(root => (root === undefined || root === '' ? [] : [join(root, 'include')]))
    .find(include => existsSync(join(include, 'cuda_occupancy.h')));
}

function output(command: string, args: readonly string[]): string | undefined {
  const { error, status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return error === undefined && status === 0 ? stdout + stderr : undefined;
}

const format = (cases: readonly OccupancyCase[]): string => cases.map(line).join('\n');

function line(given: OccupancyCase): string {
  const { computeCapability, threadsPerBlock, registersPerThread, sharedBytesPerBlock } = given;
  const { carveOutPercent = -1, staticBytes } = given;
  const kernel = [threadsPerBlock, registersPerThread, sharedBytesPerBlock];
  return [...computeCapability.split('.'), ...kernel, carveOutPercent, staticBytes].join(' ');
}

function parse(answer: Buffer): ReferenceAnswers {
  const [version, ...lines] = answer.toString().trim().split('\n');
  return { cudaVersion: Number(version), rows: lines.map(line => line.split(' ').map(Number)) };
}
