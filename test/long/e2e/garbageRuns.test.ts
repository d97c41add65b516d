/**
 * A workspace whose run history is garbage of every kind, in Restricted Mode: the editor does not
 * wait for it.
 */
import assert from 'node:assert/strict';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openFile, runCommand, waitForLens } from '../../../scripts/vscodeHost';
import { runLine } from '../../../src/core/measure/historyLine';
import { measurement } from '../../helpers/history';
import { openVscode } from '../../e2e/session';

const MANY = 16_000_000;
const run = (index: number): string => `${runLine(`r${index}`, measurement(`kernel-${index}`))}\n`;
const nested = `{"specKey":${'['.repeat(131_000)}}\n`;

const FILES: Readonly<Record<string, string>> = {
  'good.jsonl': run(1) + run(2) + run(3),
  'lines.jsonl': 'x\n'.repeat(MANY / 2),
  'blank.jsonl': '\n'.repeat(MANY),
  'one-line.jsonl': 'x'.repeat(MANY),
  'nested.jsonl': nested.repeat(MANY / nested.length),
  'valid.jsonl': Array.from({ length: MANY / run(10_000).length }, (_, i) => run(10_000 + i)).join(
    '',
  ),
  'oldest.jsonl': 'x\n'.repeat(30_000_000),
  ...Object.fromEntries(
    Array.from({ length: 300 }, (_, i) => [`small-${i}.jsonl`, 'x\n{"specKey"']),
  ),
};

const KERNEL = `// @gemm {"problem":{"m":64,"n":64,"k":64},"grid":["n/16","m/16"],"block":[16,16],"args":["A","B","C"]}
extern "C" __global__ void plain(const float* A, const float* B, float* C) {
  C[0] = A[0] * B[0];
}
`;

async function fill(folder: string): Promise<Readonly<Record<string, string>>> {
  const [workspace = ''] = await readdir(folder);
  const runs = join(folder, workspace, '.gemm', 'runs');
  await mkdir(runs, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(runs, name), text);
  await utimes(join(runs, 'oldest.jsonl'), 1, 1);
  return {};
}

describe('a run history of garbage', () => {
  const session = openVscode({
    trust: 'restricted',
    width: 1400,
    height: 900,
    prepare: fill,
    files: { 'plain.cu': KERNEL },
  });

  it('does not keep CodeLens waiting', async () => {
    const { page } = session();
    await openFile(page, 'plain.cu');
    await waitForLens(page, 'Verify');
  });

  it('shows the runs that can be read, and how many files cannot', async () => {
    const { page, picture } = session();
    await runCommand(page, 'View: Show GEMM');
    const message = page.getByText(/\d+ history files are not read/).first();
    await message.waitFor({ timeout: 60_000 });
    assert.match(await message.innerText(), /^.*\b4 history files are not read/);
    await page.locator('.pane-body').getByText('kernel-', { exact: false }).first().waitFor();
    await picture('runs-garbage');
  });
});
