/** What a malicious workspace is made of: files, and the traps that their texts point at. */

export const CATEGORIES = [
  'names',
  'specs',
  'annotations',
  'texts',
  'runs',
  'dispatch',
  'settings',
  'tasks',
  'programs',
] as const;
export type Category = (typeof CATEGORIES)[number];

/** What lies at a path: bytes, a symbolic link to `target`, or a named pipe. */
export type Content = string | { readonly target: string } | { readonly fifo: true };

export interface HostileFile {
  /** Readable and unique: traps report it. */
  readonly id: string;
  readonly category: Category;
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  readonly content: Content;
  readonly mode?: number;
  /** The file replaces others of its path when its turn comes: a folder has one settings.json. */
  readonly turn?: true;
  /** Finding of an earlier review that the file reproduces. */
  readonly reproduces?: 'H1' | 'M1' | 'M2' | 'L8';
}

/** Where hostile text leads. Each trap reports when it is sprung. */
export interface Traps {
  /** `127.0.0.1:PORT` of a listener that counts connections. */
  readonly authority: string;
  /** Absolute folder outside of the workspace: a hostile command line creates a file there. */
  readonly canaries: string;
}

/** Command that only the test's companion extension has. */
export const CANARY_COMMAND = 'evil.canary';

/** A link target that runs the canary command with the entry's id. */
export const commandUri = (id: string): string =>
  `command:${CANARY_COMMAND}?${encodeURIComponent(JSON.stringify([id]))}`;

/** A shell command line that leaves a file. */
export const touch = (traps: Traps, id: string): string => `touch '${traps.canaries}/${id}'`;
