/** *Reproduce a tutorial* in a trusted folder and in Restricted Mode, without a GPU. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { openFile, pick, runCommand, webviewFrame } from '../../../scripts/vscodeHost';
import { contents, openVscode } from '../../e2e/session';

/** The text of the preview that the command opens beside the editor. */
async function reproduce(page: Page, title: string): Promise<string> {
  await runCommand(page, 'GEMM: Reproduce a tutorial');
  await pick(page, title);
  const frame = await webviewFrame(page, 'h1.code-line');
  await frame.locator('h1', { hasText: title }).waitFor();
  return await frame.locator('body').innerText();
}

describe('a tutorial in VS Code', () => {
  for (const trust of ['trusted', 'restricted'] as const) {
    describe(trust, () => {
      const session = openVscode({ trust });

      it('shows the figures and predicted rates beside the editor, and writes no file', async () => {
        const { page, workspace, picture } = session();
        await openFile(page, 'first.gemm.json');
        const before = await contents(workspace);
        const text = await reproduce(page, 'GEMM on an RTX 3070 Laptop');
        await picture(`tutorial ${trust}`);
        assert.match(text, /Concurrent blocks: 80 or 40\?\s+40\s+40\s+equal/);
        assert.match(text, /1 naive\s+2,048\s+138 GFLOP\/s, 125 ms\s+131 GFLOP\/s/);
        if (trust === 'restricted') {
          assert.match(text, /Restricted Mode does not run or compile kernels/);
          assert.match(text, /No kernel was run\./);
        } else {
          assert.match(text, /CUDA is not available|Kernels were run on NVIDIA/);
          assert.match(text, /Wrong elements of kernel 1 naive\s+0\s+0\s+equal/);
        }
        assert.deepEqual(await contents(workspace), before);
      });
    });
  }
});
