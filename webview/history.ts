/**
 * Undo and redo of the configuration as pure functions. Consecutive edits of one field are one
 * step, and the oldest steps are dropped.
 */
import type { GemmSpec } from '../src/core/spec/schema';

export interface Pinned {
  readonly spec: GemmSpec;
  readonly name: string;
}

/**
 * State that undo or redo restores. `pinned` is set only if the change affected the pinned
 * configuration.
 */
export interface Step {
  readonly spec: GemmSpec;
  readonly pinned?: Pinned;
}

export interface History {
  /** Newest last. */
  readonly past: readonly Step[];
  /** Steps to redo; the next step is last. */
  readonly future: readonly Step[];
  /** Field whose next edit is added to the newest step; null if the next edit starts a new step. */
  readonly open: string | null;
}

export const NO_HISTORY: History = { past: [], future: [], open: null };

export const STEPS_KEPT = 50;

const same = (a: GemmSpec, b: GemmSpec): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Records a change from `before` to `after`; `field` is the edited text field, or null. */
export function record(
  history: History,
  before: Step,
  after: GemmSpec,
  field: string | null,
): History {
  const { past, open } = history;
  const joins = field !== null && field === open;
  const first = joins ? past.at(-1) : undefined;
  // The spec is the same as before the step, so there is nothing to undo.
  if (first !== undefined && same(first.spec, after)) {
    return { past: past.slice(0, -1), future: [], open: null };
  }
  return {
    past: first === undefined ? [...past, before].slice(-STEPS_KEPT) : past,
    future: [],
    open: field,
  };
}

export const seal = (history: History): History =>
  history.open === null ? history : { ...history, open: null };

export interface Stepped {
  readonly step: Step;
  readonly history: History;
}

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
