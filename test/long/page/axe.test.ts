/**
 * How the tests look at colours: at an element of a kind once, and again as soon as its colours or
 * what is around it differ.
 */
import assert from 'node:assert/strict';
import { runAxeOnNew } from '../../../scripts/page/axe';
import type { Kinds } from '../../../scripts/page/kinds';
import { show } from '../../../scripts/page/samples';
import { explorerSuite } from '../../helpers/explorerSuite';

explorerSuite('axe on what is new', ({ opened }) => {
  it('finds a colour that one of many alike has only now, within an element of the kit too', async () => {
    const { page } = await opened(show(), { gpu: 'none' });
    // The last to come.
    await page.getByText('Curves as tables').waitFor();
    await page.locator('#spoken').getByText('Legal for').waitFor({ state: 'attached' });
    const seen: Kinds = { structure: new Map(), colours: new Map() };
    const look = () => runAxeOnNew(page, seen);
    assert.deepEqual(await look(), []);
    const kinds = seen.colours.size;
    assert.ok(kinds > 100, `${kinds} kinds`);
    assert.deepEqual(await look(), []);
    assert.equal(seen.colours.size, kinds, 'nothing is new');
    const sections = await page.locator('section').count();
    await page.locator('#occupancy p').last().evaluate(hide);
    const found = await look();
    assert.equal(found.length, 1, 'of the one that differs alone');
    assert.match(found[0]!, /^color-contrast: <p/);
    assert.ok(seen.colours.size > kinds);
    assert.equal(await page.locator('section').count(), sections, 'all sections are back');
    const before = seen.colours.size;
    await page.locator('#roofline vscode-button button').first().evaluate(hide);
    await look();
    assert.ok(seen.colours.size > before, 'what is in a shadow counts');
  });

  it('looks at other rules again where an element has other attributes, and not where a theme has other colours', async () => {
    const explorer = await opened(show(), { gpu: 'none' });
    const { page } = explorer;
    await page.getByText('Curves as tables').waitFor();
    await page.locator('#spoken').getByText('Legal for').waitFor({ state: 'attached' });
    const seen: Kinds = { structure: new Map(), colours: new Map() };
    const look = () => runAxeOnNew(page, seen);
    assert.deepEqual(await look(), []);
    const kinds = seen.structure.size;
    await explorer.setTheme('highContrastLight');
    assert.deepEqual(await look(), []);
    assert.equal(seen.structure.size, kinds);
    await page
      .locator('#occupancy p')
      .last()
      .evaluate(element => {
        element.setAttribute('role', 'buton');
      });
    assert.match((await look()).join(), /^aria-roles: <p/);
  });

  it('looks again where the page replaces an element before axe runs', async () => {
    const { page } = await opened(show(), { gpu: 'none' });
    await page.getByText('Curves as tables').waitFor();
    await page.locator('#spoken').getByText('Legal for').waitFor({ state: 'attached' });
    const seen: Kinds = { structure: new Map(), colours: new Map() };
    assert.deepEqual(await runAxeOnNew(page, seen), []);
    await page.evaluate(replaceWhenListed);
    assert.match((await runAxeOnNew(page, seen)).join(), /^aria-roles: <p/);
    assert.equal(await page.evaluate(() => document.querySelectorAll('[role=buton]').length), 1);
  });
});

/**
 * Gives a paragraph a wrong role, and replaces it by a copy when the elements of the page are
 * listed for the first time.
 */
function replaceWhenListed(): void {
  document.querySelector('#occupancy p')?.setAttribute('role', 'buton');
  let listed: unknown;
  let isReplaced = false;
  Object.defineProperty(globalThis, 'shown', {
    configurable: true,
    get: () => listed,
    set: (elements: unknown) => {
      listed = elements;
      const paragraph = document.querySelector('#occupancy p');
      if (!isReplaced) paragraph?.replaceWith(paragraph.cloneNode(true));
      isReplaced = true;
    },
  });
}

/** Text nearly in the colour of what it stands on; the policy allows no attribute. */
const hide = ({ style }: HTMLElement | SVGElement): void => {
  Object.assign(style, { color: '#777', background: '#666' });
};
