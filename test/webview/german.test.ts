/** The page in German: texts, numbers and the document's language follow, and nothing needs more room than there is. */
import assert from 'node:assert/strict';
import { ILLEGAL, show, timed } from '../../scripts/page/samples';
import { explorerSuite } from '../helpers/explorerSuite';

explorerSuite('the page in German', ({ opened }) => {
  it('says it in German, with German numbers, and code as it is', async () => {
    const explorer = await opened(null, { language: 'de', gpu: 'none' });
    const { page } = explorer;
    assert.equal(await page.locator('html').getAttribute('lang'), 'de');
    await explorer.send(show({ runs: [timed(0.02)] }));
    await page.locator('#configuration').waitFor();
    const said = await page.locator('#root').innerText();
    for (const words of ['Konfiguration', 'Gemessen', 'Prüfen', 'abgeleitet', '65.536 Elemente'])
      assert.ok(said.includes(words), words);
    for (const words of ['Configuration', 'Measured', 'Verify'])
      assert.ok(!said.includes(words), words);
    assert.match(await page.locator('pre.source').innerText(), /constexpr int BM = 128;/);
    await page
      .getByText('Zulässig für CUDA. Neuestes Ergebnis: Richtig.')
      .waitFor({ state: 'attached' });
  });

  it('gives the reason in German, and fits 300, 760 and 1,600 pixels', async function () {
    this.timeout(60_000);
    const explorer = await opened(null, { language: 'de', gpu: 'none' });
    const { page } = explorer;
    await explorer.send(ILLEGAL);
    await page.getByText('braucht eine Leading Dimension von mindestens 256').first().waitFor();
    for (const message of [ILLEGAL, show({ runs: [timed(0.02)] })]) {
      await explorer.send(message);
      await explorer.unfold();
      for (const width of [300, 760, 1600]) {
        await page.setViewportSize({ width, height: 900 });
        const over = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        assert.ok(over <= 0, `${width} px: ${over} px too wide`);
        assert.deepEqual(await explorer.axe(), [], `${width} px`);
      }
    }
  });
});
