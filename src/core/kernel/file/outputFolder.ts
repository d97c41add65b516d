/** Which folders of a workspace may receive generated files. Pure. */

/** Folders whose files git and VS Code read as commands or settings. */
const RESERVED = ['.git', '.vscode'];

/** Returns the reserved folder that a path below the workspace's root leads into, or undefined. */
export const reservedFolder = (pathBelowRoot: string): string | undefined =>
  pathBelowRoot.split(/[/\\]/).find(name => RESERVED.includes(name.toLowerCase()));
