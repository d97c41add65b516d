/** Every state of the page, in every theme and at three widths: axe finds nothing, and nothing breaks the CSP. */
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import {
  KITS,
  launch,
  openExplorer,
  whyNot,
  type ExplorerPage,
} from '../../scripts/page/explorerPage';
import { openServed } from '../../scripts/page/servedPage';
import {
  BROWSER_STATES,
  STATES,
  STATES_OF_EACH_KIND,
  type PageState,
} from '../../scripts/page/states';
import { THEMES } from '../../scripts/page/themes';

/** The second kit shares styles and views with the first: its elements are what one width shows. */
const PLACES = {
  toolkit: { widths: [300, 760, 1600], states: STATES },
  elements: { widths: [300], states: STATES_OF_EACH_KIND },
  /** Not in VS Code, with the colours of the system. */
  browser: { widths: [300, 760, 1600], states: BROWSER_STATES },
} as const;
const HEIGHT = 900;

const reason = whyNot();

for (const place of ['toolkit', 'elements', 'browser'] as const) {
  const { widths, states } = PLACES[place];
  describe(`accessible page, ${place}${reason === null ? '' : ` (skipped: ${reason})`}`, function () {
    this.timeout(120_000);
    let browser: Browser;
    let looks = 0;

    before(async function () {
      if (reason !== null) this.skip();
      browser = await launch();
    });
    after(async () => {
      if (reason === null) await browser.close();
    });

    const reach = async ({ messages, gpu = 'software', saved, act }: PageState) => {
      const explorer: ExplorerPage =
        place === 'browser'
          ? await openServed(browser, { gpu })
          : await openExplorer(browser, { dist: KITS[place], gpu, saved: saved ?? null });
      for (const message of messages) await explorer.send(message);
      if (messages.length > 0) await explorer.page.waitForSelector('section');
      await act?.(explorer.page);
      await explorer.unfold();
      return explorer;
    };

    for (const state of states) {
      it(`${state.name}: 4 themes, ${widths.join(', ')} px`, async () => {
        const explorer = await reach(state);
        for (const theme of Object.keys(THEMES) as (keyof typeof THEMES)[]) {
          await explorer.setTheme(theme);
          for (const width of widths) {
            await explorer.page.setViewportSize({ width, height: HEIGHT });
            assert.deepEqual(await explorer.axe(), [], `${theme}, ${width} px`);
            looks++;
          }
        }
        assert.deepEqual(await explorer.cspViolations(), []);
        assert.deepEqual(explorer.errors, []);
        await explorer.close();
      });
    }

    it('was looked at in every combination', () => {
      assert.equal(looks, states.length * Object.keys(THEMES).length * widths.length);
    });
  });
}
