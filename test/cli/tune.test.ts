/**
 * `tune` as a process: on a fake GPU, killed and resumed, twice at once, and on what cannot be
 * tuned.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, utimesSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as v from 'valibot';
import { measurementSchema, type Measurement } from '../../src/core/measure/measurement';
import { familyOf } from '../../src/core/defaults/dispatch/adapterFamily';
import { resolveWithOrigin } from '../../src/core/defaults/resolve';
import type { TuneSummary } from '../../src/core/search/tune/events';
import { itWhole } from '../helpers/depth';
import { fakeMachine, type FakeMachine } from '../host/cuda/fakeMachine';
import { CLI, cli, found, inFolder, type Ran } from './cli';

const NUM_KILLS = 20;
const SPEC = JSON.stringify({ problem: { m: 512, n: 512, k: 512 }, targets: ['cuda'] });
const SPACE = JSON.stringify({
  algorithm: ['pipelined'],
  stages: [2, 3],
  'block.k': [8, 16],
  minBlocksPerSm: [null, 2],
  'block.m': [64, 128],
  'block.n': [64, 128],
});

interface Place {
  readonly fake: FakeMachine;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly journal: string;
  /** Of the CLI, with the space above. */
  readonly args: readonly string[];
  /** With the space above; more options may follow. */
  readonly run: (...args: string[]) => Promise<Ran>;
}

const onFake = (use: (place: Place) => Promise<void>) =>
  async function (this: Mocha.Context): Promise<void> {
    const absent = { is: false };
    await inFolder(async folder => {
      const fake = fakeMachine(folder);
      absent.is = fake === undefined;
      if (fake === undefined) return;
      const at = (name: string): string => path.join(folder, name);
      writeFileSync(at('space.json'), SPACE);
      fake.order('varied');
      const env = {
        ...process.env,
        CUDA_PATH: '',
        CUDA_HOME: '',
        PATH: `${folder}:${process.env['PATH'] ?? ''}`,
        XDG_CACHE_HOME: at('cache'),
      };
      const journal = at('tune.jsonl');
      const tuned = ['tune', '-', '--backend', 'cuda', '--space', at('space.json')];
      const args = [...tuned, '--journal', journal];
      const run: Place['run'] = (...more) => cli([...args, ...more], SPEC, { env });
      await use({ fake, folder, env, journal, args, run });
    });
    if (absent.is) this.skip();
  };

interface Lines {
  readonly measurements: readonly Measurement[];
  readonly summary: TuneSummary & { readonly written?: readonly string[] };
}

function linesOf({ stdout, stderr }: Ran): Lines {
  const lines = stdout.trimEnd().split('\n');
  assert.ok(lines.length > 0, stderr);
  return {
    measurements: lines.slice(0, -1).map(line => v.parse(measurementSchema, JSON.parse(line))),
    summary: JSON.parse(lines.at(-1) ?? '') as Lines['summary'],
  };
}

interface Kept {
  readonly effort: string;
  readonly gpu: string;
  readonly measurement: Measurement;
}
/** Lines of a journal, a torn one at its end left out. */
const keptIn = (journal: string): readonly Kept[] =>
  existsSync(journal)
    ? readFileSync(journal, 'utf8')
        .split('\n')
        .slice(0, -1)
        .flatMap(line => {
          try {
            return [JSON.parse(line) as Kept];
          } catch {
            return [];
          }
        })
    : [];
const keyOf = ({ effort, measurement }: Kept): string => `${measurement.kernelKey} ${effort}`;

describe('tune in the CLI, on a fake GPU (needs a C compiler on Linux)', function () {
  this.timeout(240_000);

  it(
    'prints one Measurement a line and then the summary, and writes the winner',
    onFake(async ({ fake, folder, run, journal }) => {
      const out = path.join(folder, 'winner');
      const ran = await run('--json', '--exhaustive', '--out', out, '--adopt', out);
      assert.equal(ran.code, 0, ran.stderr);
      const { measurements, summary } = linesOf(ran);
      assert.equal(summary.space.members, 32);
      assert.equal(summary.measuredCount, summary.space.legal);
      assert.equal(measurements.length, summary.measurements);
      const { winner, ties, others, place } = summary;
      assert.ok(winner !== null);
      assert.deepEqual(place.gpus, ['NVIDIA H200']);
      const fastest = Math.min(...[...ties, ...others].map(({ medianMs }) => medianMs));
      assert.equal(winner.medianMs, fastest);
      assert.equal(keptIn(journal).length, measurements.length);
      const [spec, kernel, rows] = summary.written ?? [];
      assert.equal(rows, path.join(out, '.gemm', 'dispatch.jsonl'));
      writeFileSync(path.join(out, 'plain.gemm.json'), SPEC);
      const plain = await cli(['check', path.join(out, 'plain.gemm.json'), '--json']);
      assert.equal((JSON.parse(plain.stdout) as { specKey: string }).specKey, winner.specKey);
      assert.deepEqual(
        [path.basename(spec ?? ''), path.basename(kernel ?? '')],
        [`${winner.specKey}.gemm.json`, `${winner.specKey}.cu`],
      );
      const checked = await cli(['check', spec ?? '', '--json']);
      assert.equal((JSON.parse(checked.stdout) as { specKey: string }).specKey, winner.specKey);
      assert.ok(fake.requests().every(({ mode }) => mode === 'time'));
      const text = (await run('--exhaustive')).stdout;
      assert.match(text, /^(best|tied) +[\d.]+ +\+- [\d.]+ %/m);
      assert.match(text, /0 new measurements; done\./);
    }),
  );

  itWhole(
    `survives ${NUM_KILLS} kills at random times, and loses and repeats nothing`,
    onFake(async ({ fake, env, journal, args, run }) => {
      const said: string[] = [];
      // The runner's program is made once, by whoever comes first.
      await cli(['bench', '-', '--backend', 'cuda'], SPEC, { env });
      const before = fake.requests().length;
      for (let kill = 0; kill < NUM_KILLS; kill++) {
        const child = spawn(process.execPath, [CLI, ...args, '--exhaustive', '--json'], {
          env,
          stdio: ['pipe', 'pipe', 'ignore'],
        });
        child.stdin.end(SPEC);
        let text = '';
        child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
        const ended = new Promise(resolve => child.once('close', resolve));
        await wait(300 + Math.random() * 700);
        child.kill('SIGKILL');
        await ended;
        const lines = text
          .split('\n')
          .slice(0, -1)
          .filter(line => !line.includes('"summary"'));
        said.push(...lines.map(line => (JSON.parse(line) as Measurement).kernelKey));
      }
      const known = keptIn(journal);
      for (const key of said) assert.ok(known.some(one => one.measurement.kernelKey === key));
      const last = await run('--json', '--exhaustive');
      assert.equal(last.code, 0, last.stderr);
      const { summary } = linesOf(last);
      assert.equal(summary.ended, 'done');
      assert.equal(summary.measuredCount, summary.space.legal);
      const kept = keptIn(journal);
      assert.equal(new Set(kept.map(keyOf)).size, kept.length, 'repeated');
      assert.equal(kept.length - known.length, summary.measurements);
      // What was asked for and not answered was in flight when its tune was killed: one each at
      // most.
      assert.ok(fake.requests().length - before <= kept.length + NUM_KILLS);
      const whole = await run('--json', '--exhaustive', '--fresh');
      const anew = linesOf(whole).summary;
      assert.deepEqual(
        [anew.winner?.specKey, anew.ties.map(({ specKey }) => specKey)],
        [summary.winner?.specKey, summary.ties.map(({ specKey }) => specKey)],
      );
    }),
  );

  it(
    'leaves aside what another GPU or another compiler measured, and a line that was cut short',
    onFake(async ({ env, args, run, journal }) => {
      await run('--budget', '6');
      const count = keptIn(journal).length;
      const other = { ...env, FAKE_UUID: 'other' };
      const ran = await cli([...args, '--budget', '6', '--json'], SPEC, { env: other });
      const { summary } = linesOf(ran);
      assert.equal(summary.measurements, count);
      assert.match(summary.notes.join(), new RegExp(`${count} results of a different GPU`));
      const lines = readFileSync(journal, 'utf8').split('\n');
      const changed = lines.map(line => line.replace('"compiler":"nvcc ', '"compiler":"nvcc old'));
      writeFileSync(journal, changed.join('\n'));
      appendFileSync(journal, '{"tune":1,"proto');
      const again = linesOf(await run('--json', '--budget', '6')).summary;
      assert.equal(again.measurements, count);
      assert.match(again.notes.join(), new RegExp(`${count} results of a different compiler`));
      assert.match(again.notes.join(), /The last journal line is truncated/);
      assert.equal(keptIn(journal).length, 3 * count);
      const known = linesOf(await run('--json', '--budget', '6')).summary;
      assert.equal(known.measurements, 0);
    }),
  );

  it(
    'refuses a journal that another tuning run is writing, and names the process',
    onFake(async ({ env, args, run, fake }) => {
      fake.order('hang');
      const first = spawn(process.execPath, [CLI, ...args], {
        env,
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      const ended = new Promise<number | null>(resolve => first.once('close', resolve));
      first.stdin.end(SPEC);
      while (fake.requests().length === 0) await wait(50);
      const second = await run();
      assert.equal(second.code, 3);
      assert.match(
        second.stderr,
        new RegExp(`Another tuning run \\(process ${first.pid}\\) is writing`),
      );
      first.kill('SIGINT');
      assert.equal(await ended, 130);
      fake.order('varied');
      assert.equal((await run()).code, 0);
    }),
  );

  it(
    'goes on after a kernel that faults, crashes the runner or is wrong',
    onFake(async ({ fake, run }) => {
      for (const order of ['fault', 'crash', 'wrong'] as const) {
        fake.order(order);
        const ran = await run('--json', '--fresh', '--budget', '3');
        assert.equal(ran.code, 1, ran.stderr);
        const { summary } = linesOf(ran);
        assert.equal(summary.ended, 'nothing');
        assert.equal(summary.failures.length, 3);
        const outcome = order === 'wrong' ? 'incorrect' : 'launch-error';
        assert.ok(summary.failures.every(one => one.outcome === outcome && one.why !== ''));
      }
    }),
  );

  itWhole(
    'adopts the winner although the time of a lock is in the future',
    onFake(async ({ folder, run }) => {
      const rows = path.join(folder, '.gemm', 'dispatch.jsonl');
      mkdirSync(path.dirname(rows));
      writeFileSync(`${rows}.lock`, '');
      utimesSync(`${rows}.lock`, 4e9, 4e9);
      const ran = await run('--budget', '2', '--adopt', folder);
      assert.equal(ran.code, 0, ran.stderr);
      assert.ok(existsSync(rows) && !existsSync(`${rows}.lock`));
    }),
  );

  it(
    'shares the work of two GPUs',
    onFake(async ({ run, journal }) => {
      const ran = await run('--json', '--budget', '8', '--gpus', '0,1');
      // Both are the same one here, by their number: what is measured by one is known of the other.
      assert.equal(ran.code, 0, ran.stderr);
      const { summary } = linesOf(ran);
      assert.deepEqual(summary.place.gpus, ['NVIDIA H200 (0)', 'NVIDIA H200 (1)']);
      assert.equal(summary.winner?.gpu, 'NVIDIA H200 (0)');
      assert.ok(keptIn(journal).length > 8);
    }),
  );
});

describe('tune on Dawn (needs a WebGPU adapter)', function () {
  this.timeout(120_000);

  itWhole('measures WGSL, saves the measurements and resumes', async function () {
    if (!(await found('webgpu'))) return this.skip();
    await inFolder(async folder => {
      const journal = path.join(folder, 'tune.jsonl');
      const given = JSON.stringify({ problem: { m: 64, n: 64, k: 32 } });
      const args = ['tune', '-', '--backend', 'webgpu', '--budget', '3', '--journal', journal];
      const ran = await cli([...args, '--json'], given);
      assert.ok(ran.code === 0 || ran.code === 1, ran.stderr);
      const { measurements, summary } = linesOf(ran);
      assert.deepEqual([summary.ended, summary.measuredCount], ['done', 3]);
      assert.ok(
        measurements.every(({ backend, outcome }) => backend + outcome === 'webgpucorrect'),
      );
      assert.equal(summary.place.target, 'wgsl');
      // The adapter's default comes first, where its family has one.
      const [first] = measurements;
      const family = familyOf(first?.device.adapter ?? '');
      const problem = { m: 64, n: 64, k: 32 };
      const { found: suits } = resolveWithOrigin({ problem }, undefined, family && { family });
      if (suits !== null) assert.deepEqual(first?.resolved?.schedule, suits.schedule);
      assert.equal(keptIn(journal).length, measurements.length);
      const again = linesOf(await cli([...args, '--json'], given)).summary;
      assert.deepEqual([again.measurements, again.ties], [0, summary.ties]);
    });
  });
});
