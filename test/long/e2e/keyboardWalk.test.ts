/** The steps of docs/tour.md in an empty folder, by keyboard only and without screenshots. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../../scripts/install/project';
import { handsOn } from '../../../scripts/tour/hands';
import { walk } from '../../../scripts/tour/walk';
import { screenshot, startHost } from '../../../scripts/vscodeHost';

describe('the tour by keyboard', () => {
  it('goes from an empty folder to two compared runs and the course', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gemm-keyboard-'));
    const workspace = join(folder, 'kernels');
    await mkdir(workspace);
    try {
      const host = await startHost({ workspace, trust: 'trusted', width: 1440, height: 900 });
      const texts: string[] = [];
      try {
        const story = {
          step: async (_title: string, act: () => Promise<string>) => {
            texts.push(await act());
            await host.page.locator('.notification-toast').first().waitFor({ state: 'hidden' });
          },
        };
        await walk({ page: host.page, hands: handsOn(host.page), story });
        assert.equal(texts.length, 14);
      } catch (error) {
        await screenshot(host.page, join(projectRoot(), 'out', 'keyboard-walk-failed.png'));
        throw error;
      } finally {
        await host.close();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }).timeout(600_000);
});
