/**
 * Several windows on one history: processes that append and delete at once lose nothing, and
 * nothing returns.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { readRuns } from '../helpers/runs';
import { hostileFolder } from './support';

/**
 * Appends its runs one after the other; one that deletes takes back its last run after every tenth.
 */
const WINDOW = `
import { deletionLine, runLine } from './src/core/measure/historyLine';
import { appendLines } from './src/host/runHistoryFiles';
import { measurement } from './test/helpers/history';
const [root = '', name = '', count = '', deletes = ''] = process.argv.slice(2);
const append = async (line: string): Promise<void> => {
  const result = await appendLines(root, 'k.jsonl', [line]);
  if ('failed' in result) throw new Error(result.failed);
};
async function run(): Promise<void> {
  for (let i = 0; i < Number(count); i++) {
    const id = name + '-' + i;
    await append(runLine(id, { ...measurement('k'), message: id }));
    if (deletes === 'deletes' && i % 10 === 9) await append(deletionLine(id));
  }
}
void run();`;

describe('several windows on one history', () => {
  const { path: folder, remove } = hostileFolder();
  const script = path.join(folder, 'window.cjs');
  before(async () => {
    const stdin = { contents: WINDOW, resolveDir: '.', loader: 'ts' } as const;
    await build({
      stdin,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      outfile: script,
      external: ['vscode'],
      // jsonc-parser's other build loads its parts by names that a bundler cannot follow.
      mainFields: ['module', 'main'],
    });
  });
  after(remove);

  const window = (...args: readonly string[]): Promise<number | null> =>
    new Promise(resolve => {
      spawn(process.execPath, [script, ...args], { stdio: 'inherit' }).on('close', resolve);
    });
  const fileOf = (root: string): string => path.join(root, '.gemm', 'runs', 'k.jsonl');
  const messages = async (root: string): Promise<readonly string[]> =>
    (await readRuns(root)).measurements.map(({ message }) => message ?? '').sort();

  const WINDOWS = 4;
  const RUNS = 25;
  for (const deleting of [0, 1, 2, 3, 4]) {
    it(`keeps every run of ${WINDOWS} processes while ${deleting} of them delete runs of theirs`, async () => {
      const root = path.join(folder, `deleting-${deleting}`);
      const names = Array.from({ length: WINDOWS }, (_, index) => `w${index}`);
      const deletes = (index: number): boolean => index < deleting;
      const ended = names.map((name, index) =>
        window(root, name, String(RUNS), deletes(index) ? 'deletes' : ''),
      );
      assert.deepEqual(
        await Promise.all(ended),
        names.map(() => 0),
      );
      const left = names.flatMap((name, index) =>
        Array.from({ length: RUNS }, (_, i) => i)
          .filter(i => !(deletes(index) && i % 10 === 9))
          .map(i => `${name}-${i}`),
      );
      assert.deepEqual(await messages(root), left.sort());
      assert.equal((await readRuns(root)).skippedLines, 0);
      assert.deepEqual(fs.readdirSync(path.dirname(fileOf(root))), ['k.jsonl'], 'no draft');
    }).timeout(60_000);
  }

  it('keeps every byte that was there, damaged lines included', async () => {
    const root = path.join(folder, 'damaged');
    fs.mkdirSync(path.dirname(fileOf(root)), { recursive: true });
    const before = 'damaged\n\r\n{"specKey":"torn';
    fs.writeFileSync(fileOf(root), before);
    assert.equal(await window(root, 'a', '10', 'deletes'), 0);
    assert.ok(fs.readFileSync(fileOf(root), 'utf8').startsWith(`${before}\n`));
    assert.equal((await messages(root)).length, 9);
    assert.equal((await readRuns(root)).skippedLines, 2);
  }).timeout(60_000);
});
