/**
 * Files that users name, or that are found beside theirs, are opened by one module; the others read
 * what the product made.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** By what they read. */
const READERS: Readonly<Record<string, string>> = {
  'accesses.ts': 'PTX in the cache',
  'cpu/compiler.ts': '/proc/cpuinfo',
  'cpu/calls.ts': 'results in a temporary folder',
  'cpu/run.ts': 'results in a temporary folder',
  'cuda/runner/ceilings.ts': 'ceilings in the cache',
  'cuda/runner/compileKernel.ts': 'a cubin in the cache',
  'cuda/runner/program.ts': 'the note beside the runner in the cache',
  'dawn/install.ts': 'the lock file of its own installation',
  'dawn/load.ts': 'the manifest of its own installation',
  'dawn/worker.ts': 'its standard input',
  'ncu.ts': 'a report in a temporary folder',
  'nvcc.ts': 'logs and products in the cache',
  'ptx.ts': 'PTX in the cache',
  'runs.ts': 'the history of a workspace, regular files only',
};
const READS = /(?<!handle\??)\.readFile\(|\breadFileSync\(|\bcreateReadStream\(/;

describe('files that are read', () => {
  it('are opened by src/host/userFile.ts where a user names them or may have put them there', () => {
    const folder = path.join('src', 'host');
    const readers = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map(name => name.replaceAll(path.sep, '/'))
      .filter(name => name.endsWith('.ts') && name !== 'userFile.ts')
      .filter(name => READS.test(readFileSync(path.join(folder, name), 'utf8')));
    const others = readers.filter(name => !Object.hasOwn(READERS, name));
    assert.deepEqual(others, [], 'read through src/host/userFile.ts, or name here what is read');
  });
});
