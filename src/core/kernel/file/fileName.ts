/** Names of files that are written for others: safe on every system, and never a path. */

const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Whether a name is safe as a file on every system. */
export const isFileName = (name: string): boolean =>
  /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}$/.test(name) &&
  !name.endsWith('.') &&
  !name.includes('..') &&
  !DEVICE_NAME.test(name);

/** What is said of a name that is none. */
export const noFileName = (name: string): string =>
  `'${name}' is no file name: use letters, digits, '_', '-' and '.'.`;

/** Folders whose files git and VS Code read as commands or settings. */
const RESERVED = ['.git', '.vscode'];

/** Returns the reserved folder that a path below the workspace's root leads into, or undefined. */
export const reservedFolder = (pathBelowRoot: string): string | undefined =>
  pathBelowRoot.split(/[/\\]/).find(name => RESERVED.includes(name.toLowerCase()));
