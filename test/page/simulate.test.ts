/**
 * Simulate in a worker: the page stays responsive, cancelling is immediate, and it works in a
 * browser.
 */
import assert from 'node:assert/strict';
import type { ExplorerPage } from '../../scripts/page/explorerPage';
import { show } from '../../scripts/page/samples';
import { openServed } from '../../scripts/page/servedPage';
import type { GemmSpec } from '../../src/core/spec/schema';
import { explorerSuite } from '../helpers/explorerSuite';

const saved = {
  view: { target: null, backend: 'simulate', machine: null },
  spec: null,
  name: '',
};
const cube = (size: number): GemmSpec => ({
  problem: { m: size, n: size, k: size },
  schedule: { algorithm: 'shared-tile' },
});

explorerSuite('simulate in the page', ({ opened, browser }) => {
  const button = ({ page }: ExplorerPage, name: string) =>
    page.locator('vscode-button', { hasText: name });

  it('handles keys while the largest kernel is simulated', async function () {
    this.timeout(60_000);
    const explorer = await opened(show({ spec: cube(256) }), { saved, withForm: true });
    const { page } = explorer;
    await button(explorer, 'Verify').click();
    await page.locator('.progress').getByText('%').waitFor();
    await page.getByLabel('pad A').press('ArrowUp');
    const told = (await explorer.posted()).filter(({ type }) => type === 'changeSpec');
    assert.match(JSON.stringify(told), /"padding":{"a":1}/);
    assert.match((await page.locator('h1').getAttribute('title')) ?? '', /pad1x0/);
    assert.equal(await button(explorer, 'Cancel').count(), 1, 'it still runs');
  });

  it('cancels immediately, and can start again', async function () {
    this.timeout(60_000);
    const explorer = await opened(show({ spec: cube(256) }), { saved });
    const { page } = explorer;
    for (let i = 0; i < 2; i++) {
      await button(explorer, 'Verify').click();
      await page.locator('.progress').getByText('%').waitFor();
      await button(explorer, 'Cancel').click();
      await page.locator('#results').getByText('Cancelled').first().waitFor({ timeout: 2000 });
      if (page.workers().length > 0) await page.workers()[0]?.waitForEvent('close');
    }
    await explorer.send(show({ spec: cube(32) }));
    await button(explorer, 'Verify').click();
    await page.locator('#results').getByText('Correct').waitFor();
    assert.deepEqual(await explorer.cspViolations(), []);
    assert.deepEqual(explorer.errors, []);
  });

  it('shows why no worker can be started', async () => {
    const explorer = await opened(show({ spec: cube(32) }), { saved });
    await explorer.page.route('**/simulateWorker.js', route => route.fulfill({ status: 404 }));
    await button(explorer, 'Verify').click();
    await explorer.page
      .getByText('Loading the Simulate worker failed with HTTP status 404.')
      .waitFor();
  });

  it('runs in the page of a browser, under its policy', async () => {
    const explorer = await openServed(browser(), { gpu: 'none' });
    const { page } = explorer;
    try {
      await explorer.send(show({ spec: cube(32) }));
      await button(explorer, 'Use Simulate').click();
      await button(explorer, 'Verify').click();
      await page.locator('#results').getByText('Correct').waitFor();
      const result = await page.locator('#results').innerText();
      assert.match(result, /1,024 elements/);
      assert.match(result, /no races, out-of-bounds or misaligned accesses, uninitialized shared/);
      assert.doesNotMatch(result, /driver/);
      assert.deepEqual(await explorer.cspViolations(), []);
      assert.deepEqual(explorer.errors, []);
    } finally {
      await explorer.close();
    }
  });
});
