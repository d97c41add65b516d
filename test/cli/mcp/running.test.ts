/** Calls of the MCP server that run: on a fake GPU, with progress, cancellation and turns. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fakeMachine, type FakeMachine } from '../../host/cuda/fakeMachine';
import { fakeProgram, isRunning, leftOf, STUBBORN } from '../../host/support';
import { inFolder } from '../cli';
import { SPEC, withSession, type Session } from './session';

interface Place {
  readonly root: string;
  readonly tools: string;
}

/** A root folder, and a folder for programs outside of it. */
const placed = (use: (place: Place) => Promise<void>): Promise<void> =>
  inFolder(async folder => {
    const place = { root: path.join(folder, 'root'), tools: path.join(folder, 'tools') };
    mkdirSync(place.root);
    mkdirSync(place.tools);
    await use(place);
  });

/** Waits until these processes have ended, which takes a moment after the answer. */
async function end(pids: () => readonly number[]): Promise<void> {
  while ((await leftOf(pids())).length > 0);
}

const environment = (tools: string): NodeJS.ProcessEnv => ({
  ...process.env,
  CUDA_PATH: '',
  CUDA_HOME: '',
  PATH: `${tools}:${process.env['PATH'] ?? ''}`,
  XDG_CACHE_HOME: path.join(tools, 'cache'),
});

const onFake = (use: (fake: FakeMachine, session: Session, place: Place) => Promise<void>) =>
  async function (this: Mocha.Context): Promise<void> {
    this.timeout(90_000);
    const absent = { is: false };
    await placed(async place => {
      const fake = fakeMachine(place.tools);
      absent.is = fake === undefined;
      if (fake === undefined) return;
      const started = { cwd: place.root, args: ['--allow-run'], env: environment(place.tools) };
      await withSession(started, session => use(fake, session, place));
    });
    if (absent.is) this.skip();
  };

describe('calls that run, on a fake GPU (needs a C compiler on Linux)', () => {
  it(
    'time kernels together beside a library, and record them',
    onFake(async (_, { call }, { root }) => {
      const kernels = [{ spec: SPEC }, { spec: { ...SPEC, schedule: { algorithm: 'coalesced' } } }];
      const wanted = { kernels, backend: 'cuda', baselines: ['cublaslt-best'] };
      const { value, text } = await call('benchmark_kernels', wanted);
      const results = value['kernels'] as readonly {
        readonly outcome: string;
        readonly baselines: readonly unknown[];
        readonly recorded: string;
      }[];
      assert.deepEqual(
        results.map(({ outcome }) => outcome),
        ['correct', 'correct'],
        text,
      );
      for (const { recorded } of results) assert.ok(existsSync(path.join(root, recorded)));
      assert.equal((await call('read_runs', { backend: 'cuda' })).value['total'], 2);
      const compared = await call('compare_kernels', { kernels });
      assert.match(compared.text, /correct on NVIDIA H200 \(cuda\)/);
    }),
  );

  it(
    'report a wrong result as a result, and record nothing if told so',
    onFake(async (fake, { call }, { root }) => {
      fake.order('wrong');
      const wanted = { spec: SPEC, backend: 'cuda', record: false };
      const { value, isError, text } = await call('verify_kernel', wanted);
      assert.equal(isError, false);
      assert.equal(value['outcome'], 'incorrect', text);
      assert.match(text, /C\[3\]\[4\]/);
      assert.ok(!existsSync(path.join(root, '.gemm')));
    }),
  );

  it(
    'tune, write the winner and make it the default',
    onFake(async (fake, { call }, { root }) => {
      fake.order('varied');
      const lines: string[] = [];
      const wanted = {
        spec: { problem: { m: 2048, n: 2048, k: 2048 } },
        schedules: 4,
        out: 'best',
      };
      const { value, text } = await call(
        'tune_kernel',
        { ...wanted, adopt: true },
        { onprogress: ({ message = '' }) => lines.push(message) },
      );
      const { winner, written, spec } = value as {
        readonly winner: { readonly specKey: string } | null;
        readonly written: readonly string[];
        readonly spec: object;
      };
      assert.ok(winner !== null, text);
      assert.ok(written.includes('.gemm/dispatch.jsonl'), text);
      for (const file of written) assert.ok(existsSync(path.join(root, file)), file);
      assert.ok(
        lines.some(line => line.startsWith('tune: cuda')),
        lines.join('\n'),
      );
      assert.equal((await call('check_spec', { spec })).value['specKey'], winner.specKey);
    }),
  );

  it(
    'end their processes when they are cancelled, while the server lives on',
    onFake(async (fake, { call, pid }) => {
      fake.order('stubborn');
      for (const [name, args] of [
        ['verify_kernel', { spec: SPEC, backend: 'cuda' }],
        ['benchmark_kernels', { kernels: [{ spec: SPEC }], backend: 'cuda' }],
        ['tune_kernel', { spec: SPEC, backend: 'cuda', schedules: 2 }],
      ] as const) {
        const controller = new AbortController();
        const before = fake.requests().length;
        const calling = call(name, args, {
          signal: controller.signal,
          onprogress: () => {
            if (fake.requests().length > before) controller.abort();
          },
        });
        const poll = setInterval(() => {
          if (fake.requests().length > before) controller.abort();
        }, 20);
        await assert.rejects(calling);
        clearInterval(poll);
        await end(fake.pids);
        assert.ok(isRunning(pid), name);
      }
      fake.order('');
      const { value, text } = await call('verify_kernel', { spec: SPEC, backend: 'cuda' });
      assert.equal(value['outcome'], 'correct', text);
    }),
  );

  it(
    'wait for each other',
    onFake(async (_, { call }) => {
      const waited: string[] = [];
      const answers = await Promise.all(
        [1, 2, 3].map(() =>
          call(
            'verify_kernel',
            { spec: SPEC, backend: 'cuda' },
            { onprogress: ({ message = '' }) => waited.push(message) },
          ),
        ),
      );
      for (const { value } of answers) assert.equal(value['outcome'], 'correct');
      assert.equal(waited.filter(line => line === 'Waiting for an earlier call').length, 2);
    }),
  );

  it(
    'leave no process when the client goes away',
    onFake(async (fake, { call, client }) => {
      fake.order('stubborn');
      const calling = call('verify_kernel', { spec: SPEC, backend: 'cuda' });
      calling.catch(() => undefined);
      while (fake.requests().length === 0) await new Promise(resolve => setTimeout(resolve, 20));
      await client.close();
      await assert.rejects(calling);
      await end(fake.pids);
    }),
  );

  it('ends a compiler that ignores SIGTERM when its call is cancelled', async function () {
    if (process.platform === 'win32') return this.skip();
    this.timeout(60_000);
    await placed(async ({ root, tools }) => {
      const body = `if (args.includes('--version')) { console.log('g++ 12.0'); process.exit(0); }\n${STUBBORN}`;
      for (const name of ['g++', 'clang++', 'c++']) fakeProgram(tools, name, body);
      const env = { ...environment(tools), PATH: tools };
      await withSession({ cwd: root, args: ['--allow-run'], env }, async ({ call }) => {
        const controller = new AbortController();
        const poll = setInterval(() => {
          if (
            existsSync(path.join(tools, 'pids')) &&
            readFileSync(path.join(tools, 'pids'), 'utf8') !== ''
          )
            controller.abort();
        }, 20);
        const wanted = { spec: SPEC, backend: 'cpu' };
        await assert.rejects(call('verify_kernel', wanted, { signal: controller.signal }));
        clearInterval(poll);
        await end(() => readFileSync(path.join(tools, 'pids'), 'utf8').split(' ').map(Number));
      });
    });
  });
});
