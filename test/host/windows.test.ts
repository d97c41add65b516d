/** Several windows on one history: processes that append and replace at once lose nothing. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { removeLines } from '../../src/core/measure/historyEdit';
import { NOT_VERIFIED, type Measurement } from '../../src/core/measure/measurement';
import { readRuns as readFiles, rewriteRuns } from '../../src/host/runs';
import { readRuns } from '../helpers/runs';
import { hostileFolder } from './support';

const RUNS = 60;

/** A window: appends its runs one after the other. */
const WINDOW = `
import { appendRun } from './src/host/runs';
const [root = '', name = '', count = ''] = process.argv.slice(2);
const run = ${JSON.stringify({
  ...{ specKey: 'k', kernelKey: 'abc', resolved: null, backend: 'simulate', outcome: 'correct' },
  device: { name: 'd', adapter: 'a', driver: 'v', where: 'cli' },
  verification: { ...NOT_VERIFIED, reference: 'f64', samples: 1 },
} satisfies Measurement)};
async function append(): Promise<void> {
  for (let i = 0; i < Number(count); i++) {
    const result = await appendRun(root, 'k', { ...run, message: name + i });
    if ('failed' in result) throw new Error(result.failed);
  }
}
void append();`;

describe('several windows on one history', () => {
  const { path: folder, remove } = hostileFolder();
  const script = path.join(folder, 'window.cjs');
  before(async () => {
    const stdin = { contents: WINDOW, resolveDir: '.', loader: 'ts' } as const;
    await build({
      ...{ stdin, bundle: true, platform: 'node', format: 'cjs', outfile: script },
      external: ['vscode'],
    });
  });
  after(remove);

  const window = (root: string, name: string): Promise<number | null> =>
    new Promise(resolve => {
      const args = [script, root, name, String(RUNS)];
      spawn(process.execPath, args, { stdio: 'inherit' }).on('close', resolve);
    });
  const messages = async (root: string): Promise<readonly string[]> =>
    (await readRuns(root)).measurements.map(({ message }) => message ?? '').sort();
  const made = (...names: readonly string[]): readonly string[] =>
    names.flatMap(name => Array.from({ length: RUNS }, (_, i) => `${name}${i}`)).sort();

  it('keeps every line that two processes append', async () => {
    const root = path.join(folder, 'append');
    assert.deepEqual(await Promise.all([window(root, 'a'), window(root, 'b')]), [0, 0]);
    assert.deepEqual(await messages(root), made('a', 'b'));
    assert.equal((await readRuns(root)).skippedLines, 0);
  }).timeout(60_000);

  it('loses none of them while a third window deletes others', async () => {
    const root = path.join(folder, 'delete');
    const file = path.join(root, '.gemm', 'runs', 'k.jsonl');
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, 'damaged\n'.repeat(3));
    const ended: unknown[] = [];
    const windows = Promise.all([window(root, 'a'), window(root, 'b')]).finally(() => {
      ended.push(true);
    });
    let rewrites = 0;
    while (ended.length === 0) {
      const victim = `victim ${rewrites}`;
      fs.appendFileSync(file, `${victim}\n`);
      const removed = await rewriteRuns(root, 'k.jsonl', bytes => removeLines(bytes, [victim]));
      assert.ok('written' in removed, JSON.stringify(removed));
      rewrites++;
    }
    assert.deepEqual(await windows, [0, 0]);
    assert.ok(rewrites > 10, `${rewrites} rewrites`);
    assert.deepEqual(await messages(root), made('a', 'b'));
    assert.equal(fs.readFileSync(file, 'utf8').match(/^damaged$/gm)?.length, 3);
    assert.deepEqual(fs.readdirSync(path.dirname(file)), ['k.jsonl'], 'no draft is left behind');
  }).timeout(60_000);

  it('loses no line that another window is in the middle of', async () => {
    const root = path.join(folder, 'torn');
    assert.equal(await window(root, 'a'), 0);
    const [text] = await readFiles(root);
    const file = path.join(root, '.gemm', 'runs', 'k.jsonl');
    const [first = '', second = '', third = '', fourth = ''] = (text?.text ?? '').split('\n');
    fs.writeFileSync(file, `${first}\n${second}\n${third.slice(0, 50)}`);
    let calls = 0;
    // What is read may end within a line whose rest is there a moment later.
    const writing = (bytes: Uint8Array): Uint8Array => {
      if (calls++ === 0) fs.appendFileSync(file, `${third.slice(50)}\n${fourth.slice(0, 50)}`);
      return removeLines(bytes, [first]);
    };
    assert.ok('written' in (await rewriteRuns(root, 'k.jsonl', writing)));
    fs.appendFileSync(file, `${fourth.slice(50)}\n`);
    assert.deepEqual(await messages(root), ['a1', 'a2', 'a3']);
    assert.ok(calls > 1);
  }).timeout(60_000);

  it('removes a file that is empty then, and makes it anew', async () => {
    const root = path.join(folder, 'empty');
    assert.equal(await window(root, 'a'), 0);
    const [text] = await readFiles(root);
    const lines = (text?.text ?? '').trim().split('\n');
    const change = (bytes: Uint8Array): Uint8Array => removeLines(bytes, lines);
    await rewriteRuns(root, 'k.jsonl', change);
    assert.deepEqual(fs.readdirSync(path.join(root, '.gemm', 'runs')), []);
    await rewriteRuns(root, 'k.jsonl', () => new TextEncoder().encode(`${lines[0] ?? ''}\n`));
    assert.deepEqual(await messages(root), ['a0']);
    const outside = await rewriteRuns(root, '../k.jsonl', change);
    assert.ok('failed' in outside);
  }).timeout(60_000);
});
