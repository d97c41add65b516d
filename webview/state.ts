/** The page's state: one readonly value, what may change it, and the first one. */
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

export type InspectedKernel = Extract<ToWebview, { type: 'inspected' }>;

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
  /** Null follows the targets of the spec. */
  readonly backend: BackendId | null;
  /** Machine whose roofline is drawn; null is the device of the spec. */
  readonly machine: string | null;
  /** One language at a time, or all of them side by side where there is room. */
  readonly code: 'one' | 'both';
}

/** Where this page is among the messages of both sides (src/protocol.ts). */
export interface Order {
  /** The newest `show` seen; 0 before the first. */
  readonly revision: number;
  /** This page's newest edit, and the revision that it was made on. */
  readonly edit: number;
  readonly editedOn: number;
}

export interface State {
  /** Null until the extension has sent one. */
  readonly spec: GemmSpec | null;
  readonly name: string;
  /** Tells two files of one name apart; null for what is no file. */
  readonly document: string | null;
  /** A text that no spec gives, shown instead of the configuration. */
  readonly own: NonNullable<Show['own']> | null;
  /** The spec file does not hold what is shown. */
  readonly unwritten: boolean;
  /** The configuration before the last change: what it touched is lit. Null at first, and in another document. */
  readonly before: GemmSpec | null;
  readonly history: History;
  readonly pinned: Pinned | null;
  readonly drafts: Readonly<Record<string, Draft>>;
  readonly order: Order;
  readonly trusted: boolean;
  /** The same page can be had in the user's browser, where WebGPU may work. */
  readonly canOpenInBrowser: boolean;
  readonly backends: Show['backends'];
  readonly runs: readonly Measurement[];
  /** Runs that never left this page. */
  readonly localRuns: readonly Measurement[];
  /** By `factsKey`. */
  readonly compiled: Readonly<Record<string, Compiled>>;
  /** What listings said, newest last: of each text, kernel, architecture and language the newest. */
  readonly inspected: readonly InspectedKernel[];
  /** Searches by problem, device and language, the newest last. */
  readonly tunes: readonly ShownTune[];
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
  /** Nothing was typed for a moment. */
  | { readonly type: 'pause' }
  | { readonly type: 'undo' }
  | { readonly type: 'redo' }
  /** Holds the present configuration as the one to compare with, or lets go of it. */
  | { readonly type: 'pin' }
  | { readonly type: 'unpin' }
  /** The pinned configuration and the present one change places. */
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
  view,
});
