/**
 * Flags with which g++ compiles the CUDA harness for the CPU shim. The standard headers, a third of
 * the time of a compilation, are precompiled once.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runnerSource } from '../../src/host/cuda/sources';

/** Folder of the headers that replace those of CUDA. Tests run from the root of the project. */
export const SHIM = path.resolve('test/host/fixtures/shim');

export const SHIM_FLAGS = [
  '-std=c++17',
  '-O0',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-Wno-unknown-pragmas',
  '-Wno-unused-parameter',
  '-I',
  SHIM,
];

/** Returns a CUDA program for the shim: launches are calls, and times are CPU times. */
export const forShim = (program: string): string =>
  program
    .replace(/(\w+(?:<\w+>)?)<<<(.*)>>>\(/g, 'shim::launch($1, $2)(')
    .replaceAll('std::chrono::steady_clock', 'shim::Clock');

const HEADER = 'standard.h';

/**
 * Returns the g++ flags that include the precompiled headers. They are built on the first call, for
 * this compiler. Other processes may call at the same time.
 */
export function precompiledHeaders(compiler: string): readonly string[] {
  const text = standardHeaders(runnerSource('sm_90'));
  const version = execFileSync(compiler, ['--version'], { encoding: 'utf8' });
  const key = createHash('sha256')
    .update([version, ...SHIM_FLAGS, text].join('\n'))
    .digest('hex');
  const folder = path.resolve('out', 'precompiled', key.slice(0, 16));
  const header = path.join(folder, HEADER);
  const built = `${header}.gch`;
  if (!existsSync(built)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(header, text);
    const unfinished = `${built}.${process.pid}`;
    execFileSync(compiler, [...SHIM_FLAGS, '-x', 'c++-header', header, '-o', unfinished]);
    renameSync(unfinished, built);
  }
  return ['-Winvalid-pch', '-include', header];
}

/** Returns the `#include` lines of the standard library; macros of a kernel come after them. */
const standardHeaders = (source: string): string =>
  [...new Set(source.match(/^#include <(?!cuda|windows)[^>]*>$/gm) ?? [])].join('\n');
