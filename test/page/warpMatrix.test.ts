/** A warp on the rows of the matrices in the explorer, with its sectors, and saved as a picture. */
import assert from 'node:assert/strict';
import { until } from '../../scripts/host/until';
import { show } from '../../scripts/page/samples';
import { explorerSuite } from '../helpers/explorerSuite';

explorerSuite('a warp on the matrices', suite => {
  const opened = async (summary: string) => {
    const explorer = await suite.opened(
      show({
        spec: {
          problem: { m: 1024, n: 1024, k: 1024 },
          schedule: { algorithm: 'coalesced', block: { m: 32, n: 32 } },
        },
      }),
      { gpu: 'none' },
    );
    await explorer.page.locator('#memory').scrollIntoViewIfNeeded();
    const heading = explorer.page.locator('#memory summary', { hasText: summary });
    await heading.focus();
    await explorer.page.keyboard.press('Enter');
    return explorer;
  };

  it('shows the lanes and sectors of the warp that the keyboard selects', async () => {
    const explorer = await opened('Sectors per request');
    const { page } = explorer;
    const load = page.locator('.request', { hasText: 'A load' });
    const cells = load.locator('rect.mark.cell');
    await load.getByText('A load: lanes on row 0, column 0 of A (1024 x 1024).').waitFor();
    // One element for all lanes, and one sector.
    assert.equal(await cells.count(), 2);
    await page.getByRole('combobox', { name: 'Warp whose requests are drawn' }).focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter'])
      await page.keyboard.press(key);
    const second = page.locator('.request', { hasText: 'lanes on row 2, columns 0 to 31 of C' });
    await second.waitFor();
    assert.equal(await second.locator('rect.mark.cell').count(), 32 + 4);
    assert.match(await second.innerText(), /sectors: 4, lines: 1,/);
    assert.deepEqual(await explorer.axe(), []);
  });

  it('compares the three mappings of threads, and saves them as SVG', async () => {
    const explorer = await opened('Naive, swapped and remapped threads');
    const { page } = explorer;
    const figures = page.locator('.warp-variants figure');
    await figures.first().waitFor();
    assert.deepEqual(await figures.locator('.number').allInnerTexts(), [
      'Sectors: A 32, B 1, C 32',
      'Sectors: A 1, B 4, C 4',
      'Sectors: A 1, B 4, C 4',
    ]);
    assert.match(await figures.nth(1).innerText(), /32 x 32 threads, this kernel/);
    const save = page.locator('#memory .warp-variants ~ details');
    await save.locator('summary').click();
    await save.getByRole('button', { name: 'Save SVG' }).click();
    const sent = await until('the picture to be sent', async () =>
      (await explorer.posted()).find(({ type }) => type === 'exportChart'),
    );
    assert.equal(sent['name'], 'requests');
    assert.match(String(sent['content']), /A load: sectors 32, lines 32/);
    assert.deepEqual(await explorer.axe(), []);
    assert.deepEqual(explorer.errors, []);
  });
});
