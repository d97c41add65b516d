/**
 * An incorrect result in the page: summary, maps of C and of a tile by keyboard, and a table of
 * elements.
 */
import assert from 'node:assert/strict';
import { show, WRONG_SPEC, wrongRun } from '../../../scripts/page/samples';
import { explorerSuite } from '../../helpers/explorerSuite';

explorerSuite('an incorrect result in the page', suite => {
  it('is described, mapped, and inspected with arrow keys', async () => {
    const message = show({ spec: WRONG_SPEC, runs: [wrongRun()] });
    const explorer = await suite.opened(message, { gpu: 'none', width: 1000, height: 1200 });
    const { page } = explorer;
    const view = page.locator('.wrong');
    await view.waitFor();
    const text = await view.innerText();
    assert.match(text, /16,384 wrong elements found in 8 of 32 tiles \(64 x 128 elements each\)\./);
    assert.match(text, /Only the elements of one warp of each block are wrong\./);
    const tile = page.getByRole('slider', { name: /^Errors within a tile/ });
    const said = () => tile.getAttribute('aria-valuetext');
    assert.equal(
      await said(),
      'Row 32, column 0 of a tile: incorrect in at least one tile. Warp 2, lane 0.',
    );
    await tile.focus();
    await page.keyboard.press('ArrowUp');
    assert.equal(
      await said(),
      'Row 31, column 0 of a tile: correct in every tile. Warp 0, lane 24.',
    );
    await page.keyboard.press('End');
    assert.equal(
      await said(),
      'Row 31, column 127 of a tile: correct in every tile. Warp 1, lane 31.',
    );
    const c = page.getByRole('slider', {
      name: /^C in tiles of 64 x 128; inspect with arrow keys/,
    });
    assert.equal(await c.getAttribute('aria-valuetext'), 'Tile at row 0, column 128: incorrect.');
    await view.locator('summary').click();
    // Rendered when opened.
    await view.locator('tbody tr').nth(31).waitFor();
    assert.equal(await view.locator('tbody tr').count(), 32);
    assert.deepEqual(await explorer.axe(), []);
  });
});
