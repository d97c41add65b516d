/** Reducer for messages of the extension. Messages may be late, repeated or out of order. */
import { t } from '@vscode/l10n';
import { machineOf } from '../src/core/roofline/roofline';
import type { Measurement } from '../src/core/measure/measurement';
import { decodeSpec } from '../src/core/spec/decode';
import type { GemmSpec } from '../src/core/spec/schema';
import { withTune } from '../src/core/search/tune/shown';
import type { ToWebview } from '../src/protocol';
import { describe } from './edit';
import { NO_HISTORY, record } from './history';
import { factsKey, type Show, type State } from './state';
import { emittedOf } from './derive';

/** Maximum number of stored runs, compiler facts and listings. */
const MAX_RUNS = 500;
const MAX_FACTS = 200;
const MAX_LISTINGS = 20;

export function receive(state: State, message: ToWebview): State {
  switch (message.type) {
    case 'show':
      return show(state, message);
    case 'progress':
      return progress(state, message.id, message.stage, message.fraction);
    case 'measured':
      if (message.id === state.finishedId) return state;
      return {
        ...finished(state, message.id, message.measurement),
        runs: [...state.runs, message.measurement].slice(-MAX_RUNS),
      };
    case 'compiled': {
      const known = Object.entries(state.compiled).slice(1 - MAX_FACTS);
      return { ...state, compiled: { ...Object.fromEntries(known), [factsKey(message)]: message } };
    }
    case 'inspected': {
      const key = factsKey(message);
      const others = state.inspected.filter(
        known => factsKey(known) !== key || known.language !== message.language,
      );
      return { ...state, inspected: [...others, message].slice(-MAX_LISTINGS) };
    }
    case 'runWebgpu': {
      const { id, mode, spec } = message.job;
      if (id === state.finishedId) return state;
      const running = { id, backend: 'webgpu', mode, stage: t('Starting') } as const;
      // Show the WGSL kernel, which the run executes.
      const view =
        spec !== null && keyOf(spec) === keyOf(state.spec)
          ? { ...state.view, target: 'wgsl' as const }
          : state.view;
      return {
        ...state,
        view,
        notice: null,
        running: { ...running, fraction: null, cancelling: false },
      };
    }
    case 'cursor':
      return { ...state, cursor: { sourceHash: message.sourceHash, line: message.line } };
    case 'tune':
      return { ...state, tunes: withTune(state.tunes, message.tune) };
    // The editor shows the result of the check; the page does not.
    case 'checkWgsl':
      return state;
    case 'cancel':
      return state.running?.id === message.id ? cancelling(state) : state;
    case 'failed':
      return failed(state, message.id, message.message);
  }
}

/**
 * Shows a failure and ends the run. A failure with the id of a finished or different run is
 * ignored.
 */
function failed(state: State, id: string | undefined, notice: string): State {
  const own = state.running?.id ?? null;
  if (id !== undefined && (id === state.finishedId || (own !== null && own !== id))) return state;
  return { ...state, running: null, finishedId: id ?? state.finishedId, notice };
}

function show(state: State, message: Show): State {
  const { revision, edit, editedOn } = state.order;
  if (message.revision <= revision) return state;
  const other =
    message.name !== state.name ||
    (state.document !== null && (message.document ?? null) !== state.document);
  // An edit before the first `show` counts as based on this `show`.
  const since = editedOn === 0 ? message.revision : editedOn;
  // Keep a valid edit that the extension had not received when it sent this spec.
  const keeps = !other && edit > message.edit && since >= message.since;
  const { name, target, trusted, backends, runs, focus } = message;
  const document = message.document ?? null;
  const unwritten = message.unwritten === true;
  const switchesTarget = target !== undefined && name !== state.name;
  const shown = {
    ...state,
    order: { revision: message.revision, edit, editedOn: keeps ? since : editedOn },
    view: {
      ...state.view,
      ...(switchesTarget ? { target } : {}),
      // A field path has a dot; a section does not.
      ...(focus?.includes('.') === true ? { form: 'shown' as const } : {}),
      // A different document is analyzed for the device in its spec.
      ...(other ? { machine: null } : {}),
    },
    name,
    document,
    own: message.own ?? null,
    unwritten,
    trusted,
    canOpenInBrowser: message.canOpenInBrowser === true,
    backends,
    runs,
    ...(other ? { history: NO_HISTORY, before: null } : {}),
    focus: focus === undefined ? null : { part: focus },
  };
  const text = JSON.stringify(message.spec);
  if (keeps) return shown;
  if (JSON.stringify(state.spec) === text) return shown;
  const decoded = decodeSpec(message.spec);
  if (!decoded.ok) return { ...shown, notice: decoded.errors.map(describe).join(' ') };
  const changed = { ...shown, spec: decoded.spec, drafts: {} };
  if (other || state.spec === null) return changed;
  // An edit made outside the page is also an undo step.
  const history = record(state.history, { spec: state.spec }, decoded.spec, null);
  return { ...changed, history, before: state.spec };
}

export const cancelling = (state: State): State =>
  state.running === null
    ? state
    : { ...state, running: { ...state.running, stage: t('Cancelling'), cancelling: true } };

export function progress(
  state: State,
  id: string,
  stage: string,
  fraction: number | undefined,
): State {
  if (id === state.finishedId) return state;
  const { running } = state;
  if (running !== null && running.id !== null && running.id !== id) return state;
  const known = running ?? { backend: null, mode: null, cancelling: false };
  return {
    ...state,
    running: {
      ...known,
      id,
      stage: known.cancelling ? t('Cancelling') : stage,
      fraction: fraction ?? null,
    },
  };
}

const keyOf = (spec: GemmSpec | null): string | null =>
  spec === null ? null : emittedOf(spec).report.specKey;

const isOfShown = ({ own, spec }: State, run: Measurement): boolean =>
  own === null
    ? run.specKey === keyOf(spec)
    : run.specKey === own.specKey && run.sourceHash === own.sourceHash;

/**
 * Ends a run. If it measured ceilings for the shown kernel, the roofline of its machine is
 * selected.
 */
export function finished(state: State, id: string, measurement: Measurement): State {
  const view =
    measurement.ceilings === undefined || !isOfShown(state, measurement)
      ? state.view
      : { ...state.view, machine: machineOf(measurement) };
  // A late result of an earlier run does not end the current run.
  const other = state.running !== null && state.running.id !== null && state.running.id !== id;
  return { ...state, view, running: other ? state.running : null, finishedId: id };
}
