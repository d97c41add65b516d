/**
 * The analysis of a configuration that is not legal: out of sight and out of reach, and back as it
 * was.
 */
import assert from 'node:assert/strict';
import { show } from '../../../scripts/page/samples';
import { explorerSuite } from '../../helpers/explorerSuite';

explorerSuite('explorer: while a configuration is not legal', ({ opened }) => {
  it('hides all its figures, and returns with the new ones', async () => {
    const { page } = await opened(show());
    const section = page.locator('#occupancy');
    await section.locator('.curve').first().waitFor();
    const built = await section.elementHandle({ timeout: 5000 });
    const width = await page.locator('.chart svg').getAttribute('width');
    await page.locator('#field-schedule-thread-m').fill('7');
    await page.locator('#not-legal').waitFor();
    assert.equal(await section.isVisible(), false);
    assert.equal(await page.locator('.listing').isVisible(), false);
    const text = await page.locator('main').innerText();
    assert.doesNotMatch(text, /Occupancy|Roofline|Memory access|__global__/);
    assert.equal(await page.getByRole('heading', { name: 'Roofline' }).count(), 0);
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      const inside = await page.evaluate(() => document.activeElement?.closest('[hidden]'));
      assert.equal(inside ?? null, null);
    }
    await page.locator('#field-schedule-thread-m').fill('4');
    await section.locator('.headline').waitFor();
    assert.ok(await built.evaluate(element => element.isConnected), 'it was not rebuilt');
    assert.equal(await page.locator('.chart svg').getAttribute('width'), width);
    assert.match(await page.locator('.listing').innerText(), /TM = 4;/);
  });

  it('shows nothing before the first legal configuration', async () => {
    const { page } = await opened(
      show({
        spec: { problem: { m: 64, n: 64, k: 64, a: { ld: 10 } }, schedule: { algorithm: 'naive' } },
      }),
    );
    await page.locator('#not-legal').waitFor();
    assert.equal(await page.locator('#occupancy').count(), 0);
    await page.locator('#field-problem-a-ld').fill('64');
    await page.locator('#occupancy .headline').waitFor();
  });
});
