/** VS Code's side of a webview: posting messages, and what a reload keeps. Nothing read here is trusted. */
import * as v from 'valibot';
import { BACKENDS } from '../src/core/measure/measurement';
import { decodeSpec } from '../src/core/spec/decode';
import { TARGETS, type GemmSpec } from '../src/core/spec/schema';
import type { FromWebview } from '../src/protocol';
import { INITIAL_VIEW, type State, type ViewChoices } from './state';

export interface VscodeApi {
  postMessage(message: FromWebview): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare const acquireVsCodeApi: () => VscodeApi;

/** May be called once only. */
export const acquireApi = (): VscodeApi => acquireVsCodeApi();

const viewSchema = v.object({
  target: v.nullable(v.picklist(TARGETS)),
  backend: v.picklist(BACKENDS),
  machine: v.nullable(v.string()),
});
const savedSchema = v.object({ view: viewSchema, spec: v.unknown(), name: v.string() });

export interface Saved {
  readonly view: ViewChoices;
  readonly spec: GemmSpec | null;
  readonly name: string;
}

/** What an earlier page of this panel saved; the first state where that is nothing we know. */
export function readSaved(value: unknown): Saved {
  const saved = v.safeParse(savedSchema, value);
  if (!saved.success) return { view: INITIAL_VIEW, spec: null, name: '' };
  const { view, name } = saved.output;
  const decoded = decodeSpec(saved.output.spec);
  return { view, name, spec: decoded.ok ? decoded.spec : null };
}

export const toSaved = ({ view, spec, name }: State): Saved => ({ view, spec, name });
