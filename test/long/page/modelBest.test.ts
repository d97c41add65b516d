/**
 * Best predicted schedules in a browser: ranked in a worker, cancelled with the problem, applied
 * with Enter.
 */
import assert from 'node:assert/strict';
import { show } from '../../../scripts/page/samples';
import { explorerSuite } from '../../helpers/explorerSuite';

const spec = {
  problem: { m: 1024, n: 1024, k: 1024 },
  schedule: { algorithm: 'warp-tile' as const },
};

explorerSuite('best predicted schedules in the page', suite => {
  const opened = async (over: Parameters<typeof show>[0] = {}) => {
    const explorer = await suite.opened(show({ spec, ...over }), { gpu: 'none', withForm: true });
    await explorer.page.getByText('Presets', { exact: true }).click();
    const best = explorer.page.getByRole('group', { name: 'Best predicted schedules' });
    await best.waitFor();
    return { explorer, best, start: best.locator('vscode-button', { hasText: 'Rank all' }) };
  };

  it('ranks while the page stays responsive, and Enter applies a schedule', async function () {
    this.timeout(90_000);
    const { explorer, best, start } = await opened();
    const { page } = explorer;
    await start.click();
    await best.getByText(/Ranking: [1-9][\d,]* schedules evaluated/).waitFor();
    await page.getByLabel('pad A').press('ArrowUp');
    const told = (await explorer.posted()).filter(({ type }) => type === 'changeSpec');
    assert.match(JSON.stringify(told), /"padding":\{"a":1/, 'the page stays responsive');
    const first = best.getByRole('listitem').first();
    await first.waitFor({ timeout: 80_000 });
    const count = await best.getByRole('listitem').count();
    assert.ok(count >= 8 && count <= 16, String(count));
    assert.match(await best.innerText(), /of 233,280 schedules are legal and fit an SM/);
    const [rate] = /[\d.]+ TFLOP\/s/.exec(await first.innerText()) ?? [];
    assert.ok(rate !== undefined);
    assert.deepEqual(await explorer.axe(), []);
    await first.locator('vscode-button').focus();
    await page.keyboard.press('Enter');
    await first.getByText('in use').waitFor();
    const predicted = page.locator('#verdict .waterfall > li').filter({ hasText: /^predicted/ });
    await predicted.getByText(rate).waitFor();
    assert.equal(page.workers().length, 0, 'the worker ended with its answer');
    assert.deepEqual(await explorer.cspViolations(), []);
    assert.deepEqual(explorer.errors, []);
  });

  it('is cancelled by its button and by another problem', async () => {
    const { explorer, best, start } = await opened();
    const { page } = explorer;
    await start.click();
    await best.locator('vscode-button', { hasText: 'Cancel' }).click();
    await start.waitFor();
    await start.click();
    await best.getByText('schedules evaluated').waitFor();
    await page.getByLabel('m', { exact: true }).first().fill('512');
    await start.waitFor();
    await page.waitForFunction(() => document.querySelectorAll('.model-best li').length === 0);
    if (page.workers().length > 0) await page.workers()[0]?.waitForEvent('close');
  });

  it('shows why it cannot rank: WGSL or no worker', async () => {
    const wgsl = await opened({ target: 'wgsl' });
    await wgsl.best.getByText('The time model covers CUDA only').waitFor();
    const { explorer, best, start } = await opened();
    await explorer.page.route('**/simulateWorker.js', route => route.fulfill({ status: 404 }));
    await start.click();
    await best.getByText('Loading the ranking worker failed with HTTP status 404.').waitFor();
  });
});
