/**
 * Describes the origin of a recorded result. GEMM_COMMIT overrides the commit, for a project that
 * is not a git checkout.
 */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';

export interface Provenance {
  readonly command: string;
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
}

const head = (): string => execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();

export function provenance(command: string): Provenance {
  const [cpu] = cpus();
  return {
    command,
    date: new Date().toISOString().slice(0, 10),
    commit: process.env['GEMM_COMMIT'] ?? head(),
    machine: `${cpu?.model ?? 'unknown'}, ${cpus().length} cores, Node ${process.version}`,
  };
}
