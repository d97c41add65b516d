/** A wrong result in the page: words, C and a tile read by keyboard, and the elements as a table. */
import assert from 'node:assert/strict';
import { show, WRONG_SPEC, wrongRun } from '../../scripts/page/samples';
import { explorerSuite } from '../helpers/explorerSuite';

explorerSuite('a wrong result in the page', suite => {
  it('is named, drawn, and read by arrow keys', async () => {
    const message = show({ spec: WRONG_SPEC, runs: [wrongRun()] });
    const explorer = await suite.opened(message, { gpu: 'none', width: 1000, height: 1200 });
    const { page } = explorer;
    const view = page.locator('.wrong');
    await view.waitFor();
    const text = await view.innerText();
    assert.match(text, /16,384 wrong elements found, in 8 of 32 tiles of 64 x 128\./);
    assert.match(text, /Only the elements of one warp of each block are wrong\./);
    const tile = page.getByRole('slider', { name: /^A tile: wrong in some tile/ });
    const said = () => tile.getAttribute('aria-valuetext');
    assert.equal(await said(), 'Row 32, column 0 of a tile: wrong in some tile. Warp 2, lane 0.');
    await tile.focus();
    await page.keyboard.press('ArrowUp');
    assert.equal(await said(), 'Row 31, column 0 of a tile: right in every tile. Warp 0, lane 24.');
    await page.keyboard.press('End');
    assert.equal(
      await said(),
      'Row 31, column 127 of a tile: right in every tile. Warp 1, lane 31.',
    );
    const c = page.getByRole('slider', { name: /^C by tiles of 64 x 128; arrow keys/ });
    assert.equal(await c.getAttribute('aria-valuetext'), 'Tile at row 0, column 128: wrong.');
    await view.locator('summary').click();
    // Drawn when it is opened.
    await view.locator('tbody tr').nth(31).waitFor();
    assert.equal(await view.locator('tbody tr').count(), 32);
    assert.deepEqual(await explorer.axe(), []);
  });
});
