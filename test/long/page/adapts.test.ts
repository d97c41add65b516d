/** The page at 200 and 400 %, with forced colors, without motion, and by touch. */
import assert from 'node:assert/strict';
import { show, timed, withSchedule } from '../../../scripts/page/samples';
import { explorerSuite } from '../../helpers/explorerSuite';

const LEAST_TARGET_PX = 24;

explorerSuite('the page adapts', ({ opened }) => {
  it('leaves most of a low window to scrolling content', async () => {
    const { page } = await opened(show({ unwritten: true }), { width: 320, height: 256 });
    await page.evaluate(() => {
      window.scrollTo(0, 2000);
    });
    const stuck = await page.evaluate(() =>
      Math.max(
        0,
        ...[...document.querySelectorAll('.sticky-head')].map(element => {
          const { top, bottom } = element.getBoundingClientRect();
          return getComputedStyle(element).position === 'sticky' && top <= 0 ? bottom : 0;
        }),
      ),
    );
    assert.ok(stuck < 100, `${stuck} of 256 px`);
  });

  it('has targets of 24 px or more', async () => {
    const spec = withSchedule({ algorithm: 'pipelined' });
    const explorer = await opened(show({ spec, runs: [timed(0.05, spec), timed(0.06, spec)] }));
    const { page } = explorer;
    await explorer.unfold();
    for (const width of [300, 1600]) {
      await page.setViewportSize({ width, height: 900 });
      const small = await page.evaluate(least => {
        const all = document.querySelectorAll(
          // A handle of a tile has an equivalent number field (WCAG 2.5.8).
          'a[href], button, summary, input, vscode-button, vscode-dropdown, [role=tab], [role=slider]:not(.tile-handle)',
        );
        return [...all].flatMap(element => {
          const target = element.closest('label') ?? element;
          const { width: w, height: h } = target.getBoundingClientRect();
          return w >= least && h >= least ? [] : [`${w} x ${h}: ${element.outerHTML.slice(0, 80)}`];
        });
      }, LEAST_TARGET_PX);
      assert.deepEqual(small, [], `${width} px`);
    }
  });

  it('keeps chart marks distinguishable in forced colors', async () => {
    const explorer = await opened(show({ runs: [timed(0.02)] }), { gpu: 'none' });
    const { page } = explorer;
    await page.waitForSelector('.curve .plot');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ forcedColors: 'active', colorScheme });
      const colours = await page.evaluate(() => {
        const of = (selector: string, what: 'fill' | 'stroke') => {
          const element = document.querySelector(selector);
          return element === null ? selector : getComputedStyle(element)[what];
        };
        return {
          canvas: getComputedStyle(document.body).backgroundColor,
          roof: of('.mark.ceiling', 'stroke'),
          own: of('.mark.ceiling-measured', 'stroke'),
          label: of('text.mark.label', 'fill'),
          halo: of('text.mark.label', 'stroke'),
          measured: of('.point.measured', 'fill'),
          curve: of('.curve .step', 'stroke'),
          now: of('.curve circle.now', 'fill'),
          limiting: of('.bars .limiting .fill', 'fill'),
        };
      });
      const { canvas, halo, ...marks } = colours;
      assert.equal(halo, canvas, colorScheme);
      for (const [name, colour] of Object.entries(marks))
        assert.notEqual(colour, canvas, `${name}, ${colorScheme}`);
      assert.notEqual(marks.roof, marks.own);
      assert.notEqual(marks.roof, marks.measured);
    }
  });

  it('does not animate with reduced motion', async () => {
    const explorer = await opened(show());
    const { page } = explorer;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await explorer.send({ type: 'progress', id: 'a', stage: 'Timing', fraction: 0.4 });
    await page.locator('.progress').getByText('40 %').waitFor();
    const moving = await page.evaluate(() => document.getAnimations().length);
    assert.equal(moving, 0);
    await page.getByLabel('BM').fill('64');
    assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
    assert.equal(await page.locator('.spinner').isVisible(), false);
  });
});
