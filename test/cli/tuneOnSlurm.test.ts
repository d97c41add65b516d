/** `tune --slurm` and `audit --slurm`, from the submission to the result. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CLI, cli, inFolder, type Ran } from './cli';
import { jobFolder, onFake, outcomeOf, SLURM, SPEC, summaryOf, TUNE } from './onSlurm';

const ID = 'tune-512x512x512-';

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
