/**
 * The page's state: one readonly value, changed by `reduce` alone. Everything the views show beside it is
 * computed from it (derive.ts).
 */
import { machineOf } from '../src/core/analysis/roofline';
import type { Availability } from '../src/core/measure/backend';
import type { BackendId, Measurement } from '../src/core/measure/measurement';
import { decodeSpec } from '../src/core/spec/decode';
import type { GemmSpec, Target } from '../src/core/spec/schema';
import type { ToWebview } from '../src/protocol';
import { applyChanges, parseFieldText, type Changes } from './edit';

export type Mode = 'verify' | 'time';
export type Show = Extract<ToWebview, { type: 'show' }>;
export type Compiled = Extract<ToWebview, { type: 'compiled' }>;

/** Facts are of a kernel of one text, for one architecture. */
export const factsKey = (of: Pick<Compiled, 'sourceHash' | 'entry' | 'arch'>): string =>
  `${of.sourceHash} ${of.entry} ${of.arch}`;

/** Text in a number field that is being edited, or that is not a legal value. */
export interface Draft {
  readonly text: string;
  readonly error: string | null;
}

export interface Running {
  /** Null until whoever runs it has named it. */
  readonly id: string | null;
  readonly backend: BackendId | null;
  readonly mode: Mode | null;
  readonly stage: string;
  readonly fraction: number | null;
  readonly cancelling: boolean;
}

/** What a reload keeps. */
export interface ViewChoices {
  /** Language shown; null follows the device. */
  readonly target: Target | null;
  readonly backend: BackendId;
  /** Machine whose roofline is drawn; null is the device of the spec. */
  readonly machine: string | null;
}

export interface State {
  /** Null until the extension has sent one. */
  readonly spec: GemmSpec | null;
  readonly name: string;
  readonly drafts: Readonly<Record<string, Draft>>;
  /** Specs told to the extension, newest last: an echo of an older one is not a change. */
  readonly sent: readonly string[];
  readonly trusted: boolean;
  readonly backends: Show['backends'];
  readonly runs: readonly Measurement[];
  /** Runs that never left this page. */
  readonly localRuns: readonly Measurement[];
  /** By `factsKey`. */
  readonly compiled: Readonly<Record<string, Compiled>>;
  /** Null while the page still asks for an adapter. */
  readonly webgpu: Availability | null;
  readonly running: Running | null;
  readonly finishedId: string | null;
  readonly notice: string | null;
  /** Part to scroll to; a new object each time it is asked for. */
  readonly focus: { readonly part: NonNullable<Show['focus']> } | null;
  readonly view: ViewChoices;
}

export type Message =
  | { readonly type: 'received'; readonly message: ToWebview }
  | { readonly type: 'edit'; readonly path: string; readonly text: string; readonly bad?: boolean }
  | { readonly type: 'leave'; readonly path: string }
  /** Drops the text of a field, so that its value shows again. */
  | { readonly type: 'restore'; readonly path: string }
  | { readonly type: 'choose'; readonly changes: Changes }
  | { readonly type: 'settled' }
  | { readonly type: 'adapter'; readonly webgpu: Availability }
  | { readonly type: 'run'; readonly backend: BackendId; readonly mode: Mode }
  | { readonly type: 'cancel' }
  | {
      readonly type: 'stage';
      readonly id: string;
      readonly stage: string;
      readonly fraction?: number;
    }
  | { readonly type: 'measuredHere'; readonly id: string; readonly measurement: Measurement }
  | { readonly type: 'notice'; readonly text: string | null }
  | { readonly type: 'view'; readonly view: Partial<ViewChoices> };

export const INITIAL_VIEW: ViewChoices = { target: null, backend: 'webgpu', machine: null };

export const initialState = (view: ViewChoices = INITIAL_VIEW): State => ({
  spec: null,
  name: '',
  drafts: {},
  sent: [],
  trusted: false,
  backends: [],
  runs: [],
  localRuns: [],
  compiled: {},
  webgpu: null,
  running: null,
  finishedId: null,
  notice: null,
  focus: null,
  view,
});

const TARGET_OF: Readonly<Partial<Record<BackendId, Target>>> = { webgpu: 'wgsl', cuda: 'cuda' };

/** Enough to recognise the echoes of fast typing. */
const SENT_KEPT = 64;

export function reduce(state: State, message: Message): State {
  switch (message.type) {
    case 'received':
      return receive(state, message.message);
    case 'edit':
      return edit(state, message.path, message.text, message.bad === true);
    case 'leave':
      return state.drafts[message.path]?.error === null
        ? { ...state, drafts: without(state.drafts, path => path === message.path) }
        : state;
    case 'restore':
      return { ...state, drafts: without(state.drafts, path => path === message.path) };
    case 'choose':
      return choose(state, message.changes);
    /** Enough time has passed: what the extension shows from now on is no echo. */
    case 'settled':
      return state.sent.length === 0 ? state : { ...state, sent: [] };
    case 'adapter':
      return { ...state, webgpu: message.webgpu };
    case 'run': {
      if (state.running !== null) return state;
      const { backend, mode } = message;
      const running = { id: null, backend, mode, stage: 'Starting', fraction: null };
      // The result is of the kernel in the backend's language, so that one is shown.
      const target = TARGET_OF[backend];
      const view = target === undefined ? state.view : { ...state.view, target };
      return { ...state, view, notice: null, running: { ...running, cancelling: false } };
    }
    case 'cancel':
      return state.running === null
        ? state
        : { ...state, running: { ...state.running, stage: 'Cancelling', cancelling: true } };
    case 'stage':
      return progress(state, message.id, message.stage, message.fraction);
    case 'measuredHere':
      return {
        ...finished(state, message.id, message.measurement),
        localRuns: [...state.localRuns, message.measurement],
      };
    case 'notice':
      return { ...state, notice: message.text };
    case 'view':
      return { ...state, view: { ...state.view, ...message.view } };
  }
}

function receive(state: State, message: ToWebview): State {
  switch (message.type) {
    case 'show':
      return show(state, message);
    case 'progress':
      return progress(state, message.id, message.stage, message.fraction);
    case 'measured':
      if (message.id === state.finishedId) return state;
      return {
        ...finished(state, message.id, message.measurement),
        runs: [...state.runs, message.measurement],
      };
    case 'compiled':
      return { ...state, compiled: { ...state.compiled, [factsKey(message)]: message } };
    case 'runWebgpu': {
      const { id, mode } = message.job;
      const running = { id, backend: 'webgpu', mode, stage: 'Starting' } as const;
      return { ...state, running: { ...running, fraction: null, cancelling: false }, notice: null };
    }
    case 'cancel':
      return state.running?.id === message.id ? reduce(state, { type: 'cancel' }) : state;
    case 'failed':
      return failed(state, message.id, message.message);
  }
}

/** What is said of one run ends no other. */
function failed(state: State, id: string | undefined, notice: string): State {
  const own = state.running?.id ?? null;
  if (id !== undefined && (id === state.finishedId || (own !== null && own !== id))) return state;
  return { ...state, running: null, finishedId: id ?? state.finishedId, notice };
}

function show(state: State, message: Show): State {
  const { name, target, trusted, backends, runs, focus } = message;
  const turns = target !== undefined && name !== state.name;
  const shown = {
    ...state,
    view: turns ? { ...state.view, target } : state.view,
    name,
    trusted,
    backends,
    runs,
    focus: focus === undefined ? null : { part: focus },
  };
  const text = JSON.stringify(message.spec);
  const echoed = state.sent.lastIndexOf(text);
  if (echoed >= 0) return { ...shown, sent: state.sent.slice(echoed) };
  if (JSON.stringify(state.spec) === text) return shown;
  const decoded = decodeSpec(message.spec);
  if (!decoded.ok) return { ...shown, notice: decoded.errors.map(describe).join(' ') };
  return { ...shown, spec: decoded.spec, drafts: {}, sent: [] };
}

const describe = (error: { path: string; message: string }): string =>
  error.path === '' ? error.message : `${error.path}: ${error.message}`;

function edit(state: State, path: string, text: string, bad: boolean): State {
  if (state.spec === null) return state;
  const draft = (error: string | null) => ({ ...state.drafts, [path]: { text, error } });
  if (bad) return { ...state, drafts: draft('Must be a number.') };
  const decoded = applyChanges(state.spec, { [path]: parseFieldText(text) });
  if (decoded.ok) return { ...withSpec(state, decoded.spec), drafts: draft(null) };
  const own = decoded.errors.find(error => error.path === path);
  const [first] = decoded.errors;
  const error = own?.message ?? (first === undefined ? 'Not a legal value.' : describe(first));
  return { ...state, drafts: draft(error) };
}

function choose(state: State, changes: Changes): State {
  if (state.spec === null) return state;
  const decoded = applyChanges(state.spec, changes);
  if (!decoded.ok) return { ...state, notice: decoded.errors.map(describe).join(' ') };
  const paths = Object.keys(changes);
  const touched = (path: string) =>
    paths.some(changed => path === changed || path.startsWith(`${changed}.`));
  return { ...withSpec(state, decoded.spec), drafts: without(state.drafts, touched) };
}

function withSpec(state: State, spec: GemmSpec): State {
  const text = JSON.stringify(spec);
  if (text === JSON.stringify(state.spec)) return state;
  return { ...state, spec, notice: null, sent: [...state.sent, text].slice(-SENT_KEPT) };
}

function progress(state: State, id: string, stage: string, fraction: number | undefined): State {
  if (id === state.finishedId) return state;
  const { running } = state;
  if (running !== null && running.id !== null && running.id !== id) return state;
  const known = running ?? { backend: null, mode: null, cancelling: false };
  return {
    ...state,
    running: {
      ...known,
      id,
      stage: known.cancelling ? 'Cancelling' : stage,
      fraction: fraction ?? null,
    },
  };
}

/** A machine that has measured its own ceilings gets its own roofline, where its point stands. */
function finished(state: State, id: string, measurement: Measurement): State {
  const view =
    measurement.ceilings === undefined
      ? state.view
      : { ...state.view, machine: machineOf(measurement) };
  return { ...state, view, running: null, finishedId: id };
}

const without = (
  drafts: State['drafts'],
  matches: (path: string) => boolean,
): Readonly<Record<string, Draft>> =>
  Object.fromEntries(Object.entries(drafts).filter(([path]) => !matches(path)));

export interface Store {
  readonly state: () => State;
  readonly dispatch: (message: Message) => void;
}

/** Calls `changed` after every message that changed the state. */
export function createStore(
  initial: State,
  changed: (before: State, after: State, message: Message) => void,
): Store {
  let state = initial;
  return {
    state: () => state,
    dispatch: message => {
      const before = state;
      state = reduce(state, message);
      if (state !== before) changed(before, state, message);
    },
  };
}
