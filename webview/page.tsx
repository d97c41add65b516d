/** The interactive page: decodes messages, renders the state and performs side effects. */
import { render } from 'preact';
import { decodeToWebview, type FromWebview } from '../src/protocol';
import { renderAtOnce } from './afterPaint';
import { derive, type Derived } from './derive';
import { createKeepFocus } from './keepFocus';
import { listenForSteps } from './keys';
import { useDisplayLanguage } from './language';
import { loadParts } from './parts';
import { createRunner } from './runner';
import { simulateInWorker } from './simulator';
import { initialState, type Message, type State } from './state';
import { createStore } from './store';
import { App } from './views/app';
import { pageEnvironment } from './webgpu';
import { createWgslCheck } from './wgslCheck';
import { acquireApi, readSaved, SAVED, toSaved } from './vscode';

useDisplayLanguage();
const api = acquireApi();
const post = (message: FromWebview): void => {
  api.postMessage(message);
};

const saved = readSaved(api.getState());
const store = createStore({ ...initialState(saved.view), ...saved }, changed);
const dispatch = (message: Message): void => {
  store.dispatch(message);
};
const env = pageEnvironment();
const runner = createRunner(dispatch, post, env, {
  webgpu: async (request, context) => (await loadParts()).runOnWebgpu(env, request, context),
  simulate: simulateInWorker,
});
const checkWgsl = createWgslCheck(post, env.gpu);

/** Typing pause in milliseconds that ends an undo step. */
const PAUSE_MS = 700;
let pausing: ReturnType<typeof setTimeout> | undefined;

function changed(before: State, after: State, message: Message): void {
  const ours = message.type !== 'received';
  schedulePaint(ours ? 'now' : 'frame');
  if (ours && after.spec !== null && after.spec !== before.spec) {
    clearTimeout(pausing);
    pausing = setTimeout(() => {
      dispatch({ type: 'pause' });
    }, PAUSE_MS);
  }
  reportEdit(before, after);
  if (SAVED.some(key => after[key] !== before[key])) api.setState(toSaved(after));
  runner.perform(message, before, () => derivedOf(after));
}

/**
 * Reports each edit to the extension. An edit before the first `show` is reported after that
 * `show`.
 */
function reportEdit(before: State, { spec, order }: State): void {
  const { edit, editedOn } = order;
  const isNew = edit !== before.order.edit || editedOn !== before.order.editedOn;
  if (spec !== null && isNew && editedOn > 0)
    post({ type: 'changeSpec', spec, edit, revision: editedOn });
}

let last: { readonly state: State; readonly derived: Derived | null } | undefined;

function derivedOf(state: State): Derived | null {
  if (last?.state === state) return last.derived;
  const old = last;
  const same =
    old !== undefined &&
    (['spec', 'runs', 'localRuns', 'compiled', 'view'] as const).every(
      key => old.state[key] === state[key],
    );
  const { spec } = state;
  const derived = same
    ? old.derived
    : spec === null
      ? null
      : timed(() => derive({ ...state, spec }));
  last = { state, derived };
  return derived;
}

/**
 * Runs `work` and records its time as a performance measure, for DevTools and
 * bench/src/measureExplorer.
 */
function timed<T>(work: () => T): T {
  const start = performance.now();
  const result = work();
  performance.measure('derive', { start });
  performance.clearMeasures('derive');
  return result;
}

const root = document.getElementById('root');
const keepFocus = createKeepFocus();
/** Maximum time in milliseconds that a message waits for a frame. */
const HIDDEN_MS = 100;
let due: 'now' | 'frame' | null = null;

/** Schedules a render: in a microtask for user actions, once per frame for messages. */
function schedulePaint(when: 'now' | 'frame'): void {
  if (due === 'now' || due === when) return;
  due = when;
  const act = (): void => {
    if (due === null) return;
    due = null;
    paint();
  };
  if (when === 'now') {
    queueMicrotask(act);
    return;
  }
  requestAnimationFrame(act);
  // A hidden page receives no frames, and must not show outdated figures when it reappears.
  setTimeout(act, HIDDEN_MS);
}

let firstFrame = document.getElementById('first-frame');
let partsSettled = firstFrame === null;

function paint(): void {
  if (root === null) return;
  const state = store.state();
  const derived = derivedOf(state);
  const draw = (): void => {
    render(<App {...{ state, derived, dispatch, post, keepFocus }} />, root);
  };
  if (firstFrame === null) draw();
  // The first frame stays until the page can show at least as much.
  else {
    if (derived === null || !partsSettled) return;
    firstFrame.remove();
    firstFrame = null;
    renderAtOnce(draw);
  }
  keepFocus();
}

window.addEventListener('message', (event: MessageEvent<unknown>) => {
  const decoded = decodeToWebview(event.data);
  if (decoded.ok && decoded.message.type === 'checkWgsl') checkWgsl(decoded.message);
  else if (decoded.ok) dispatch({ type: 'received', message: decoded.message });
  else post({ type: 'log', text: `Dropped a message: ${decoded.reason}` });
});

listenForSteps(dispatch);
if (firstFrame !== null)
  void loadParts()
    // The views that need the failed bundle show the reason.
    .catch(() => undefined)
    .then(() => {
      partsSettled = true;
      schedulePaint('now');
    });
paint();
post({ type: 'ready' });
runner.probe();
