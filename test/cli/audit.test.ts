/** `audit` as a process: on a fake GPU, killed and resumed, and without a GPU. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ShapeResult } from '../../src/core/audit/result';
import type { AuditSummary } from '../../src/core/audit/summary';
import { fakeMachine, type FakeMachine } from '../host/cuda/fakeMachine';
import { CLI, cli, inFolder, WITHOUT_TOOLS, type Ran } from './cli';

const LIST = [
  'm,n,k,dtype,layoutB,count',
  '512,512,512,f32,row,1',
  '256,512,1024,bf16,col,3',
  '1024,512,512,bf16,col,2',
  '256,512,1024,bf16,col,4',
  '512,512,512,f16,row,1',
  '384,512,512,f32,row,1',
  '512,x,512,f32,row,1',
  '',
].join('\n');
const SHAPES = 5;

interface Place {
  readonly fake: FakeMachine;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly journal: string;
  readonly list: string;
  readonly args: readonly string[];
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
      writeFileSync(at('shapes.csv'), LIST);
      const env = {
        ...process.env,
        CUDA_PATH: '',
        CUDA_HOME: '',
        PATH: `${folder}:${process.env['PATH'] ?? ''}`,
        XDG_CACHE_HOME: at('cache'),
      };
      const [journal, list] = [at('audit.jsonl'), at('shapes.csv')];
      const args = ['audit', list, '--journal', journal, '--time', '200'];
      const run: Place['run'] = (...more) => cli([...args, ...more], '', { env });
      await use({ fake, folder, env, journal, list, args, run });
    });
    if (absent.is) this.skip();
  };

interface Lines {
  readonly results: readonly ShapeResult[];
  readonly summary: AuditSummary;
}

function linesOf({ stdout, stderr }: Ran): Lines {
  const lines = stdout.trimEnd().split('\n');
  assert.ok(lines.at(-1)?.startsWith('{"summary":'), stderr);
  return {
    results: lines.slice(0, -1).map(line => JSON.parse(line) as ShapeResult),
    summary: (JSON.parse(lines.at(-1) ?? '') as Pick<Lines, 'summary'>).summary,
  };
}

interface Kept {
  readonly key: string;
  readonly batchMs: number;
}

/** Complete lines of a journal. */
const keptIn = (journal: string): readonly Kept[] =>
  existsSync(journal)
    ? readFileSync(journal, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line) as Kept)
    : [];

const races = (fake: FakeMachine): number =>
  fake.requests().filter(({ type }) => type === 'race').length;

describe('audit in the CLI, on a fake GPU (needs a C compiler on Linux)', function () {
  this.timeout(240_000);

  it(
    'measures each unique shape once, ranks by saved time, and writes page, results and specs',
    onFake(async ({ fake, folder, run, journal }) => {
      const out = path.join(folder, 'out');
      const ran = await run('--json', '--out', out);
      assert.equal(ran.code, 0, ran.stderr);
      const { results, summary } = linesOf(ran);
      assert.equal(results.length, SHAPES);
      assert.equal(races(fake), SHAPES);
      assert.equal(keptIn(journal).length, SHAPES);
      assert.equal(summary.ended, 'done');
      assert.equal(summary.counts.replace, SHAPES);
      const saved = summary.ranking.map(({ savedMs }) => savedMs ?? NaN);
      assert.deepEqual(
        saved,
        saved.toSorted((one, other) => other - one),
      );
      const shares = summary.ranking.map(({ share }) => share ?? NaN);
      assert.ok(Math.abs(shares.reduce((sum, one) => sum + one, 0) - 1) < 1e-9);
      const merged = results.find(({ places }) => places.length === 2);
      assert.equal(merged?.weight, 7);
      assert.ok((merged.ratio ?? 0) > 1.9 && (merged.ratio ?? 0) < 2.1, String(merged.ratio));
      // The second library was dropped after the qualifying rounds.
      assert.equal(merged.measurement?.baselines?.length, 1);
      assert.match(merged.measurement.message ?? '', /Slower than the other library: .*cublaslt/);
      assert.deepEqual(
        summary.issues.map(({ place }) => place),
        ['line 8'],
      );
      const page = readFileSync(path.join(out, 'audit.html'), 'utf8');
      assert.match(page, /<th scope="row">256 x 512 x 1024 bf16 rcr<\/th>/);
      const { results: written } = linesOf({
        ...ran,
        stdout: readFileSync(path.join(out, 'audit.jsonl'), 'utf8'),
      });
      assert.equal(written.length, SHAPES);
      const [first] = summary.ranking;
      const command = first?.next ?? '';
      assert.match(command, /^gemm-explorer export .*\.gemm\.json'? --to pytorch/);
      const spec = /specs\/(.+?\.gemm\.json)/.exec(command)?.[1] ?? '';
      const checked = await cli(['check', path.join(out, 'specs', spec), '--json']);
      assert.equal(
        (JSON.parse(checked.stdout) as { specKey: string }).specKey,
        path.parse(path.parse(spec).name).name,
      );

      const again = await run('--out', out);
      assert.equal(again.code, 0, again.stderr);
      assert.equal(races(fake), SHAPES, 'measured again');
      assert.match(
        again.stdout,
        /^shape +calls +share +ours ms +library ms +ratio +saved ms +verdict/m,
      );
      assert.match(again.stdout, /Lines without a shape: 1\n {2}line 8: /);
    }),
  );

  it(
    'continues after a kill, and repeats and loses no shape',
    onFake(async ({ fake, env, args, run, journal }) => {
      const child = spawn(process.execPath, [CLI, ...args, '--json', '--workers', '1'], {
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const said: string[] = [];
      await new Promise(resolve => {
        let text = '';
        child.stdout.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          const lines = text.split('\n');
          text = lines.pop() ?? '';
          said.push(...lines.filter(line => line.startsWith('{"key"')));
          if (said.length >= 2) child.kill('SIGKILL');
        });
        child.once('close', resolve);
      });
      const before = keptIn(journal).map(({ key }) => key);
      assert.ok(before.length >= 2 && before.length <= SHAPES, String(before.length));
      for (const line of said) assert.ok(before.includes((JSON.parse(line) as ShapeResult).key));
      const ran = await run('--json');
      assert.equal(ran.code, 0, ran.stderr);
      const { results, summary } = linesOf(ran);
      assert.equal(summary.ended, 'done');
      assert.equal(new Set(results.map(({ key }) => key)).size, SHAPES);
      const kept = keptIn(journal).map(({ key }) => key);
      assert.deepEqual(kept.slice(0, before.length), before);
      assert.equal(new Set(kept).size, kept.length, 'repeated');
      // The shape that was measured when the process was killed is measured again.
      assert.ok(races(fake) <= SHAPES + 1);
    }),
  );

  it(
    'ignores results of another GPU, compiler or kernel, and states why',
    onFake(async ({ env, args, run, journal, fake }) => {
      await run();
      const other = await cli([...args, '--json'], '', { env: { ...env, FAKE_UUID: 'other' } });
      assert.match(linesOf(other).summary.notes.join(), /Ignored 5 results of a different GPU/);
      const lines = readFileSync(journal, 'utf8').trimEnd().split('\n').slice(0, SHAPES);
      const changed = lines.map((line, i) =>
        i === 0
          ? line.replace('"compiler":"nvcc ', '"compiler":"nvcc old')
          : i === 1
            ? line.replace(/"driver":"[^"]*"/, '"driver":"1.0"')
            : i === 2
              ? line.replace(/"kernelKey":"/, '"kernelKey":"0')
              : line,
      );
      writeFileSync(journal, `${changed.join('\n')}\n{"audit":1,"proto`);
      const count = races(fake);
      const { summary } = linesOf(await run('--json'));
      const notes = summary.notes.join(' ');
      assert.match(notes, /1 results of a different compiler/);
      assert.match(notes, /1 results with a different driver version/);
      assert.match(notes, /1 results of kernels whose source has changed/);
      assert.match(notes, /The last journal line is truncated/);
      assert.equal(races(fake) - count, 3);
      assert.equal(summary.counts.replace, SHAPES);
      const fresh = linesOf(await run('--json', '--fresh'));
      assert.equal(races(fake) - count, 3 + SHAPES);
      assert.equal(fresh.results.length, SHAPES);
    }),
  );

  it(
    'reports an incorrect kernel without a time, and ends with exit code 1',
    onFake(async ({ run, fake }) => {
      fake.order('wrong');
      const ran = await run('--json');
      assert.equal(ran.code, 1, ran.stderr);
      const { results, summary } = linesOf(ran);
      assert.equal(summary.counts.failed, SHAPES);
      assert.ok(
        results.every(({ oursMs, why }) => oursMs === null && why?.startsWith('incorrect')),
      );
    }),
  );

  it(
    'stops at the time limit, and lists the shapes that are left',
    onFake(async ({ list, journal, env }) => {
      const args = ['audit', list, '--journal', journal, '--time', '1', '--json'];
      const ran = await cli(args, '', { env });
      assert.equal(ran.code, 1, ran.stderr);
      const { summary } = linesOf(ran);
      assert.equal(summary.ended, 'out-of-time');
      assert.equal(summary.counts['not-measured'] + summary.counts.replace, SHAPES);
      assert.ok(summary.counts['not-measured'] > 0);
    }),
  );

  it(
    'measures on several GPUs, each shape once',
    onFake(async ({ run, journal }) => {
      const ran = await run('--json', '--gpus', '0,1');
      assert.equal(ran.code, 0, ran.stderr);
      assert.deepEqual(linesOf(ran).summary.place.gpus, ['NVIDIA H200 (0)', 'NVIDIA H200 (1)']);
      const keys = keptIn(journal).map(({ key }) => key);
      assert.deepEqual([keys.length, new Set(keys).size], [SHAPES, SHAPES]);
    }),
  );

  it(
    'leaves other files unchanged: a foreign journal and an edited page',
    onFake(async ({ folder, run, journal }) => {
      writeFileSync(journal, 'my notes\n');
      const ran = await run();
      assert.equal(ran.code, 2, ran.stdout);
      assert.match(ran.stderr, /is not the journal of an audit; it was left unchanged/);
      assert.equal(readFileSync(journal, 'utf8'), 'my notes\n');
      const page = path.join(folder, 'audit.html');
      writeFileSync(page, '<p>mine</p>\n');
      const other = await run('--journal', path.join(folder, 'other.jsonl'), '--out', folder);
      assert.equal(other.code, 2, other.stdout);
      assert.equal(readFileSync(page, 'utf8'), '<p>mine</p>\n');
    }),
  );
});

describe('audit without a GPU', () => {
  const on = (text: string, ...more: string[]): Promise<Ran> =>
    cli(['audit', '-', ...more], text, { env: WITHOUT_TOOLS });

  it('names what is missing, and predicts only if asked', async () => {
    const ran = await on(LIST);
    assert.equal(ran.code, 3);
    assert.match(ran.stderr, /--predict predicts the times/);
    const predicted = await on(LIST, '--predict', '--json');
    assert.equal(predicted.code, 0, predicted.stderr);
    const { results, summary } = linesOf(predicted);
    assert.equal(summary.ended, 'predicted');
    assert.equal(summary.totals.libraryMs, 0);
    assert.ok(results.every(({ verdict, oursMs }) => verdict === 'predicted' && oursMs === null));
    const text = (await on(LIST, '--predict', '--device', 'h100-sxm')).stdout;
    assert.match(text, /on NVIDIA H100.*The times are predicted\. Nothing was measured\./);
  });

  it('names the file, the line and the error of a list that it cannot use', async () => {
    const bad = await on('GemmTunableOp_float_NN,nn_0_64_64\nGemmTunableOp_double');
    assert.equal(bad.code, 2);
    assert.match(bad.stderr, /Standard input has no shape that can be measured/);
    assert.match(bad.stderr, /line 1: Expected an operator/);
    assert.match(bad.stderr, /line 2: The last line has no line break/);
    const unknown = await on('hello');
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /line 1 is "hello"/);
    for (const wrong of [
      ['--predict', '--device', 'nothing'],
      ['--time', '0'],
      ['--workers', 'x'],
      ['--gpus', '-1'],
    ])
      assert.equal((await on(LIST, ...wrong)).code, 2, wrong.join(' '));
  });
});
