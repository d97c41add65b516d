/** A tune on a real Slurm, whose tasks are killed and requeued at random times. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Measurement } from '../../../../src/core/measure/measurement';
import type { TuneSummary } from '../../../../src/core/search/tune/events';
import { CLI, cli, inFolder, type Ran } from '../../../cli/cli';
import { fakeMachine } from '../../../host/cuda/fakeMachine';
import { record } from './record';
import { missingPrograms, startOneMachine, type OneMachine } from '../../../host/slurm/oneMachine';

const KILLS = 20;
const TASKS = 8;
const SPEC = JSON.stringify({ problem: { m: 512, n: 512, k: 512 }, targets: ['cuda'] });
const SPACE = JSON.stringify({
  algorithm: ['pipelined'],
  stages: [2, 3, 4],
  'block.k': [8, 16, 32],
  minBlocksPerSm: [null, 2],
  padding: [null, { a: 4 }],
  'block.m': [64, 128],
  'block.n': [64, 128],
});

interface Line {
  readonly effort: string;
  readonly gpu: string;
  readonly measurement: Measurement;
}
const keyOf = ({ effort, gpu, measurement }: Line): string =>
  `${measurement.kernelKey} ${effort} ${gpu}`;

const missing = missingPrograms();

describe(`tune on Slurm (needs ${missing.length === 0 ? 'Slurm' : missing.join(', ')})`, function () {
  this.timeout(600_000);
  let slurm: OneMachine;
  before(async function () {
    if (missing.length > 0) return this.skip();
    slurm = await startOneMachine(TASKS);
  });
  after(async () => {
    if (missing.length === 0) await slurm.stop();
  });

  const summaryOf = ({ stdout, stderr }: Ran): TuneSummary => {
    assert.notEqual(stdout, '', stderr);
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as TuneSummary;
  };

  it(`loses and repeats no measurement in ${TASKS} tasks with ${KILLS} kills`, async function () {
    const absent = { is: false };
    await inFolder(async folder => {
      const fake = fakeMachine(folder);
      absent.is = fake === undefined;
      if (fake === undefined) return;
      fake.order('varied');
      writeFileSync(path.join(folder, 'space.json'), SPACE);
      const env = {
        ...slurm.environment,
        CUDA_PATH: '',
        CUDA_HOME: '',
        PATH: `${folder}:${process.env['PATH'] ?? ''}`,
        XDG_CACHE_HOME: path.join(folder, 'cache'),
        FAKE_RUN_MS: '200',
      };
      const options = { cwd: folder, env };
      const search = ['tune', '-', '--backend', 'cuda', '--space', 'space.json', '--budget', '96'];
      const local = await cli([...search, '--journal', 'local.jsonl', '--json'], SPEC, options);
      assert.equal(local.code, 0, local.stderr);
      const before = fake.requests().length;
      const args = [...search, '--slurm', '--tasks', String(TASKS), '--gres', 'none', '--json'];
      const child = spawn(process.execPath, [CLI, ...args], { ...options, stdio: 'pipe' });
      child.stdin.end(SPEC);
      const ran = { code: null, stdout: '', stderr: '' };
      child.stdout.on('data', (chunk: Buffer) => (ran.stdout += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (ran.stderr += chunk.toString()));
      const run = { isOver: false };
      const ended = new Promise<number | null>(resolve =>
        child.once('close', code => {
          run.isOver = true;
          resolve(code);
        }),
      );
      const kept: string[] = [];
      const said: string[] = [];
      let kills = 0;
      while (!run.isOver && kills < KILLS) {
        await wait(randomInt(100, 1500));
        const what = killOne(slurm, folder);
        if (what === undefined) continue;
        kills++;
        said.push(what);
        kept.push(...linesOf(folder).map(keyOf));
      }
      assert.equal(await ended, 0, ran.stderr);
      assert.equal(kills, KILLS, said.join('\n'));
      const lines = linesOf(folder);
      const keys = new Set(lines.map(keyOf));
      assert.equal(lines.length, keys.size, 'a measurement was repeated');
      for (const key of kept) assert.ok(keys.has(key), 'a measurement was lost');
      const summary = summaryOf(ran);
      const expected = summaryOf(local);
      assert.equal(summary.ended, 'done');
      assert.deepEqual(
        [summary.winner?.specKey, summary.winner?.medianMs, summary.ties, summary.others],
        [expected.winner?.specKey, expected.winner?.medianMs, expected.ties, expected.others],
      );
      assert.equal(summary.measuredCount, expected.measuredCount);
      // A request without a line was in flight when its task was killed.
      const requests = fake.requests().length - before;
      assert.ok(requests <= lines.length + KILLS, `${requests} requests, ${lines.length} lines`);
      record('killed', {
        slurm: slurm.version,
        tasks: TASKS,
        kills: said,
        attempts: readdirSync(path.join(jobFolder(folder), 'tasks')).length,
        journalLines: lines.length,
        requests,
        measuredCount: summary.measuredCount,
        winner: { slurm: summary.winner?.specKey, local: expected.winner?.specKey },
      });
    });
    if (absent.is) this.skip();
  });
});

function jobFolder(folder: string): string {
  const base = path.join(folder, '.gemm', 'slurm');
  const [id] = existsSync(base) ? readdirSync(base) : [];
  return path.join(base, id ?? 'none');
}

/** Complete lines of all journals. */
function linesOf(folder: string): readonly Line[] {
  const journals = path.join(jobFolder(folder), 'journals');
  if (!existsSync(journals)) return [];
  return readdirSync(journals).flatMap(name =>
    readFileSync(path.join(journals, name), 'utf8')
      .split('\n')
      .slice(0, -1)
      .flatMap(line => {
        try {
          return [JSON.parse(line) as Line];
        } catch {
          return [];
        }
      }),
  );
}

/** Kills the process of a random task, or requeues a random task. Undefined if none runs. */
function killOne(slurm: OneMachine, folder: string): string | undefined {
  const pick = <T>(list: readonly T[]): T | undefined =>
    list.length === 0 ? undefined : list[randomInt(list.length)];
  if (randomInt(2) === 0) {
    const pid = pick(tasksIn(jobFolder(folder)));
    if (pid === undefined) return undefined;
    process.kill(pid, 'SIGKILL');
    return 'kill';
  }
  const running = slurm
    .run('squeue', ['--noheader', '--array', '--states=RUNNING', '--format=%i'])
    .split('\n')
    .filter(id => /^\d+/.test(id));
  const id = pick(running);
  if (id === undefined) return undefined;
  const said = slurm.run('scontrol', ['requeue', id]);
  return said.trim() === '' ? 'requeue' : undefined;
}

/** Process ids of the tasks that run in the folder of a job. */
const tasksIn = (folder: string): readonly number[] =>
  readdirSync('/proc').flatMap(name => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const isTask = readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('slurmTask.cjs');
      return isTask && readlinkSync(`/proc/${name}/cwd`) === folder ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
