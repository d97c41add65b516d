/**
 * Store of the page state, which changes only through the pure function `reduce`. derive.ts
 * computes all other values of the views.
 */
import { t } from '@vscode/l10n';
import type { GemmSpec } from '../src/core/spec/schema';
import { TARGET_OF } from './ability';
import { resolvedOf } from './derive';
import { applyChanges, describe, parseFieldText, type Changes } from './edit';
import { cancelling, finished, progress, receive } from './receive';
import { formatNumber } from './format';
import { record, redo, seal, undo, type Pinned, type Stepped } from './history';
import type { Draft, Message, State } from './state';

/** Maximum length of a draft in characters, so that a pasted file is not stored. */
const MAX_DRAFT_CHARACTERS = 60;
const tooLong = (text: string): string =>
  t('Expected a number, got {0} characters of text.', formatNumber(text.length));

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
    case 'pause':
      return { ...state, history: seal(state.history) };
    case 'undo':
      return undone(state);
    case 'redo':
      return moved(state, at => redo(state.history, at));
    case 'pin':
      return state.spec === null
        ? state
        : { ...state, pinned: { spec: state.spec, name: state.name } };
    case 'unpin':
      return { ...state, pinned: null };
    case 'swap':
      return swapped(state);
    case 'adapter':
      return { ...state, webgpu: message.webgpu };
    case 'run': {
      if (state.running !== null) return state;
      const { backend, mode } = message;
      const running = { id: null, backend, mode, stage: t('Starting'), fraction: null };
      const view =
        backend === 'simulate' ? state.view : { ...state.view, target: TARGET_OF[backend] };
      return { ...state, view, notice: null, running: { ...running, cancelling: false } };
    }
    case 'cancel':
      return cancelling(state);
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

function edit(state: State, path: string, text: string, bad: boolean): State {
  if (state.spec === null) return state;
  const draft = (error: string | null) => ({ ...state.drafts, [path]: { text, error } });
  if (text.length > MAX_DRAFT_CHARACTERS) {
    const cut = { text: text.slice(0, MAX_DRAFT_CHARACTERS), error: tooLong(text) };
    return { ...state, drafts: { ...state.drafts, [path]: cut } };
  }
  if (bad) return { ...state, drafts: draft(t('Expected a number.')) };
  const decoded = applyChanges(state.spec, resolvedOf(state.spec), {
    [path]: parseFieldText(text),
  });
  if (decoded.ok) return { ...withSpec(state, decoded.spec, path), drafts: draft(null) };
  const own = decoded.errors.find(error => error.path === path);
  const [first] = decoded.errors;
  const error = own?.message ?? (first === undefined ? t('Not a legal value.') : describe(first));
  return { ...state, drafts: draft(error) };
}

function choose(state: State, changes: Changes): State {
  if (state.spec === null) return state;
  const decoded = applyChanges(state.spec, resolvedOf(state.spec), changes);
  if (!decoded.ok) return { ...state, notice: decoded.errors.map(describe).join(' ') };
  const paths = Object.keys(changes);
  const touched = (path: string) =>
    paths.some(changed => path === changed || path.startsWith(`${changed}.`));
  return { ...withSpec(state, decoded.spec, null), drafts: without(state.drafts, touched) };
}

/** Replaces the spec. Consecutive edits of one `field` form a single undo step. */
function withSpec(state: State, spec: GemmSpec, field: string | null): State {
  const { spec: last } = state;
  const text = JSON.stringify(spec);
  if (last === null || text === JSON.stringify(last)) return state;
  const joins = field !== null && field === state.history.open;
  const history = record(state.history, { spec: last }, spec, field);
  return { ...withEdit(state, spec), history, before: joins ? state.before : last };
}

/** Sets `spec` and counts an edit, so that older `show` messages cannot overwrite it. */
const withEdit = (state: State, spec: GemmSpec): State => {
  const { revision, edit } = state.order;
  const order = { revision, edit: edit + 1, editedOn: revision };
  return { ...state, spec, before: state.spec, notice: null, order };
};

/**
 * Undoes the last change. If a draft is invalid, it only discards the drafts, unless the field of
 * an invalid draft has an open undo step.
 */
function undone(state: State): State {
  const faulty = Object.entries(state.drafts).filter(([, { error }]) => error !== null);
  if (faulty.length > 0 && !faulty.some(([path]) => path === state.history.open)) {
    return { ...state, drafts: {} };
  }
  return moved(state, at => undo(state.history, at));
}

type Move = (at: { spec: GemmSpec; pinned: Pinned }) => Stepped | null;

function moved(state: State, move: Move): State {
  const { spec } = state;
  if (spec === null) return state;
  const pinned = state.pinned ?? { spec, name: state.name };
  const stepped = move({ spec, pinned });
  if (stepped === null) return state;
  return {
    ...withEdit(state, stepped.step.spec),
    history: stepped.history,
    pinned: stepped.step.pinned ?? state.pinned,
    drafts: {},
  };
}

function swapped(state: State): State {
  const { spec, pinned } = state;
  if (spec === null || pinned === null) return state;
  const history = record(state.history, { spec, pinned }, pinned.spec, null);
  const currentAsPinned = { spec, name: state.name };
  return { ...withEdit(state, pinned.spec), history, pinned: currentAsPinned, drafts: {} };
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
