/** The host's side of a run in the page: what the page may say, and how it is cancelled. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emit } from '../../../src/core/kernel/emit';
import { hashText } from '../../../src/core/text/hash';
import { NOT_VERIFIED, type Measurement } from '../../../src/core/measure/measurement';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { runInPage, type PageRun, type RunPage } from '../../../src/extension/toolchain/pageRun';
import type { FromWebview, ToWebview } from '../../../src/protocol';

const planned = plan(resolve({ problem: { m: 64, n: 64, k: 64 } }), 'wgsl');
assert.ok(planned.ok);
const kernel = emit(planned.plan);

const answer: Measurement = {
  specKey: '../../elsewhere',
  kernelKey: 'x',
  sourceHash: hashText('other'),
  resolved: null,
  device: { name: 'GPU', adapter: 'GPU adapter', driver: '1', where: 'webview' },
  backend: 'cuda',
  outcome: 'incorrect',
  verification: { ...NOT_VERIFIED, mismatches: 1 },
};

type Listener = (message: FromWebview) => void;

function fakePage() {
  const posted: ToWebview[] = [];
  const listeners: Listener[] = [];
  const none: RunPage['onHidden'] = () => ({ dispose: () => undefined });
  const page: RunPage = {
    post: message => posted.push(message),
    onMessage: (listener: Listener) => {
      listeners.push(listener);
      return { dispose: () => undefined };
    },
    onHidden: none,
  };
  const say = (message: FromWebview): void => {
    for (const listener of listeners) listener(message);
  };
  return { posted, page, say };
}

const runOf = (page: RunPage, abort: AbortSignal, over: Partial<PageRun> = {}): PageRun => ({
  id: 'r1',
  runnable: kernel,
  mode: 'verify',
  seed: 1,
  limitMs: 60_000,
  abort,
  report: () => undefined,
  openPage: () => Promise.resolve(page),
  ...over,
});

describe('a run in the page', () => {
  it('keeps what the page measured, and what the host knows of the kernel', async () => {
    const { page, posted, say } = fakePage();
    const result = runInPage(runOf(page, new AbortController().signal));
    await new Promise(setImmediate);
    assert.equal(posted[0]?.type, 'runWebgpu');
    say({ type: 'measured', id: 'other', measurement: { ...answer, outcome: 'timeout' } });
    say({ type: 'measured', id: 'r1', measurement: answer });
    assert.deepEqual(await result, {
      ...answer,
      specKey: kernel.specKey,
      sourceHash: hashText(kernel.source),
      backend: 'webgpu',
      resolved: kernel.spec,
    });
  });

  it('that is cancelled while the explorer opens does not begin', async () => {
    const { page, posted } = fakePage();
    const controller = new AbortController();
    const openPage = (): Promise<RunPage> => {
      controller.abort();
      return Promise.resolve(page);
    };
    const { outcome } = await runInPage(runOf(page, controller.signal, { openPage }));
    assert.equal(outcome, 'cancelled');
    assert.deepEqual(posted, []);
  });

  it('tells the page to stop when it is cancelled', async () => {
    const { page, posted, say } = fakePage();
    const controller = new AbortController();
    const result = runInPage(runOf(page, controller.signal));
    await new Promise(setImmediate);
    controller.abort();
    assert.deepEqual(posted.at(-1), { type: 'cancel', id: 'r1' });
    say({ type: 'measured', id: 'r1', measurement: { ...answer, outcome: 'cancelled' } });
    assert.equal((await result).outcome, 'cancelled');
  });

  it('ends with its own answer alone, whatever else the page says, and in whatever order', async () => {
    const ids = fc.constantFrom('r1', 'r0', 'other');
    const said: fc.Arbitrary<FromWebview> = fc.oneof(
      fc.record({ type: fc.constant('progress' as const), id: ids, stage: fc.string() }),
      fc.record({
        type: fc.constant('measured' as const),
        id: ids,
        measurement: fc
          .constantFrom<Measurement['outcome']>('incorrect', 'timeout', 'cancelled')
          .map(outcome => ({ ...answer, outcome })),
      }),
      fc.constantFrom<FromWebview>(
        { type: 'ready' },
        { type: 'log', text: 'x' },
        { type: 'adapter', adapter: null },
        { type: 'cancelRun', id: 'r0' },
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(said, { maxLength: 30 }), async messages => {
        const { page, say } = fakePage();
        const stages: string[] = [];
        const report = ({ stage }: { readonly stage: string }) => stages.push(stage);
        const result = runInPage(runOf(page, new AbortController().signal, { report }));
        await new Promise(setImmediate);
        const last: FromWebview = { type: 'measured', id: 'r1', measurement: answer };
        for (const message of [...messages, last, ...messages]) say(message);
        const first = [...messages, last].find(
          message => message.type === 'measured' && message.id === 'r1',
        );
        assert.ok(first?.type === 'measured');
        const { outcome, specKey, sourceHash, backend } = await result;
        assert.equal(outcome, first.measurement.outcome);
        assert.deepEqual(
          [specKey, sourceHash, backend],
          [kernel.specKey, hashText(kernel.source), 'webgpu'],
        );
        const own = messages.filter(message => message.type === 'progress' && message.id === 'r1');
        assert.ok(stages.length - 1 <= 2 * own.length, 'progress of other runs is not reported');
      }),
    );
  });
});
