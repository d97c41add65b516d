/**
 * The runner's client with a fake that speaks the protocol: one request at a time, and nothing
 * believed that is no answer.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Body } from '../../../src/host/cuda/runner/protocol';
import {
  requestRunner,
  endRunners,
  type RunnerResult,
} from '../../../src/host/cuda/runner/runners';
import type { RequestOptions } from '../../../src/host/cuda/runner/session';
import { eachInHostileFolder, fakeProgram, isRunning, leftOf } from '../support';
import { fakeRunner, type FakeRunner, type Order } from './fakeRunner';

const CEILINGS: Body = { type: 'ceilings' };
const matrix = { dtype: 'f32', layout: 'row', ld: 64, batchStride: 4096 } as const;
const RUN: Body = {
  type: 'run',
  mode: 'time',
  seed: 1,
  cache: 'cold',
  cubin: '/k.cubin',
  workspaceBytes: 0,
  problem: {
    m: 64,
    n: 64,
    k: 64,
    batch: 1,
    alpha: 1,
    beta: 0,
    accumulator: 'f32',
    a: matrix,
    b: matrix,
    c: matrix,
  },
  bound: {
    gamma: 1e-6,
    outputRoundoff: 0,
    smallestSum: 0,
    smallestStored: 0,
    overflowSum: 3e38,
    overflowStored: 3e38,
    mayOverflow: false,
  },
  inputBits: { a: 24, b: 24, c: 24 },
  launches: [],
  baselines: [],
  tile: { m: 64, n: 64 },
};

describe('the runner of a GPU', function () {
  this.timeout(20_000);
  let fake: FakeRunner;
  let folder: string;
  eachInHostileFolder(path => {
    folder = path;
    fake = fakeRunner(path);
  });
  afterEach(async () => {
    await endRunners();
    assert.deepEqual(fake.pids().filter(isRunning), []);
  });

  const ask = (
    more: Partial<RequestOptions> & { readonly startMs?: number; readonly idleMs?: number } = {},
    body: Body = RUN,
  ): Promise<RunnerResult> => {
    const { startMs = 5000, idleMs = 5000, ...asked } = more;
    return requestRunner(
      { program: fake.program, gpu: 3, libraries: '/cuda/lib64', owner: 'test', startMs, idleMs },
      body,
      { signal: new AbortController().signal, deadlineMs: 5000, progress: () => 0, ...asked },
    );
  };
  const outcomeOf = (asked: RunnerResult): string => {
    if (!('answer' in asked)) return `not started: ${asked.why}`;
    const { answer } = asked;
    if (answer.type === 'lost') return `lost: ${answer.why}`;
    return answer.type === 'result' ? answer.outcome : answer.type;
  };
  const messageOf = (asked: RunnerResult): string => {
    if (!('answer' in asked)) return asked.message;
    return 'message' in asked.answer ? asked.answer.message : '';
  };

  it('is started once for many requests, one after the other, with progress', async () => {
    const stages: string[] = [];
    const progress: RequestOptions['progress'] = ({ stage, fraction }) => {
      stages.push(`${stage} ${fraction ?? ''}`.trim());
    };
    const all = await Promise.all([ask({ progress }), ask({}, CEILINGS), ask()]);
    assert.deepEqual(all.map(outcomeOf), ['correct', 'ceilings', 'correct']);
    assert.equal(fake.pids().length, 1);
    assert.deepEqual(stages, ['Starting the CUDA runner', 'verify 0.5']);
    assert.deepEqual(
      fake.requests().map(({ type }) => type),
      ['run', 'ceilings', 'run'],
    );
    const { readFileSync } = await import('node:fs');
    const told = JSON.parse(readFileSync(path.join(folder, 'arguments'), 'utf8')) as unknown;
    assert.deepEqual(told, ['--device', '3', '--libraries', '/cuda/lib64', '--watch-parent']);
  });

  it('has no ids that a kernel could guess', async () => {
    await ask();
    await ask();
    const ids = fake.requests().map(({ id }) => Number(id));
    assert.ok(ids.every(id => Number.isSafeInteger(id) && id > 0 && id < 2 ** 31));
    assert.notEqual(Math.abs((ids[0] ?? 0) - (ids[1] ?? 0)), 1);
  });

  const killed: readonly (readonly [Order, string, RegExp])[] = [
    ['hang', 'lost: timeout', /within 1 s/],
    ['stubborn', 'lost: timeout', /within 1 s/],
    ['endless flood', 'lost: timeout', /within 1 s/],
    ['endless progress', 'lost: timeout', /within 1 s/],
    ['wrong id', 'lost: timeout', /within 1 s/],
    ['crash', 'lost: crashed', /ended by SIGSEGV/],
    ['fault', 'launch-error', /cudaErrorIllegalAddress/],
    ['no samples', 'lost: unbelievable', /no elements were compared/],
    ['negative times', 'lost: unbelievable', /batchMs/],
    ['negative energy', 'lost: unbelievable', /energy\.watts/],
  ];
  for (const [order, outcome, message] of killed) {
    it(`ends one that does this: ${order}; the next request has a fresh one`, async () => {
      assert.equal(outcomeOf(await ask()), 'correct');
      fake.order(order);
      const answer = await ask({ deadlineMs: 1000 });
      assert.equal(outcomeOf(answer), outcome);
      assert.match(messageOf(answer), message);
      fake.order('');
      assert.equal(outcomeOf(await ask()), 'correct');
      assert.equal(fake.pids().length, 2);
      assert.deepEqual(fake.pids().filter(isRunning).length, 1);
    });
  }

  for (const order of ['flood', 'half a line', 'forge', 'twice'] as const) {
    it(`is not misled by lines of other origin: ${order}`, async () => {
      fake.order(order);
      assert.equal(outcomeOf(await ask()), 'correct');
      fake.order('');
      // Late answers come while this one is asked.
      assert.equal(outcomeOf(await ask({}, CEILINGS)), 'ceilings');
      await wait(150);
      assert.equal(outcomeOf(await ask()), 'correct');
      assert.equal(fake.pids().length, 1);
    });
  }

  it('goes on after a request that it could not carry out', async () => {
    fake.order('refuse request');
    const refused = await ask();
    assert.equal(outcomeOf(refused), 'failed');
    assert.match(messageOf(refused), /Choose smaller matrices/);
    fake.order('');
    assert.equal(outcomeOf(await ask()), 'correct');
    assert.equal(fake.pids().length, 1);
  });

  it('is started anew when it went away between two requests', async () => {
    fake.order('leave');
    assert.equal(outcomeOf(await ask()), 'correct');
    await wait(100);
    fake.order('');
    assert.equal(outcomeOf(await ask()), 'correct');
    assert.equal(fake.pids().length, 2);
  });

  it('asks a fresh one when the old one went away as it was asked', async () => {
    assert.equal(outcomeOf(await ask()), 'correct');
    fake.order('gone');
    assert.equal(outcomeOf(await ask()), 'correct');
    assert.equal(fake.pids().length, 2);
  });

  const starts: readonly (readonly [Order, string, RegExp, boolean])[] = [
    ['die', 'not started: crashed', /libcudart/, true],
    ['silent', 'not started: timeout', /within 1 s/, false],
    ['refuse', 'not started: unavailable', /GPU is busy/, false],
    ['lying greeting', 'not started: unbelievable', /multiprocessors/, true],
  ];
  for (const [order, outcome, message, broken] of starts) {
    it(`says why it did not start: ${order}`, async () => {
      fake.order(order);
      const asked = await ask({ startMs: 1000 });
      assert.equal(outcomeOf(asked), outcome);
      assert.match(messageOf(asked), message);
      assert.equal('broken' in asked && asked.broken, broken);
      fake.order('');
      assert.equal(outcomeOf(await ask()), 'correct');
    });
  }

  it('is ended by a cancel, which those behind it do not notice', async () => {
    fake.order('hang');
    const controller = new AbortController();
    const progress: RequestOptions['progress'] = ({ stage }) => {
      if (stage !== 'verify') return;
      fake.order('');
      controller.abort();
    };
    const waiting = new AbortController();
    const [first, second, third] = [
      ask({ signal: controller.signal, progress }),
      ask({ signal: waiting.signal }),
      ask(),
    ];
    waiting.abort();
    assert.equal(outcomeOf(await first), 'lost: cancelled');
    assert.equal(outcomeOf(await second), 'not started: cancelled');
    assert.equal(outcomeOf(await third), 'correct');
    assert.equal(fake.requests().length, 2);
  });

  for (const order of ['hang', 'endless flood', 'stubborn'] as const) {
    it(`leaves no fake behind when the tests themselves are killed: ${order}`, async () => {
      fake.order(order);
      const killed = fakeProgram(
        folder,
        'killed',
        `const child = require('node:child_process').spawn(args[0], [], { stdio: ['pipe', 'pipe', 'inherit'] });
        child.stdin.write('{"id":1,"type":"ceilings"}\\n');
        child.stdout.on('data', text => { if (String(text).includes('verify')) process.kill(process.pid, 'SIGKILL'); });`,
      );
      await assert.rejects(promisify(execFile)(killed, [fake.program]), { signal: 'SIGKILL' });
      assert.deepEqual(await leftOf(fake.pids()), []);
    });
  }

  it('keeps nothing of the progress that one repeats for ever', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    fake.order('endless progress');
    const first: WeakRef<object>[] = [];
    let kept = Infinity;
    let steps = 0;
    const progress = (step: object): void => {
      steps += 1;
      if (steps <= 100) first.push(new WeakRef(step));
      if (steps !== 20_000) return;
      collect();
      kept = first.filter(one => one.deref() !== undefined).length;
    };
    const answer = await ask({ deadlineMs: 8000, progress });
    assert.equal(outcomeOf(answer), 'lost: timeout');
    assert.ok(steps > 20_000, `${steps}`);
    assert.equal(kept, 0);
  });

  it('ends when nothing is asked for a while', async () => {
    await ask({ idleMs: 100 });
    await wait(600);
    assert.deepEqual(fake.pids().filter(isRunning), []);
    assert.equal(outcomeOf(await ask()), 'correct');
  });
});
