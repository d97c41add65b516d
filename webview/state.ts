/** State of the page, its messages and its initial value. */
import type { Availability } from '../src/core/measure/backend';
import type { BackendId, Measurement } from '../src/core/measure/measurement';
import type { GemmSpec, Target } from '../src/core/spec/schema';
import type { ShownTune } from '../src/core/search/tune/shown';
import type { ToWebview } from '../src/protocol';
import type { Changes } from './edit';
import { NO_HISTORY, type History, type Pinned } from './history';

export type Mode = 'verify' | 'time';
export type Show = Extract<ToWebview, { type: 'show' }>;
export type Compiled = Extract<ToWebview, { type: 'compiled' }>;

export type Cursor = Pick<Extract<ToWebview, { type: 'cursor' }>, 'sourceHash' | 'line'>;

export type InspectedKernel = Extract<ToWebview, { type: 'inspected' }>;

export const factsKey = (facts: Pick<Compiled, 'sourceHash' | 'entry' | 'arch'>): string =>
  `${facts.sourceHash} ${facts.entry} ${facts.arch}`;

/** Text of a number field that is being edited or does not contain a legal value. */
export interface Draft {
  readonly text: string;
  readonly error: string | null;
}

export interface Running {
  /** Id of the run; null until an id is assigned. */
  readonly id: string | null;
  readonly backend: BackendId | null;
  readonly mode: Mode | null;
  readonly stage: string;
  readonly fraction: number | null;
  readonly cancelling: boolean;
}

export interface ViewChoices {
  /** Language shown; null selects the preferred language of the device. */
  readonly target: Target | null;
  /** Selected backend; null selects a backend for a target of the spec. */
  readonly backend: BackendId | null;
  /** Machine of the roofline; null selects the device of the spec. */
  readonly machine: string | null;
  /** Whether one language is shown, or all languages side by side on a wide page. */
  readonly code: 'one' | 'both';
  readonly form: 'shown' | 'hidden';
}

/** Revision counters that order the messages of the extension and the page (src/protocol.ts). */
export interface Order {
  /** Revision of the newest `show`; 0 before the first `show`. */
  readonly revision: number;
  /** Index of the newest edit in this page, and the revision that the edit is based on. */
  readonly edit: number;
  readonly editedOn: number;
}

export interface State {
  readonly spec: GemmSpec | null;
  readonly name: string;
  /** Hash that distinguishes files of the same name; null without a file. */
  readonly document: string | null;
  readonly own: NonNullable<Show['own']> | null;
  /** True if the spec file differs from the shown configuration. */
  readonly unwritten: boolean;
  /**
   * Configuration before the last change, for highlighting; null initially and after a change of
   * document.
   */
  readonly before: GemmSpec | null;
  readonly history: History;
  readonly pinned: Pinned | null;
  readonly drafts: Readonly<Record<string, Draft>>;
  readonly order: Order;
  readonly trusted: boolean;
  /** True if the extension can open this page in the user's browser, where WebGPU may work. */
  readonly canOpenInBrowser: boolean;
  readonly backends: Show['backends'];
  readonly runs: readonly Measurement[];
  /** Runs made by this page (Simulate). */
  readonly localRuns: readonly Measurement[];
  /** By `factsKey`. */
  readonly compiled: Readonly<Record<string, Compiled>>;
  /** Newest listing per source, kernel, architecture and language; newest last. */
  readonly inspected: readonly InspectedKernel[];
  /** State of each search, newest last, with one entry per problem, device and language. */
  readonly tunes: readonly ShownTune[];
  /** WebGPU availability; null while the adapter request is pending. */
  readonly webgpu: Availability | null;
  readonly running: Running | null;
  readonly finishedId: string | null;
  readonly notice: string | null;
  /** Section or field to scroll to; each request is a new object. */
  readonly focus: { readonly part: NonNullable<Show['focus']> } | null;
  /** Line of the cursor in an editor with a kernel. Each message is a new object. */
  readonly cursor: Cursor | null;
  readonly view: ViewChoices;
}

export type Message =
  | { readonly type: 'received'; readonly message: ToWebview }
  | { readonly type: 'edit'; readonly path: string; readonly text: string; readonly bad?: boolean }
  | { readonly type: 'leave'; readonly path: string }
  /** Discards the draft of a field and shows its value again. */
  | { readonly type: 'restore'; readonly path: string }
  | { readonly type: 'choose'; readonly changes: Changes }
  /** Ends an undo step after a typing pause. */
  | { readonly type: 'pause' }
  | { readonly type: 'undo' }
  | { readonly type: 'redo' }
  /** Pins the current configuration, or removes the pin. */
  | { readonly type: 'pin' }
  | { readonly type: 'unpin' }
  /** Exchanges the pinned and the current configuration. */
  | { readonly type: 'swap' }
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

export const INITIAL_VIEW: ViewChoices = {
  target: null,
  backend: null,
  machine: null,
  code: 'one',
  form: 'hidden',
};

export const initialState = (view: ViewChoices = INITIAL_VIEW): State => ({
  spec: null,
  name: '',
  document: null,
  own: null,
  unwritten: false,
  before: null,
  history: NO_HISTORY,
  pinned: null,
  drafts: {},
  order: { revision: 0, edit: 0, editedOn: 0 },
  trusted: false,
  canOpenInBrowser: false,
  backends: [],
  runs: [],
  localRuns: [],
  compiled: {},
  inspected: [],
  tunes: [],
  webgpu: null,
  running: null,
  finishedId: null,
  notice: null,
  focus: null,
  cursor: null,
  view,
});
