/** What the driver asks the companion extension for, and what comes back. */

export interface Place {
  readonly line: number;
  readonly character: number;
}

export interface Requests {
  /** Shows a file of the workspace in an editor. */
  readonly open: {
    readonly ask: { readonly path: string };
    readonly answer: { readonly opened: boolean };
  };
  /** Words and problems where some hover has contents. */
  readonly hovers: {
    readonly ask: { readonly path: string; readonly most: number };
    readonly answer: readonly Place[];
  };
  /** Moves the cursor there and shows the hover. */
  readonly hover: { readonly ask: Place; readonly answer: null };
  /** Starts a command with the file's Uri as its argument, and does not wait. */
  readonly start: {
    readonly ask: { readonly command: string; readonly path?: string };
    readonly answer: { readonly job: number };
  };
  /** The commands of the file's CodeLens, all started. */
  readonly lenses: { readonly ask: { readonly path: string }; readonly answer: readonly number[] };
  /** Applies every quick fix of the file, and takes it back. */
  readonly fixes: {
    readonly ask: { readonly path: string; readonly most: number };
    readonly answer: { readonly applied: number };
  };
  readonly job: {
    readonly ask: { readonly job: number };
    readonly answer: { readonly ended: boolean };
  };
  /** Waits for a command of the workbench; what was sent there before has arrived. */
  readonly workbench: { readonly ask: { readonly command: string }; readonly answer: null };
  readonly rulers: { readonly ask: null; readonly answer: readonly unknown[] };
  readonly trusted: { readonly ask: null; readonly answer: boolean };
  /** Starts the workspace's own tasks of this extension's type; answers with their names. */
  readonly tasks: { readonly ask: { readonly label: string }; readonly answer: readonly string[] };
  /** A deliberate act that an observer has to see. */
  readonly control: { readonly ask: Control; readonly answer: null };
}

export type Control =
  | { readonly kind: 'process'; readonly program: string }
  | { readonly kind: 'write'; readonly file: string }
  | { readonly kind: 'request'; readonly url: string }
  | { readonly kind: 'notification'; readonly text: string }
  | { readonly kind: 'hover'; readonly text: string };

export type RequestName = keyof Requests;
