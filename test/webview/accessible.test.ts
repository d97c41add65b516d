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
import { STATES, type PageState } from '../../scripts/page/states';
import { THEMES } from '../../scripts/page/themes';

/** The second kit shares styles and views with the first: its elements are what one width shows. */
const WIDTHS = { toolkit: [300, 760, 1600], elements: [300] } as const;
const HEIGHT = 900;

const reason = whyNot();

for (const kit of ['toolkit', 'elements'] as const) {
  const widths = WIDTHS[kit];
  const dist = KITS[kit];
  describe(`accessible page, ${kit}${reason === null ? '' : ` (skipped: ${reason})`}`, function () {
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

    const reach = async ({ messages, gpu, act }: PageState): Promise<ExplorerPage> => {
      const explorer = await openExplorer(browser, { dist, ...(gpu === undefined ? {} : { gpu }) });
      for (const message of messages) await explorer.send(message);
      if (messages.length > 0) await explorer.page.waitForSelector('#configuration');
      await act?.(explorer.page);
      await explorer.unfold();
      return explorer;
    };

    for (const state of STATES) {
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
      assert.equal(looks, STATES.length * Object.keys(THEMES).length * widths.length);
    });
  });
}
