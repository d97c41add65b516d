/** Git repositories for tests. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runLine } from '../../src/core/measure/historyLine';
import type { Measurement } from '../../src/core/measure/measurement';
import { measurement } from '../helpers/history';

export const hasGit = spawnSync('git', ['--version']).status === 0;

/** Makes a folder a repository of the author Ada L. */
export function repository(folder: string) {
  const git = (...args: readonly string[]): string => {
    const own = [
      '-c',
      'user.name=Ada L.',
      '-c',
      'user.email=t@localhost',
      '-c',
      'commit.gpgsign=false',
    ];
    const ran = spawnSync('git', [...own, ...args], { cwd: folder, encoding: 'utf8' });
    assert.equal(ran.status, 0, ran.stderr);
    return ran.stdout.trim();
  };
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Ada L.');
  const commit = (): string => {
    git('add', '-A');
    git('commit', '--quiet', '--allow-empty', '-m', 'x');
    return git('rev-parse', 'HEAD');
  };
  return { git, commit };
}

/** Appends a timed run to a history, without a commit. */
export function addRun(
  folder: string,
  key: string,
  id: string,
  medianMs: number,
  device = 'H200',
): void {
  const made = measurement(key);
  const timing = {
    timer: 'cuda-events',
    quantumNs: 1,
    warmUp: 1,
    samples: 20,
    medianMs,
    iqrMs: 0,
    minMs: medianMs,
    intervalMs: [medianMs * 0.99, medianMs * 1.01],
    gflops: 1,
    errorPercent: 0,
    cache: 'warm',
    inputs: 'uniform',
  } as const;
  const run = { ...made, device: { ...made.device, name: device }, timing } as Measurement;
  const runs = path.join(folder, '.gemm', 'runs');
  mkdirSync(runs, { recursive: true });
  const file = path.join(runs, 'k.jsonl');
  const old = existsSync(file) ? readFileSync(file, 'utf8') : '';
  writeFileSync(file, `${old}${runLine(id, run)}\n`);
}
