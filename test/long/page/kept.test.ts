/**
 * The analysis while a configuration is not legal: the last legal one, dimmed and out of reach,
 * until the next one.
 */
import assert from 'node:assert/strict';
import { ILLEGAL, show } from '../../../scripts/page/samples';
import { explorerSuite } from '../../helpers/explorerSuite';

explorerSuite('explorer: while a configuration is not legal', ({ opened }) => {
  it('dims the last legal analysis, and returns with the new figures', async () => {
    const { page } = await opened(show(), { withForm: true });
    const section = page.locator('#occupancy');
    await section.locator('.curve').first().waitFor();
    const built = await section.elementHandle({ timeout: 5000 });
    const width = await page.locator('.chart svg').getAttribute('width');
    const legal = await section.innerText();
    await page.locator('#field-schedule-thread-m').fill('7');
    await page.locator('#not-legal').waitFor();
    await page.getByText('Last legal configuration:').first().waitFor();
    assert.equal(await section.innerText(), legal);
    assert.equal(await section.evaluate(element => element.closest('[inert]') !== null), true);
    assert.equal(await page.locator('.listing').isVisible(), false);
    assert.doesNotMatch(await page.locator('main').innerText(), /__global__/);
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      const inside = await page.evaluate(() =>
        document.activeElement?.closest('[hidden], [inert]'),
      );
      assert.equal(inside ?? null, null);
    }
    await page.locator('#field-schedule-thread-m').fill('4');
    await page.locator('#not-legal').waitFor({ state: 'detached' });
    await section.locator('.headline').waitFor();
    assert.equal(await page.getByText('Last legal configuration:').count(), 0);
    assert.ok(await built.evaluate(element => element.isConnected), 'it was not rebuilt');
    assert.equal(await page.locator('.chart svg').getAttribute('width'), width);
    await page.locator('.listing', { hasText: 'TM = 4;' }).waitFor();
  });

  it('shows nothing before the first legal configuration', async () => {
    const { page } = await opened(
      show({
        spec: { problem: { m: 64, n: 64, k: 64, a: { ld: 10 } }, schedule: { algorithm: 'naive' } },
      }),
      { withForm: true },
    );
    await page.locator('#not-legal').waitFor();
    assert.equal(await page.locator('#occupancy').count(), 0);
    await page.locator('#field-problem-a-ld').fill('64');
    await page.locator('#occupancy .headline').waitFor();
  });

  it('hides the analysis of another document, and keeps its open parts for the next one', async () => {
    const explorer = await opened(show({ document: '1'.repeat(64) }));
    const { page } = explorer;
    await page.getByText('Arithmetic intensities').click();
    const fact = page.locator('dt', { hasText: 'intensity without caches' });
    await fact.waitFor();
    await explorer.send({ ...ILLEGAL, document: '2'.repeat(64) });
    await page.locator('#not-legal').waitFor();
    assert.equal(await page.getByText('Last legal configuration:').count(), 0);
    assert.equal(await page.locator('#occupancy').isVisible(), false);
    await explorer.send(show({ document: '3'.repeat(64) }));
    await fact.waitFor();
  });
});
