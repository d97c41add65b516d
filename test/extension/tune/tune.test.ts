/**
 * Tune* without VS Code: its journal in the workspace, on a fake GPU; what is told, and in which
 * words.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { resolve } from '../../../src/core/defaults/resolve';
import type { TuneEvent, TuneResult, TuneSummary } from '../../../src/core/search/tune/events';
import {
  shownTune,
  tuneSubject,
  type TuneContextFields,
} from '../../../src/core/search/tune/shown';
import { NOT_STARTED, type TuneState } from '../../../src/core/search/tune/state';
import { tuneInWorkspace, type WorkspaceTune } from '../../../src/extension/node/tune';
import { createProgressThrottle } from '../../../src/extension/tune/progressThrottle';
import { endText, progressText } from '../../../src/extension/tune/texts';
import { inFolder } from '../../cli/cli';
import { itWhole } from '../../helpers/depth';
import { fakeMachine } from '../../host/cuda/fakeMachine';

const spec = resolve({ problem: { m: 512, n: 512, k: 512 }, targets: ['cuda'] });

describe('a tune of a workspace', () => {
  const wanted = (root: string, more: Partial<WorkspaceTune> = {}): WorkspaceTune => ({
    spec,
    backend: 'cuda',
    gpus: [0],
    where: 'test',
    dawn: { worker: 'none' },
    root,
    ...more,
  });
  const context = (say: (event: TuneEvent) => void, abort: AbortSignal) => ({
    say,
    abort,
    progress: () => undefined,
  });

  itWhole('saves measurements in .gemm/tune and resumes after cancellation', async function () {
    this.timeout(120_000);
    const absent = { is: false };
    await inFolder(async folder => {
      const fake = fakeMachine(folder);
      absent.is = fake === undefined;
      if (fake === undefined) return;
      fake.order('varied');
      const root = path.join(folder, 'workspace');
      mkdirSync(root);
      const search = { environment: { ...process.env, ...fake.environment } };
      const cuda = { search, cacheFolder: path.join(folder, 'cache') };
      const run = async (most: number) => {
        const abort = new AbortController();
        const events: TuneEvent[] = [];
        const say = (event: TuneEvent): void => {
          events.push(event);
          const made = events.filter(one => one.type === 'measured' && !one.kept);
          if (made.length >= most) abort.abort();
        };
        const ended = await tuneInWorkspace(wanted(root, { cuda }), context(say, abort.signal));
        assert.ok(ended.ok, JSON.stringify(ended));
        return { events, summary: ended.summary };
      };
      const first = await run(3);
      assert.equal(first.summary.ended, 'cancelled');
      const [name = '', ...others] = readdirSync(path.join(root, '.gemm', 'tune'));
      assert.match(name, /^cuda-512x512x512-[0-9a-f]{8}\.jsonl$/);
      assert.deepEqual(others, []);
      const text = readFileSync(path.join(root, '.gemm', 'tune', name), 'utf8');
      const lines = text.trimEnd().split('\n').length;
      assert.ok(lines >= 3, String(lines));
      const second = await run(1);
      const [started] = second.events;
      assert.ok(started?.type === 'started');
      assert.equal(started.kept, lines, 'every measurement of the first is known');
    });
    if (absent.is) this.skip();
  });

  it('never writes through a link that leads outside the workspace', async () => {
    await inFolder(async folder => {
      const [root, elsewhere] = [path.join(folder, 'root'), path.join(folder, 'elsewhere')];
      mkdirSync(root);
      mkdirSync(elsewhere);
      symlinkSync(elsewhere, path.join(root, '.gemm'));
      const never = context(() => undefined, new AbortController().signal);
      const ended = await tuneInWorkspace(wanted(root), never);
      assert.ok(!ended.ok);
      assert.match(ended.message, /is outside/);
      assert.deepEqual(readdirSync(elsewhere), []);
    });
  });
});

describe('progress of a tune', () => {
  const place = { backend: 'cuda', target: 'cuda', device: 'h200', gpus: ['fake'] } as const;
  const { problem, schedule } = spec;
  const time = { medianMs: 1, tflops: 41.234, errorPercent: 0.512, timerPercent: 0.1, gpu: 'fake' };
  const events: readonly TuneEvent[] = [
    { type: 'started', problem, place, order: { by: 'model', text: '' }, kept: 0 },
    {
      type: 'counted',
      space: { members: 5000, walked: 5000, legal: 4000 },
      budget: { schedules: 200 },
    },
    {
      type: 'tried',
      candidate: { specKey: 'a', schedule, predictedTflops: 40, from: 'rank' },
    },
    { type: 'measured', specKey: 'a', effort: 'quick', time, kept: false },
    { type: 'clock', elapsedMs: 2000, leftMs: 61_400 },
  ];

  it('is published a few times per second and completely at the end', async () => {
    const told: TuneState[] = [];
    const teller = createProgressThrottle(state => told.push(state), 20);
    for (const event of events.slice(0, 3)) teller.say(event);
    assert.equal(told.length, 0);
    await new Promise(after => setTimeout(after, 60));
    assert.equal(told.length, 1, 'three events are told at once');
    for (const event of events.slice(3)) teller.say(event);
    teller.flush();
    teller.flush();
    assert.equal(told.length, 2);
    const last = told.at(-1);
    assert.equal(last?.best, 'a');
    assert.equal(last.leftMs, 61_400);
  });

  it('reports progress, and the best schedule with its error', () => {
    const around: TuneContextFields = {
      subject: tuneSubject(spec, 'cuda'),
      of: '',
      stage: 'running',
      words: 'Looking for nvcc',
      adopted: false,
    };
    assert.equal(progressText(shownTune(NOT_STARTED, around)), 'Looking for nvcc');
    let state = NOT_STARTED;
    const teller = createProgressThrottle(told => (state = told));
    for (const event of events) teller.say(event);
    teller.flush();
    const text = progressText(shownTune(state, around));
    assert.equal(text, '1 of 200, best 41.2 TFLOP/s ± 0.51 %, about 62 s left');
  });

  it('summarizes the winner, ties, coverage and how to resume', () => {
    const winner: TuneResult = {
      ...time,
      specKey: 'a',
      kernelKey: '',
      schedule,
      effort: 'full',
      predictedTflops: 40,
    };
    const summary: TuneSummary = {
      type: 'summary',
      problem,
      place,
      measuredOn: null,
      ended: 'done',
      winner,
      ties: [winner, { ...winner, specKey: 'b' }],
      others: [],
      measuredCount: 200,
      space: { members: 5000, walked: 5000, legal: 4000 },
      measuredShare: 0.05,
      measurements: 240,
      failures: [],
      elapsedMs: 1,
      notes: ['Not ranked: why.'],
    };
    assert.equal(
      endText('512 x 512', summary),
      'Best 41.2 TFLOP/s ± 0.51 % with a (512 x 512). One other schedule is statistically tied. 200 of 4,000 legal schedules measured (5 %).',
    );
    assert.match(endText('x', { ...summary, ended: 'cancelled' }), /run Tune again to resume/);
    const none = { ...summary, winner: null, ties: [] };
    assert.match(endText('x', none), /^Not ranked: why\. 200 of 4,000.*\(x\)$/);
  });
});
