/** Undo and redo of the configuration. Pure: fast typing in one field is one step, and the oldest steps go. */
import type { GemmSpec } from '../src/core/spec/schema';

/** A second configuration that is held still while the first one changes. */
export interface Pinned {
  readonly spec: GemmSpec;
  readonly name: string;
}

/** A state to go back to. `pinned` only where the change took the pinned configuration along. */
export interface Step {
  readonly spec: GemmSpec;
  readonly pinned?: Pinned;
}

export interface History {
  /** Newest last. */
  readonly past: readonly Step[];
  /** Next to be redone last. */
  readonly future: readonly Step[];
  /** The field whose next edit still belongs to the newest step. */
  readonly open: string | null;
}

export const NO_HISTORY: History = { past: [], future: [], open: null };

/** A spec is half a kilobyte, and all of them are saved with every change. */
export const STEPS_KEPT = 50;

const same = (a: GemmSpec, b: GemmSpec): boolean => JSON.stringify(a) === JSON.stringify(b);

/** After a change from `before` to `after`; `field` is the one that was typed into, if it was. */
export function record(
  history: History,
  before: Step,
  after: GemmSpec,
  field: string | null,
): History {
  const { past, open } = history;
  const joins = field !== null && field === open;
  const first = joins ? past.at(-1) : undefined;
  // Typed back to where it began: nothing is left to undo.
  if (first !== undefined && same(first.spec, after)) {
    return { past: past.slice(0, -1), future: [], open: null };
  }
  return {
    past: first === undefined ? [...past, before].slice(-STEPS_KEPT) : past,
    future: [],
    open: field,
  };
}

/** The next edit is a step of its own, whatever its field. */
export const seal = (history: History): History =>
  history.open === null ? history : { ...history, open: null };

export interface Stepped {
  readonly step: Step;
  readonly history: History;
}

/** The step to go to, and the history once there; null where there is none. */
export function undo({ past, future }: History, now: Required<Step>): Stepped | null {
  const step = past.at(-1);
  if (step === undefined) return null;
  const history = { past: past.slice(0, -1), future: [...future, left(step, now)], open: null };
  return { step, history };
}

export function redo({ past, future }: History, now: Required<Step>): Stepped | null {
  const step = future.at(-1);
  if (step === undefined) return null;
  const history = { past: [...past, left(step, now)], future: future.slice(0, -1), open: null };
  return { step, history };
}

const left = (to: Step, now: Required<Step>): Step =>
  to.pinned === undefined ? { spec: now.spec } : now;
