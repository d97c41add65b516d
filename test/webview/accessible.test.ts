/**
 * Every state of the page: axe finds nothing at any of three widths nor in any of four themes, nothing breaks the CSP,
 * headings have their order, and nothing is lost at 200 and 400 %. Themes take widths in turn, another one in the next
 * state, so that each state is seen in all themes and at all widths; the first look is at the page as a whole too. States that
 * differ in words alone, in elements of the same classes, and all of the kit that is not shipped, take one theme and width in
 * turn. An element is not looked at again where one of its kind was, in the same colours and, for rules on other things, at
 * any width.
 */
import assert from 'node:assert/strict';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import {
  KITS,
  launch,
  openExplorerIn,
  warmContext,
  whyNot,
  type ExplorerPage,
  type ThemeName,
} from '../../scripts/page/explorerPage';
import { runAxeOnNew } from '../../scripts/page/axe';
import type { Kinds } from '../../scripts/page/kinds';
import { openServed } from '../../scripts/page/servedPage';
import {
  BROWSER_STATES,
  STATES,
  STATES_OF_EACH_KIND,
  type PageState,
} from '../../scripts/page/states';
import { THEMES } from '../../scripts/page/themes';
import { lostByZoom } from '../helpers/zoomed';

/** The second kit shares styles and views with the first: its elements are what one width shows. */
const PLACES = {
  toolkit: { widths: [300, 760, 1600], states: STATES },
  elements: { widths: [300], states: STATES_OF_EACH_KIND },
  /** Not in VS Code, with the colours of the system. */
  browser: { widths: [300, 760, 1600], states: BROWSER_STATES },
} as const;
const HEIGHT = 900;

const themes = Object.keys(THEMES) as readonly ThemeName[];

/** From the i-th on, and around. */
const turned = <T>(all: readonly T[], i: number): readonly T[] => {
  const from = i % all.length;
  return [...all.slice(from), ...all.slice(0, from)];
};

/** One h1, and no level left out. */
async function hasHeadings(page: Page): Promise<void> {
  const levels = await page
    .locator('h1, h2, h3, h4')
    .evaluateAll(all => all.map(({ tagName }) => Number(tagName.slice(1))));
  assert.equal(levels.filter(level => level === 1).length, 1);
  assert.equal(levels[0], 1);
  levels.forEach((level, i) => {
    assert.ok(level <= (levels[i - 1] ?? 0) + 1, levels.join(' '));
  });
}

const reason = whyNot();

/** Of which elements axe has seen one: all places together, since they share most of them. */
const seen: Kinds = { structure: new Map(), colours: new Map() };

for (const place of Object.keys(PLACES) as readonly (keyof typeof PLACES)[]) {
  const { widths, states } = PLACES[place];
  describe(`accessible page, ${place}${reason === null ? '' : ` (skipped: ${reason})`}`, function () {
    this.timeout(120_000);
    let browser: Browser;
    let context: BrowserContext;
    const looks = new Set<string>();

    before(async function () {
      if (reason !== null) this.skip();
      browser = await launch();
      context = await warmContext(browser);
    });
    after(async () => {
      if (reason === null) await browser.close();
    });

    const reach = async ({ messages, gpu = 'software', saved, act }: PageState) => {
      const explorer: ExplorerPage =
        place === 'browser'
          ? await openServed(browser, { gpu })
          : await openExplorerIn(context, { dist: KITS[place], gpu, saved: saved ?? null });
      for (const message of messages) await explorer.send(message);
      if (messages.length > 0) await explorer.page.waitForSelector('section');
      await act?.(explorer.page);
      await explorer.unfold();
      return explorer;
    };

    states.forEach((state, i) => {
      const isOfItsKind = STATES_OF_EACH_KIND.includes(state);
      const numThemes = isOfItsKind && place !== 'elements' ? themes.length : 1;
      it(`${state.name}: ${numThemes} of ${themes.length} themes, ${widths.join(', ')} px`, async () => {
        const explorer = await reach(state);
        const { page } = explorer;
        const look = async (theme: ThemeName, width: number): Promise<void> => {
          await explorer.setTheme(theme);
          await page.setViewportSize({ width, height: HEIGHT });
          const look = `${theme}, ${width} px`;
          looks.add(look);
          assert.deepEqual(await runAxeOnNew(page, seen), [], look);
        };
        for (const [j, theme] of turned(themes, i).slice(0, numThemes).entries()) {
          // Backwards: in step, themes would meet some widths late.
          const width = widths[(i + 2 * j) % widths.length]!;
          await look(theme, width);
          // Landmarks and the like are rules on a page as a whole, which other words change nothing of.
          if (j === 0 && isOfItsKind)
            assert.deepEqual(await explorer.axe('structure'), [], `${width} px`);
        }
        if (place === 'toolkit' && isOfItsKind) {
          await hasHeadings(page);
          assert.deepEqual(await lostByZoom(page), []);
        }
        assert.deepEqual(await explorer.cspViolations(), []);
        assert.deepEqual(explorer.errors, []);
        await explorer.close();
      });
    });

    it('was looked at in every theme at every width', () => {
      assert.equal(looks.size, themes.length * widths.length);
    });
  });
}
