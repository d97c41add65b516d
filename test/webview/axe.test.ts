/** How the tests look at colours: a part of the page once, and again as soon as its markup is another. */
import assert from 'node:assert/strict';
import { runAxeOnNew } from '../../scripts/page/axe';
import { show } from '../../scripts/page/samples';
import { explorerSuite } from '../helpers/explorerSuite';

explorerSuite('axe on what is new', ({ opened }) => {
  it('finds a colour that a part has only now, within an element of the kit too', async () => {
    const { page } = await opened(show(), { gpu: 'none' });
    // The last to come.
    await page.getByText('The curves as tables').waitFor();
    await page.locator('#spoken').getByText('Legal for').waitFor({ state: 'attached' });
    const seen = new Set<string>();
    assert.deepEqual(await runAxeOnNew(page, seen), []);
    const parts = seen.size;
    assert.ok(parts > 5, `${parts} parts`);
    assert.deepEqual(await runAxeOnNew(page, seen), []);
    assert.equal(seen.size, parts, 'nothing is new');
    await page.locator('#occupancy p').first().evaluate(hide);
    assert.match((await runAxeOnNew(page, seen)).join(), /^color-contrast: <p/);
    assert.equal(seen.size, parts + 1);
    await page.locator('#roofline vscode-button button').first().evaluate(hide);
    await runAxeOnNew(page, seen);
    assert.equal(seen.size, parts + 2, 'what is in a shadow counts');
  });
});

/** Text nearly in the colour of what it stands on; the policy allows no attribute. */
const hide = ({ style }: HTMLElement | SVGElement): void => {
  Object.assign(style, { color: '#777', background: '#666' });
};
