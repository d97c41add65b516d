/** Hostile folders and programs for the tests of the host. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findExecutable } from '../../src/host/executables';
import type { Nvcc } from '../../src/host/toolchain';

/** A path that breaks whoever splits, quotes or expands it. */
const HOSTILE = `sp ace 'quote" é日本 $(touch pwned);&`;

/** A fresh folder with a hostile name; `remove` it afterwards. */
export function hostileFolder(): { readonly path: string; readonly remove: () => void } {
  const base = mkdtempSync(path.join(os.tmpdir(), 'gemm-test-'));
  const folder = path.join(base, process.platform === 'win32' ? 'sp ace é' : HOSTILE);
  mkdirSync(folder);
  return {
    path: folder,
    remove: () => {
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/**
 * Call it in a describe: each test has a hostile folder of its own, handed over before it. Needs a
 * POSIX system.
 */
export function eachInHostileFolder(take: (path: string) => void): void {
  let remove: (() => void) | undefined;
  beforeEach(function () {
    if (process.platform === 'win32') this.skip();
    const folder = hostileFolder();
    ({ remove } = folder);
    take(folder.path);
  });
  afterEach(() => remove?.());
}

/**
 * Call it in a describe: one hostile folder for all of its tests, which are skipped where nothing
 * can be made in it.
 */
export function onceInHostileFolder<T>(
  make: (path: string) => T | undefined,
  take: (path: string, made: T) => void,
): void {
  let remove: (() => void) | undefined;
  before(function () {
    const folder = hostileFolder();
    ({ remove } = folder);
    const made = make(folder.path);
    if (made === undefined) return this.skip();
    take(folder.path, made);
  });
  after(() => remove?.());
}

/** A program written in JavaScript: `args` are its arguments. */
export function fakeProgram(folder: string, name: string, body: string): string {
  const file = path.join(folder, name);
  writeFileSync(
    file,
    `#!${process.execPath}\nconst fs = require('node:fs'); const args = process.argv.slice(2);\n${body}\n`,
  );
  chmodSync(file, 0o755);
  return file;
}

/** Starts a child that ignores SIGTERM, ignores it too, and notes both process ids in `pids`. */
export const STUBBORN = `
const { spawn } = require('node:child_process');
const ignore = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
const child = spawn(process.execPath, ['-e', ignore], { stdio: 'inherit' });
process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);
fs.writeFileSync(__dirname + '/pids', process.pid + ' ' + child.pid);
`;

/** The processes noted in `pids` that still run. */
export const survivors = (folder: string): Promise<readonly number[]> =>
  leftOf(readFileSync(path.join(folder, 'pids'), 'utf8').split(' ').map(Number));

/** Those that still run after they had a moment to go. */
export async function leftOf(pids: readonly number[]): Promise<readonly number[]> {
  let left = pids;
  for (let i = 0; i < 40 && left.length > 0; i++) {
    await wait(25);
    left = pids.filter(isRunning);
  }
  return left;
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    // A process that has ended but was not reaped by its new parent yet runs no more.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return process.platform !== 'linux';
  }
}

export const asNvcc = (file: string): Nvcc => ({
  path: file,
  realPath: file,
  version: '13.0',
  build: '13.0.88',
});

export const present = (...names: readonly string[]): string | undefined => {
  const located = findExecutable(names, {});
  return located.ok ? located.path : undefined;
};
