/** Kernels that cheat: files of test/fixtures/cheats, with the findings that they declare. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Runnable } from '../../../src/core/kernel/kernel';
import { readKernelFile } from '../../../src/core/source/kernelFile';

const FOLDER = path.resolve('test/fixtures/cheats');

export interface Cheat {
  readonly name: string;
  readonly runnable: Runnable;
  /** Expected finding per backend; `none` if the backend cannot observe the cheat. */
  readonly findings: Readonly<Record<'cpu' | 'cuda', string>>;
}

const FINDINGS = /^\/\/ Findings: cpu ([\w-]+), cuda ([\w-]+)\.$/m;

export const cheats: readonly Cheat[] = readdirSync(FOLDER).map(name => {
  const source = readFileSync(path.join(FOLDER, name), 'utf8');
  const [, cpu, cuda] = FINDINGS.exec(source) ?? [];
  const read = readKernelFile(source, name);
  assert.ok(cpu !== undefined && cuda !== undefined, `${name} declares no findings`);
  assert.ok(read.ok, `${name}: ${JSON.stringify(read)}`);
  return { name, runnable: read.runnable, findings: { cpu, cuda } };
});
