/** Runs `cuda_occupancy.h` on cases, where this machine has the header and a C++ compiler. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Compute capability, threads a block, registers a thread, shared bytes a block. */
export type OccupancyCase = readonly [string, number, number, number];

export interface ReferenceAnswers {
  /** CUDA_VERSION of the header: 13000 is 13.0. */
  readonly cudaVersion: number;
  /** Blocks a SM, limiters (1 threads, 2 registers, 4 shared memory, 8 blocks), registers and bytes allocated. */
  readonly rows: readonly (readonly number[])[];
}

export type Reference =
  | { readonly ok: true; readonly run: (cases: readonly OccupancyCase[]) => ReferenceAnswers }
  | { readonly ok: false; readonly reason: string };

const SOURCE = resolve('scripts/occupancyReference.cpp');

/** Finds what the reference needs, or says what is missing; `run` compiles it and asks it about all cases at once. */
export function findReference(): Reference {
  const include = findCudaInclude();
  if (include === undefined) return { ok: false, reason: 'no cuda_occupancy.h' };
  if (output('g++', ['--version']) === undefined) return { ok: false, reason: 'no g++' };
  return { ok: true, run: cases => compileAndRun(include, cases) };
}

function compileAndRun(include: string, cases: readonly OccupancyCase[]): ReferenceAnswers {
  const directory = mkdtempSync(join(tmpdir(), 'occupancy-'));
  try {
    const program = join(directory, 'occupancyReference');
    execFileSync('g++', ['-std=c++17', '-O1', '-w', `-I${include}`, SOURCE, '-o', program]);
    return parse(execFileSync(program, { input: format(cases), maxBuffer: 2 ** 28 }));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The toolkit's headers: of CUDA_PATH, else of the nvcc on PATH, which says itself where it lives. */
function findCudaInclude(): string | undefined {
  const dryRun = output('nvcc', ['--dryrun', '-x', 'cu', '/dev/null']) ?? '';
  const roots = [process.env['CUDA_PATH'], /^#\$ TOP=(.+)$/m.exec(dryRun)?.[1]];
  return roots
    .flatMap(root => (root === undefined || root === '' ? [] : [join(root, 'include')]))
    .find(include => existsSync(join(include, 'cuda_occupancy.h')));
}

/** What a program prints on both streams, or nothing when it cannot be run. */
function output(command: string, args: readonly string[]): string | undefined {
  const { error, status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return error === undefined && status === 0 ? stdout + stderr : undefined;
}

const format = (cases: readonly OccupancyCase[]): string =>
  cases
    .map(([capability, ...numbers]) => [...capability.split('.'), ...numbers].join(' '))
    .join('\n');

function parse(answer: Buffer): ReferenceAnswers {
  const [version, ...lines] = answer.toString().trim().split('\n');
  return { cudaVersion: Number(version), rows: lines.map(line => line.split(' ').map(Number)) };
}
