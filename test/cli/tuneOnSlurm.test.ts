/** `tune --slurm` and `audit --slurm` as processes, on a fake Slurm and a fake GPU. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { TuneSummary } from '../../src/core/search/tune/events';
import { fakeMachine, type FakeMachine } from '../host/cuda/fakeMachine';
import { fakeSlurm, type FakeSlurm } from '../host/slurm/fakeSlurm';
import { CLI, cli, inFolder, type Ran } from './cli';

const SPEC = JSON.stringify({ problem: { m: 512, n: 512, k: 512 }, targets: ['cuda'] });
const SPACE = JSON.stringify({
  algorithm: ['pipelined'],
  stages: [2, 3],
  'block.k': [8, 16],
  'block.m': [64, 128],
  'block.n': [64, 128],
});
const SHAPES = 'm,n,k,dtype,count\n256,256,256,f32,3\n320,320,320,f32,1\n64,64,512,f32,2\n';
const ID = 'tune-512x512x512-';

interface Place {
  readonly fake: FakeMachine;
  readonly slurm: FakeSlurm;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly tune: (...args: string[]) => Promise<Ran>;
  readonly run: (...args: string[]) => Promise<Ran>;
}

const TUNE = ['tune', '-', '--backend', 'cuda', '--space', 'space.json', '--json'];
const SLURM = ['--slurm', '--tasks', '3'];

const onFake = (use: (place: Place) => Promise<void>) =>
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

const summaryOf = ({ stdout, stderr }: Ran): TuneSummary => {
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as TuneSummary;
};
const jobFolder = (folder: string): string => {
  const base = path.join(folder, '.gemm', 'slurm');
  return path.join(base, readdirSync(base)[0] ?? '');
};
const outcomeOf = ({ winner, ties, others, measuredCount }: TuneSummary) => ({
  winner: winner?.specKey,
  ties: ties.map(({ specKey, medianMs }) => [specKey, medianMs]),
  others: others.map(({ specKey, medianMs }) => [specKey, medianMs]),
  measuredCount,
});

describe('tune --slurm (needs a C compiler on Linux)', function () {
  this.timeout(240_000);

  it(
    'has the winner of a local search, keeps its scripts, and repeats nothing when run again',
    onFake(async ({ fake, slurm, folder, tune, run }) => {
      const local = summaryOf(await tune('--journal', 'local.jsonl'));
      const options = ['--partition', 'gpu', '--account', 'lab', '--time-limit', '1:30:00'];
      const ran = await tune(...SLURM, ...options, '--gpu-type', 'h200', '--out', 'winner');
      assert.equal(ran.code, 0, ran.stderr);
      const summary = summaryOf(ran);
      assert.deepEqual(outcomeOf(summary), outcomeOf(local));
      // Tasks may measure neighbors that a search with more measurements would not choose.
      assert.ok(ran.stdout.trimEnd().split('\n').length - 1 >= local.measurements);
      assert.ok(existsSync(path.join(folder, 'winner', `${local.winner?.specKey}.cu`)));
      const job = jobFolder(folder);
      const script = readFileSync(path.join(job, 'wave-1.sh'), 'utf8');
      for (const line of [
        'array=0-2',
        'partition=gpu',
        'account=lab',
        'time=1:30:00',
        'gres=gpu:h200:1',
      ])
        assert.ok(script.includes(`#SBATCH --${line}\n`), line);
      const [first, second, last] = slurm.calls().filter(call => call.startsWith('sbatch'));
      assert.equal(first, 'sbatch --parsable wave-1.sh');
      assert.match(second ?? '', /--dependency=afterany:1000 .*wave-2\.sh$/);
      assert.match(last ?? '', /--dependency=afterany:1001 .*final\.sh$/);
      const before = fake.requests().length;
      const again = await tune(...SLURM);
      assert.equal(again.code, 0, again.stderr);
      assert.deepEqual(outcomeOf(summaryOf(again)), outcomeOf(local));
      assert.equal(fake.requests().length, before);
      const attached = await run('tune', '--attach', path.basename(job), '--json');
      assert.deepEqual(outcomeOf(summaryOf(attached)), outcomeOf(local));
    }),
  );

  it(
    'races the finalists on one GPU if the tasks ran on others',
    onFake(async ({ folder, env }) => {
      const args = [...TUNE, ...SLURM];
      const options = { cwd: folder, env: { ...env, FAKE_UUID: '$task' } };
      const ran = await cli(args, SPEC, options);
      assert.equal(ran.code, 0, ran.stderr);
      const summary = summaryOf(ran);
      const local = summaryOf(
        await cli([...TUNE, '--journal', 'local.jsonl'], SPEC, { cwd: folder, env }),
      );
      assert.equal(summary.winner?.specKey, local.winner?.specKey);
      assert.match(summary.notes.join('\n'), /Quick rounds ran on 4 GPUs that differ by 0 %/);
      const journals = path.join(jobFolder(folder), 'journals');
      const full = readdirSync(journals).flatMap(name =>
        readFileSync(path.join(journals, name), 'utf8')
          .split('\n')
          .filter(line => line.includes('"effort":"full"'))
          .map(line => (JSON.parse(line) as { readonly gpu: string }).gpu),
      );
      assert.deepEqual([...new Set(full)], ['GPU-fake-task-final']);
      const records = path.join(jobFolder(folder), 'tasks');
      const devices = readdirSync(records).map(
        name =>
          (JSON.parse(readFileSync(path.join(records, name), 'utf8')) as { device: { id: string } })
            .device.id,
      );
      assert.equal(new Set(devices).size, 4);
    }),
  );

  it(
    'never compares measurements of another GPU model, and repeats those that it needs',
    onFake(async ({ folder, env }) => {
      const mixed = { ...env, FAKE_UUID: '$task', FAKE_MODEL: 'NVIDIA L40S' };
      const ran = await cli([...TUNE, ...SLURM], SPEC, { cwd: folder, env: mixed });
      assert.equal(ran.code, 0, ran.stderr);
      const summary = summaryOf(ran);
      const local = summaryOf(
        await cli([...TUNE, '--journal', 'l.jsonl'], SPEC, { cwd: folder, env }),
      );
      assert.equal(summary.winner?.specKey, local.winner?.specKey);
      assert.match(summary.notes.join(), /[1-9]\d* measurements of another GPU model/);
      assert.ok([...summary.ties, ...summary.others].every(({ gpu }) => gpu === 'NVIDIA H200'));
    }),
  );

  it(
    'refuses a folder whose name Slurm would change',
    onFake(async ({ folder, slurm, env }) => {
      for (const name of ['a%j', 'a\\b', 'a\nb']) {
        const cwd = path.join(folder, name);
        mkdirSync(cwd);
        const ran = await cli(['tune', '-', '--slurm'], SPEC, { cwd, env });
        assert.equal(ran.code, 2, ran.stderr);
        assert.match(ran.stderr, /the path contains %, a backslash or a control character/);
        assert.ok(!existsSync(path.join(cwd, '.gemm')));
      }
      assert.deepEqual(slurm.calls(), []);
    }),
  );

  it(
    'cancels a submission that was killed half-way, before it submits again',
    onFake(async ({ folder, slurm, tune }) => {
      slurm.order('hold');
      assert.equal((await tune(...SLURM, '--detach')).code, 0);
      const job = jobFolder(folder);
      rmSync(path.join(job, 'submitted.json'));
      writeFileSync(path.join(job, 'submitting.json'), '["1000","1001"]');
      assert.equal((await tune(...SLURM, '--detach')).code, 0);
      assert.deepEqual(slurm.cancelled(), ['1000', '1001']);
      assert.ok(!existsSync(path.join(job, 'submitting.json')));
      await tune('--cancel', path.basename(job));
    }),
  );

  it(
    'reports why Slurm refuses a job, and cancels the part that was queued',
    onFake(async ({ folder, slurm, tune }) => {
      for (const [order, expected] of [
        ['refuse account', /Invalid account.*Fix: pass an account/],
        ['refuse partition', /invalid partition.*Fix: pass --partition/],
        ['refuse limit', /Fix:/],
      ] as const) {
        slurm.order(order);
        const ran = await tune(...SLURM);
        assert.equal(ran.code, 3);
        assert.match(ran.stderr.replaceAll('\n', ' '), expected);
      }
      slurm.order('refuse second');
      assert.equal((await tune(...SLURM)).code, 3);
      assert.deepEqual(slurm.cancelled(), ['1000']);
      assert.ok(!existsSync(path.join(jobFolder(folder), 'submitted.json')));
    }),
  );

  it(
    'explains a job that ends without a result, and continues it',
    onFake(async ({ folder, slurm, tune, run }) => {
      slurm.order('lost final');
      const ran = await tune(...SLURM);
      assert.equal(ran.code, 3);
      assert.match(ran.stderr, /the final task has no result.*sacct/s);
      assert.match(ran.stderr, /--resume tune-512x512x512-/);
      slurm.order('');
      const id = path.basename(jobFolder(folder));
      const resumed = await run('tune', '--resume', id, '--json');
      assert.equal(resumed.code, 0, resumed.stderr);
      const local = summaryOf(await tune('--journal', 'local.jsonl'));
      assert.deepEqual(outcomeOf(summaryOf(resumed)), outcomeOf(local));
    }),
  );

  it(
    'detaches on Ctrl-C, attaches once, and is cancelled',
    onFake(async ({ folder, slurm, env, tune, run }) => {
      slurm.order('hold');
      const child = spawn(process.execPath, [CLI, ...TUNE, ...SLURM], {
        cwd: folder,
        env,
        stdio: 'pipe',
      });
      child.stdin.end(SPEC);
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const ended = new Promise<number | null>(resolve => child.once('close', resolve));
      while (!said.includes('pending')) await wait(50);
      child.kill('SIGINT');
      assert.equal(await ended, 130);
      assert.match(said, /4 pending \(Resources\)|7 pending \(Resources\)/);
      const id = path.basename(jobFolder(folder));
      assert.ok(id.startsWith(ID));
      const twice = await tune(...SLURM, '--detach');
      assert.equal(twice.code, 0, twice.stderr);
      assert.deepEqual(JSON.parse(twice.stdout), {
        job: id,
        folder: jobFolder(folder),
        ids: ['1000', '1001', '1002'],
      });
      const cancelled = await run('tune', '--cancel', '1001');
      assert.equal(cancelled.code, 0, cancelled.stderr);
      assert.deepEqual(slurm.cancelled(), ['1000', '1001', '1002']);
    }),
  );

  it(
    'follows the result although squeue fails',
    onFake(async ({ slurm, tune }) => {
      slurm.order('failing squeue');
      const ran = await tune(...SLURM);
      assert.equal(ran.code, 0, ran.stderr);
      assert.match(ran.stderr, /squeue does not report the tasks: .*Unable to contact/);
    }),
  );

  it('refuses options that would reach a script or do not apply', async () => {
    await inFolder(async folder => {
      const refused = async (...args: string[]): Promise<string> => {
        const ran = await cli(['tune', '-', ...args], SPEC, { cwd: folder });
        assert.equal(ran.code, 2, ran.stderr);
        return ran.stderr;
      };
      for (const value of ['gpu; touch pwned', 'a b', '$(id)', "'", '-x', 'a\n#SBATCH --uid=0'])
        assert.match(
          await refused('--slurm', `--partition=${value}`),
          /--partition: Expected names/,
        );
      assert.match(
        await refused('--slurm', '--time-limit', 'soon'),
        /--time-limit: Expected minutes/,
      );
      assert.match(await refused('--slurm', '--gres', 'gpu"'), /--gres: Expected/);
      assert.match(await refused('--slurm', '--gpu-type', 'h 100'), /--gpu-type to be a name/);
      assert.match(await refused('--slurm', '--tasks', '0'), /at least 1/);
      assert.match(await refused('--slurm', '--tasks', '1001'), /at most 1000/);
      assert.match(
        await refused('--slurm', '--gpus', '0,1'),
        /each Slurm task measures on one GPU/,
      );
      assert.match(await refused('--partition', 'gpu'), /add --slurm/);
      assert.match(await refused('--attach', 'a', '--cancel', 'b'), /exclude each other/);
      assert.match(await refused('--attach', '../../etc'), /No job/);
      assert.ok(!existsSync(path.join(folder, 'pwned')));
    });
  });

  it('reports a missing Slurm with the next step', async () => {
    await inFolder(async folder => {
      const env = { ...process.env, PATH: '/nowhere' };
      const ran = await cli(['tune', '-', '--slurm'], SPEC, { cwd: folder, env });
      assert.equal(ran.code, 3);
      assert.match(ran.stderr, /Slurm is not available: No sbatch on PATH\. Fix: .*login node/);
      assert.ok(!existsSync(path.join(folder, '.gemm')));
    });
  });
});

describe('audit --slurm (needs a C compiler on Linux)', function () {
  this.timeout(240_000);

  it(
    'has the verdicts of a local audit, and measures shapes of lost tasks',
    onFake(async ({ folder, run }) => {
      const audit = ['audit', 'shapes.csv', '--json'];
      const local = await run(...audit, '--journal', 'local.jsonl');
      const linesOf = ({ stdout }: Ran) =>
        stdout
          .trimEnd()
          .split('\n')
          .slice(0, -1)
          .map(line => JSON.parse(line) as { key: string; verdict: string; oursMs: number })
          .map(({ key, verdict, oursMs }) => ({ key, verdict, oursMs }))
          .sort((one, other) => (one.key < other.key ? -1 : 1));
      const ran = await run(...audit, '--slurm', '--tasks', '2');
      assert.equal(ran.code, 0, ran.stderr);
      assert.deepEqual(linesOf(ran), linesOf(local));
      const journals = path.join(jobFolder(folder), 'journals');
      rmSync(path.join(journals, readdirSync(journals)[0] ?? ''));
      const again = await run('audit', '--resume', path.basename(jobFolder(folder)), '--json');
      assert.equal(again.code, 0, again.stderr);
      assert.deepEqual(linesOf(again), linesOf(local));
    }),
  );
});
