/** Portable file names: valid on every system, and never a path. */

const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Returns whether a name is a valid file name on every system. */
export const isFileName = (name: string): boolean =>
  /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}$/.test(name) &&
  !name.endsWith('.') &&
  !name.includes('..') &&
  !DEVICE_NAME.test(name);

/** Error message for an invalid file name. */
export const noFileName = (name: string): string =>
  `Expected a file name of letters, digits, '_', '-' and '.', got '${name}'.`;

/** Folders whose files git and VS Code read as commands or settings. */
const RESERVED = ['.git', '.vscode'];

/** Returns the reserved folder that a path below the workspace root enters, or undefined. */
export const reservedFolder = (pathBelowRoot: string): string | undefined =>
  pathBelowRoot.split(/[/\\]/).find(name => RESERVED.includes(name.toLowerCase()));
