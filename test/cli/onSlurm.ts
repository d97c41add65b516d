/** Folder, fake Slurm and fake GPU in which `tune --slurm` and `audit --slurm` run as processes. */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TuneSummary } from '../../src/core/search/tune/events';
import { fakeMachine, type FakeMachine } from '../host/cuda/fakeMachine';
import { fakeSlurm, type FakeSlurm } from '../host/slurm/fakeSlurm';
import { cli, inFolder, type Ran } from './cli';

export const SPEC = JSON.stringify({ problem: { m: 512, n: 512, k: 512 }, targets: ['cuda'] });
const SPACE = JSON.stringify({
  algorithm: ['pipelined'],
  stages: [2, 3],
  'block.k': [8, 16],
  'block.m': [64, 128],
  'block.n': [64, 128],
});
const SHAPES = 'm,n,k,dtype,count\n256,256,256,f32,3\n320,320,320,f32,1\n64,64,512,f32,2\n';

export interface Place {
  readonly fake: FakeMachine;
  readonly slurm: FakeSlurm;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly tune: (...args: string[]) => Promise<Ran>;
  readonly run: (...args: string[]) => Promise<Ran>;
}

export const TUNE = ['tune', '-', '--backend', 'cuda', '--space', 'space.json', '--json'];
export const SLURM = ['--slurm', '--tasks', '3'];

export const onFake = (use: (place: Place) => Promise<void>) =>
  async function (this: Mocha.Context): Promise<void> {
    const absent = { is: false };
    await inFolder(async folder => {
      const fake = fakeMachine(folder);
      absent.is = fake === undefined;
      if (fake === undefined) return;
      const slurm = fakeSlurm(folder);
      writeFileSync(path.join(folder, 'space.json'), SPACE);
      writeFileSync(path.join(folder, 'shapes.csv'), SHAPES);
      fake.order('varied');
      const env = {
        ...process.env,
        CUDA_PATH: '',
        CUDA_HOME: '',
        PATH: `${folder}:${process.env['PATH'] ?? ''}`,
        XDG_CACHE_HOME: path.join(folder, 'cache'),
      };
      const run: Place['run'] = (...args) => cli(args, SPEC, { cwd: folder, env });
      await use({ fake, slurm, folder, env, run, tune: (...more) => run(...TUNE, ...more) });
    });
    if (absent.is) this.skip();
  };

export const summaryOf = ({ stdout, stderr }: Ran): TuneSummary => {
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as TuneSummary;
};
export const jobFolder = (folder: string): string => {
  const base = path.join(folder, '.gemm', 'slurm');
  return path.join(base, readdirSync(base)[0] ?? '');
};
export const outcomeOf = ({ winner, ties, others, measuredCount }: TuneSummary) => ({
  winner: winner?.specKey,
  ties: ties.map(({ specKey, medianMs }) => [specKey, medianMs]),
  others: others.map(({ specKey, medianMs }) => [specKey, medianMs]),
  measuredCount,
});
