/** The deferred part of the page: loaded once after the first frame, with a retry after failure. */
import assert from 'node:assert/strict';
import type { ExplorerPage } from '../../../scripts/page/explorerPage';
import { show } from '../../../scripts/page/samples';
import { openServed } from '../../../scripts/page/servedPage';
import { explorerSuite } from '../../helpers/explorerSuite';

const PART = '**/webviewLater.js';
const curves = ({ page }: ExplorerPage) => page.locator('#occupancy .curve');
const details = ({ page }: ExplorerPage) => page.locator('#occupancy');

explorerSuite('explorer: the deferred part of the page', ({ opened, browser }) => {
  it('is loaded once, after the first frame', async () => {
    const explorer = await opened(null);
    const asked: string[] = [];
    explorer.page.on('request', request => asked.push(new URL(request.url()).pathname));
    await explorer.send(show());
    await curves(explorer).first().waitFor();
    await explorer.page.locator('vscode-button', { hasText: 'Parameters' }).click();
    await explorer.page.getByText('Presets').click();
    await explorer.page.locator('.presets li').first().waitFor();
    assert.deepEqual(
      asked.filter(name => name.endsWith('.js')),
      ['/dist/0/webviewLater.js'],
    );
    assert.deepEqual(await explorer.cspViolations(), []);
    assert.deepEqual(explorer.errors, []);
  });

  it('reserves the space of a view until it is loaded', async () => {
    const explorer = await opened(null);
    let go: () => void = () => undefined;
    const held = new Promise<void>(resolve => (go = resolve));
    await explorer.page.route(PART, async route => {
      await held;
      await route.fallback();
    });
    await explorer.send(show());
    const room = details(explorer).locator('.awaited');
    await room.getByText('Loading').waitFor();
    assert.equal(await room.getAttribute('aria-busy'), 'true');
    const kept = (await room.boundingBox())?.height ?? 0;
    assert.ok(kept > 300, `${kept} px`);
    assert.deepEqual(await explorer.axe(), []);
    go();
    await curves(explorer).first().waitFor();
    assert.equal(await room.count(), 0);
  });

  it('shows why loading failed, and retries', async () => {
    const explorer = await opened(null);
    await explorer.page.route(PART, route => route.fulfill({ status: 404 }));
    await explorer.send(show());
    const alert = details(explorer).getByRole('alert');
    await alert.waitFor();
    assert.match(await alert.innerText(), /^A section of this page failed to load: .+/);
    assert.deepEqual(await explorer.axe(), []);
    // Views outside the deferred part still work.
    await explorer.page.locator('vscode-button', { hasText: 'Parameters' }).click();
    await explorer.page.getByLabel('pad A').press('ArrowUp');
    await explorer.page.locator('h1[title*=pad1x0]').waitFor({ state: 'attached' });
    await explorer.page.unroute(PART);
    await explorer.page.route(PART, route => route.fallback());
    await details(explorer).getByText('Try again').click();
    await curves(explorer).first().waitFor();
    assert.equal(await alert.count(), 0);
  });

  it('is served to a browser, under its policy', async () => {
    const explorer = await openServed(browser());
    try {
      await explorer.send(show());
      await curves(explorer).first().waitFor();
      assert.deepEqual(await explorer.cspViolations(), []);
      assert.deepEqual(explorer.errors, []);
    } finally {
      await explorer.close();
    }
  });
});
