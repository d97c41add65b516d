/** Portable file names: valid on Windows, macOS and Linux, and without a folder. */

const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Returns whether a name is a valid file name on Windows, macOS and Linux. */
export const isFileName = (name: string): boolean =>
  /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}$/.test(name) &&
  !name.endsWith('.') &&
  !name.includes('..') &&
  !DEVICE_NAME.test(name);

/** Returns the error message for an invalid file name. */
export const noFileName = (name: string): string =>
  `Expected a file name of letters, digits, '_', '-' and '.', got '${name}'.`;

/** Folders whose files git and VS Code interpret as commands or settings. */
const RESERVED = ['.git', '.vscode'];

/** Returns the reserved folder that a path below the workspace root enters, or undefined. */
export const reservedFolder = (pathBelowRoot: string): string | undefined =>
  pathBelowRoot.split(/[/\\]/).find(name => RESERVED.includes(name.toLowerCase()));
