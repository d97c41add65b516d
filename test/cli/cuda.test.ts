/** `bench`, `run` and `ceilings` on a GPU that is a fake speaking the runner's protocol. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as v from 'valibot';
import { measurementSchema } from '../../src/core/measure/measurement';
import { fakeMachine, type FakeMachine } from '../host/cuda/fakeMachine';
import { isRunning } from '../host/support';
import { cli, inFolder, jsonOf, spec, WITHOUT_TOOLS, type Ran } from './cli';

const onFake = (
  use: (
    fake: FakeMachine,
    run: (...args: string[]) => Promise<Ran>,
    folder: string,
  ) => Promise<void>,
) =>
  async function (this: Mocha.Context): Promise<void> {
    this.timeout(60_000);
    const absent = { is: false };
    await inFolder(async folder => {
      const fake = fakeMachine(folder);
      absent.is = fake === undefined;
      if (fake === undefined) return;
      const env = {
        ...process.env,
        CUDA_PATH: '',
        CUDA_HOME: '',
        PATH: `${folder}:${process.env['PATH'] ?? ''}`,
        XDG_CACHE_HOME: path.join(folder, 'cache'),
      };
      const run = (...args: string[]) =>
        cli(args, spec({ algorithm: 'naive' }), { env, cwd: folder });
      await use(fake, run, folder);
    });
    if (absent.is) this.skip();
  };

describe('the cuda backend in the CLI, on a fake GPU (needs a C compiler on Linux)', () => {
  it(
    'times beside the libraries asked for, and leaves no process',
    onFake(async (fake, run) => {
      const asked = ['bench', '-', '--backend', 'cuda', '--baseline', 'cublaslt-best,cublas'];
      const ran = await run(...asked, '--json');
      assert.equal(ran.code, 0, ran.stderr);
      const { outcome, baseline, baselines, timing } = v.parse(measurementSchema, jsonOf(ran));
      assert.deepEqual([outcome, baseline?.id, baselines?.length], ['correct', 'cublaslt-best', 2]);
      assert.equal(timing?.clocks?.smMinMHz, 1950);
      // It is killed as the CLI ends, which takes a moment.
      for (let i = 0; i < 40 && fake.pids().some(isRunning); i++) await wait(50);
      assert.deepEqual(fake.pids().filter(isRunning), []);
      const text = (await run(...asked)).stdout;
      assert.match(text, /clock +1970 MHz \(1950 to 1980\)/);
      assert.match(text, /power +600 W of 700 W/);
      assert.equal(text.match(/^baseline /gm)?.length, 2);
    }),
  );

  it(
    'measures the gain of a chapter, and shows it in the chapter from then on',
    onFake(async (_, run, folder) => {
      const measured = await run('learn', 'measure', 'coalescing');
      assert.equal(measured.code, 0, measured.stderr);
      assert.match(
        measured.stdout,
        /time model compares[\s\S]*The runs of this workspace measured/,
      );
      assert.equal(readdirSync(path.join(folder, '.gemm', 'runs')).length, 2);
      const shown = await run('learn', 'show', 'coalescing');
      assert.match(shown.stdout, /The runs of this workspace measured/);
    }),
  );

  it(
    'measures one after the other when two are started at once',
    onFake(async (fake, run) => {
      const both = await Promise.all([1, 2].map(() => run('bench', '-', '--backend', 'cuda')));
      assert.deepEqual(
        both.map(({ code }) => code),
        [0, 0],
      );
      assert.equal(fake.pids().length, 2);
    }),
  );

  it(
    'runs on the GPU asked for, with the compiler asked for, and refuses others',
    onFake(async (fake, run) => {
      const ran = await run('run', '-', '--backend', 'cuda', '--gpu', '1', '--compiler', 'nvrtc');
      assert.equal(ran.code, 0, ran.stderr);
      assert.deepEqual(
        fake.requests().map(({ type }) => type),
        ['compile', 'run'],
      );
      const none = await run('run', '-', '--backend', 'cuda', '--gpu', '7');
      assert.equal(none.code, 3);
      assert.match(none.stderr, /GPU 7 does not exist/);
      assert.equal((await run('run', '-', '--backend', 'cuda', '--gpu', 'one')).code, 2);
      const foreign = await run('run', '-', '--backend', 'simulate', '--gpu', '0');
      assert.deepEqual(
        [foreign.code, foreign.stderr.includes('only applies to the cuda backend')],
        [2, true],
      );
    }),
  );

  it(
    'measures ceilings anew, which timed runs then take',
    onFake(async (fake, run) => {
      const ran = await run('ceilings', '--json');
      assert.equal(ran.code, 0, ran.stderr);
      const { device, list } = jsonOf(ran) as { device: { uuid: string }; list: unknown[] };
      assert.match(device.uuid, /^GPU-fake-\w+$/);
      assert.equal(list.length, 4);
      assert.match((await run('ceilings')).stdout, /fma\.f32 +64700 +GFLOP\/s/);
      await run('bench', '-', '--backend', 'cuda');
      assert.deepEqual(
        fake.requests().map(({ type }) => type),
        ['ceilings', 'ceilings', 'run'],
      );
      fake.order('refuse');
      const refused = await run('ceilings');
      assert.deepEqual([refused.code, refused.stderr.includes('GPU is busy')], [3, true]);
    }),
  );

  it('reports what a machine without a GPU lacks', async () => {
    const ran = await cli(['ceilings'], '', { env: WITHOUT_TOOLS });
    assert.equal(ran.code, 3);
    assert.match(ran.stderr, /nvcc.*Install|nvidia-smi/);
  }).timeout(20_000);
});
