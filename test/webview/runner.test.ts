/** Runs that are requested by the page and cancelled before they start. */
import assert from 'node:assert/strict';
import type { FromWebview } from '../../src/protocol';
import type { Environment } from '../../src/webgpu/environment';
import { createRunner } from '../../webview/runner';
import { initialState, type Message, type State } from '../../webview/state';
import { reduce } from '../../webview/store';

const environment: Environment = {
  gpu: undefined,
  now: () => 0,
  after: () => () => undefined,
  visible: () => true,
  onHidden: () => () => undefined,
  losses: { count: 0 },
  robustness: 'on',
  submitMs: 1000,
  where: 'webview',
  advice: { noApi: '', noAdapter: '', restart: '' },
  ceilings: new Map(),
};

const never = (): never => assert.fail('Nothing runs here.');
const NONE = { webgpu: never, simulate: never };

function page() {
  const posted: FromWebview[] = [];
  let state: State = initialState();
  const runner = createRunner(dispatch, message => posted.push(message), environment, NONE);
  function dispatch(message: Message): void {
    const before = state;
    state = reduce(state, message);
    if (state !== before) runner.perform(message, before, () => null);
  }
  return { posted, dispatch, state: () => state };
}

const received = (message: Extract<Message, { type: 'received' }>['message']): Message => ({
  type: 'received',
  message,
});
const job = { id: 'job-1', mode: 'verify', seed: 1, source: 'fn f() {}', spec: null } as const;

describe('explorer: a run cancelled while waiting', () => {
  it('is cancelled by its id once assigned', () => {
    const { posted, dispatch, state } = page();
    dispatch({ type: 'run', backend: 'cuda', mode: 'verify' });
    dispatch({ type: 'cancel' });
    assert.deepEqual(
      posted.map(({ type }) => type),
      ['run'],
    );
    dispatch(received({ type: 'progress', id: 'job-1', stage: 'Waiting' }));
    assert.deepEqual(posted.at(-1), { type: 'cancelRun', id: 'job-1' });
    assert.equal(state().running?.stage, 'Cancelling');
    dispatch(received({ type: 'progress', id: 'job-1', stage: 'Waiting' }));
    assert.equal(posted.length, 2, 'once');
    dispatch(received({ type: 'failed', id: 'job-1', message: 'Cancelled while waiting.' }));
    assert.equal(state().running, null);
  });

  it('does not start in the page', () => {
    const { posted, dispatch, state } = page();
    dispatch({ type: 'run', backend: 'webgpu', mode: 'verify' });
    dispatch({ type: 'cancel' });
    dispatch(received({ type: 'runWebgpu', job }));
    const answer = posted.at(-1);
    assert.ok(answer?.type === 'measured');
    assert.deepEqual([answer.id, answer.measurement.outcome], ['job-1', 'cancelled']);
    assert.equal(state().running, null);
  });
});

describe('explorer: a failed run', () => {
  it('does not end another run', () => {
    const { dispatch, state } = page();
    dispatch(received({ type: 'progress', id: 'job-1', stage: 'Timing' }));
    dispatch(received({ type: 'failed', id: 'job-0', message: 'Cancelled.' }));
    assert.equal(state().running?.id, 'job-1');
  });
});
