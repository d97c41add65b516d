/** Everything that watches a hostile session, and what each has seen. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { projectRoot } from '../../scripts/install/project';
import type { Surroundings } from './place';
import { commandNotes, executed, hookNotes } from './watch/processes';
import type { Listener } from './watch/traps';

export interface Observers {
  readonly place: Surroundings;
  readonly listener: Listener;
  /** Requests of the browser for anything but the VS Code server, and windows that opened. */
  readonly foreign: readonly string[];
  /** File of strace, undefined where it is not installed. */
  readonly trace: string | undefined;
  /** Folders with programs of VS Code itself and of the system. */
  readonly programs: { readonly vscode: string };
}

export interface Observed {
  /** Processes that the extension started, by its stack, without `workers`. */
  readonly processes: readonly string[];
  /** Its own Dawn worker, which checks WGSL as it is typed: our file, run by the editor's Node. */
  readonly workers: readonly string[];
  /** Programs of the whole process tree that are neither VS Code's nor on PATH. */
  readonly foreignPrograms: readonly string[];
  /** Programs of the whole process tree that are not VS Code's own, by name. */
  readonly otherPrograms: readonly string[];
  readonly commands: readonly string[];
  readonly requests: readonly string[];
}

const OURS = `${join(projectRoot(), 'dist')}${sep}`;
const SYSTEM = ['/bin/', '/sbin/', '/usr/', '/lib/', '/root/.pyenv/', '/root/.cargo/'];

export function observed({ place, listener, foreign, trace, programs }: Observers): Observed {
  const notes = hookNotes(place.records);
  const ours = notes.filter(({ stack }) => stack.includes(OURS));
  const started = ours.filter(({ kind }) => kind === 'process').map(({ what }) => what);
  const isWorker = (what: string): boolean =>
    what.startsWith(programs.vscode) && what.includes(`/node ${OURS}dawnWorker.js `);
  const tree = trace === undefined || !existsSync(trace) ? [] : executed(trace);
  const others = tree.filter(({ line }) => !line.includes(programs.vscode));
  const isKnown = (program: string): boolean =>
    [...SYSTEM, `${place.shims}${sep}`, `${place.temporary}${sep}`].some(folder =>
      program.startsWith(folder),
    );
  return {
    processes: started.filter(what => !isWorker(what)),
    workers: started.filter(isWorker),
    foreignPrograms: others.filter(({ program }) => !isKnown(program)).map(({ line }) => line),
    otherPrograms: [...new Set(others.map(({ program }) => basename(program)))].sort(),
    commands: commandNotes(place.records),
    requests: [
      ...listener.heard.map(line => `listener: ${line}`),
      ...foreign,
      ...ours.filter(({ kind }) => kind === 'connection').map(({ what }) => `extension: ${what}`),
    ],
  };
}

/** Programs of PATH that noted their call. */
export const shimNotes = (place: Surroundings): readonly string[] => {
  const file = join(place.records, 'shims');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
};

/**
 * Files of the server that a service worker answers for, and the list of extensions that VS Code
 * asks for.
 */
const OWN =
  /^https:\/\/([^/]+\.vscode-(resource|webview)\.vscode-cdn\.net|[^/]+\.vscode-cdn\.net|open-vsx\.org)\//;

/** Collects what the browser asks of anything but `origin`. */
export function watchBrowser(context: BrowserContext, origin: string): readonly string[] {
  const foreign: string[] = [];
  context.on('request', request => {
    const url = request.url();
    if (/^(https?|wss?|ftp):/.test(url) && !url.startsWith(`${origin}/`) && !OWN.test(url))
      foreign.push(`browser: ${url}`);
  });
  context.on('page', page => {
    foreign.push(`window: ${page.url()}`);
    void page.close().catch(() => undefined);
  });
  return foreign;
}
