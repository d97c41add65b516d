/** VS Code API of a webview: messages and saved state. Saved state is decoded before use. */
import * as v from 'valibot';
import { BACKENDS } from '../src/core/measure/measurement';
import { decodeSpec } from '../src/core/spec/decode';
import { TARGETS, type GemmSpec } from '../src/core/spec/schema';
import type { FromWebview } from '../src/protocol';
import { NO_HISTORY, STEPS_KEPT, type Pinned, type Step } from './history';
import { INITIAL_VIEW, type State } from './state';

export interface VscodeApi {
  postMessage(message: FromWebview): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare const acquireVsCodeApi: () => VscodeApi;

let acquired: VscodeApi | undefined;

/** Returns the VS Code API, which a page can acquire only once. */
export const acquireApi = (): VscodeApi => (acquired ??= acquireVsCodeApi());

/** Sends a message to the extension from a view that has no `post`. */
export const postToExtension = (message: FromWebview): void => {
  acquireApi().postMessage(message);
};

const viewSchema = v.object({
  target: v.nullable(v.picklist(TARGETS)),
  backend: v.nullable(v.picklist(BACKENDS)),
  machine: v.nullable(v.string()),
  code: v.optional(v.picklist(['one', 'both']), INITIAL_VIEW.code),
  form: v.nullish(v.picklist(['shown', 'hidden']), INITIAL_VIEW.form),
});
const pinnedSchema = v.object({ spec: v.unknown(), name: v.string() });
const stepSchema = v.object({ spec: v.unknown(), pinned: v.optional(pinnedSchema) });
const stepsSchema = v.pipe(v.array(stepSchema), v.maxLength(STEPS_KEPT));
const historySchema = v.object({ past: stepsSchema, future: stepsSchema });
const savedSchema = v.object({
  view: viewSchema,
  spec: v.unknown(),
  name: v.string(),
  document: v.optional(v.nullable(v.string()), null),
  pinned: v.optional(v.nullable(pinnedSchema), null),
  history: v.optional(historySchema, { past: [], future: [] }),
});

export const SAVED = ['view', 'spec', 'name', 'document', 'pinned', 'history'] as const;

export type Saved = Pick<State, (typeof SAVED)[number]>;

const NOTHING: Saved = {
  view: INITIAL_VIEW,
  spec: null,
  name: '',
  document: null,
  pinned: null,
  history: NO_HISTORY,
};

/**
 * Decodes the saved state. Returns the initial state if the saved state is invalid, and keeps the
 * view and name if only the spec is invalid.
 */
export function readSaved(value: unknown): Saved {
  const saved = v.safeParse(savedSchema, value);
  if (!saved.success) return NOTHING;
  const { view, name, document, pinned, history } = saved.output;
  const spec = specOf(saved.output.spec);
  if (spec === null) return { ...NOTHING, view, name };
  const past = readSteps(history.past);
  const future = readSteps(history.future);
  return {
    view,
    spec,
    name,
    document,
    pinned: readPinned(pinned),
    history: { past, future, open: null },
  };
}

function specOf(value: unknown): GemmSpec | null {
  const decoded = decodeSpec(value);
  return decoded.ok ? decoded.spec : null;
}

function readPinned(saved: v.InferOutput<typeof pinnedSchema> | null): Pinned | null {
  const spec = saved === null ? null : specOf(saved.spec);
  return saved === null || spec === null ? null : { spec, name: saved.name };
}

const readSteps = (steps: v.InferOutput<typeof stepsSchema>): readonly Step[] =>
  steps.flatMap(step => {
    const spec = specOf(step.spec);
    const pinned = readPinned(step.pinned ?? null);
    return spec === null ? [] : [{ spec, ...(pinned === null ? {} : { pinned }) }];
  });

export const toSaved = (state: State): Saved => {
  const { view, spec, name, document, pinned, history } = state;
  return { view, spec, name, document, pinned, history };
};
