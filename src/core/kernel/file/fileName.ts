/** Portable file names: valid on Windows, macOS and Linux, and without a folder. */

const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

export const isFileName = (name: string): boolean =>
  /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}$/.test(name) &&
  !name.endsWith('.') &&
  !name.includes('..') &&
  !DEVICE_NAME.test(name);

export const noFileName = (name: string): string =>
  `Expected a portable file name of letters, digits, '_', '-' and '.', got '${name}'.`;

/** Folders whose files git and VS Code interpret as commands or settings. */
const RESERVED = ['.git', '.vscode'];

/** Returns the reserved folder that a path below the workspace root enters, or undefined. */
export const reservedFolder = (pathBelowRoot: string): string | undefined =>
  pathBelowRoot.split(/[/\\]/).find(name => RESERVED.includes(name.toLowerCase()));
