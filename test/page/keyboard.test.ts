/** Keyboard navigation: the tab order of the whole page, skip links, and preserved focus. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { within } from '../../scripts/host/until';
import { drawn } from '../../scripts/page/openedPage';
import type { ExplorerPage, ThemeName } from '../../scripts/page/explorerPage';
import { own, show, timed, withSchedule } from '../../scripts/page/samples';
import { THEMES } from '../../scripts/page/themes';
import type { ToWebview } from '../../src/protocol';
import { explorerSuite } from '../helpers/explorerSuite';
import { sampled } from '../helpers/depth';

/** Upper bound of the tab stops of a view. */
const MOST_STOPS = 300;

/** Frames until the page has drawn the effect of a button and moved the focus. */
const FRAMES_OF_AN_ANSWER = 10;

/** Adds buttons before and after the page, in place of VS Code's own. */
const addEnds = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const end = (id: string): HTMLButtonElement => {
      const button = document.createElement('button');
      button.id = id;
      button.textContent = id;
      return button;
    };
    document.body.prepend(end('before'));
    document.body.append(end('after'));
    document.getElementById('before')?.focus();
  });

interface Stop {
  /** Index of the element among the focused ones. */
  readonly key: string;
  readonly id: string;
  readonly seen: boolean;
  readonly what: string;
}

const stopOf = (page: Page): Promise<Stop> =>
  page.evaluate(() => {
    const element = document.activeElement ?? document.body;
    const box = element.getBoundingClientRect();
    const known = element.getAttribute('data-stop');
    const marked = document.querySelectorAll('[data-stop]').length;
    const key = known ?? String(marked);
    element.setAttribute('data-stop', key);
    const { id, outerHTML } = element;
    return { key, id, seen: box.width > 0 || box.height > 0, what: outerHTML.slice(0, 120) };
  });

async function walk(page: Page, key: 'Tab' | 'Shift+Tab', until: string): Promise<readonly Stop[]> {
  const stops: Stop[] = [];
  for (;;) {
    await page.keyboard.press(key);
    const stop = await stopOf(page);
    if (stop.id === until) return stops;
    assert.ok(stops.length < MOST_STOPS, `no way out at ${stop.what}`);
    assert.notEqual(stop.key, stops.at(-1)?.key, `stuck at ${stop.what}`);
    stops.push(stop);
  }
}

const WALKED: Readonly<Record<string, ToWebview>> = {
  'a configuration': show({ runs: [timed(0.02)] }),
  'a pipelined one': show({ spec: withSchedule({ algorithm: 'pipelined' }) }),
  'an illegal one': show({ spec: withSchedule({ algorithm: 'pipelined', stages: 9 }) }),
  'an own kernel': show({ own: own('hand-written') }),
};

explorerSuite('the page by keyboard', ({ opened }) => {
  for (const [name, message] of sampled(Object.entries(WALKED))) {
    it(`goes through ${name} with Tab, and back with Shift+Tab`, async () => {
      const explorer = await opened(message, { gpu: 'none' });
      const { page } = explorer;
      await explorer.unfold();
      await addEnds(page);
      const there = await walk(page, 'Tab', 'after');
      const back = await walk(page, 'Shift+Tab', 'before');
      assert.ok(there.length > 10, `${there.length} stops`);
      for (const { seen, what } of there) assert.ok(seen, `focus on what has no size: ${what}`);
      assert.deepEqual(
        back.map(({ key }) => key).reverse(),
        there.map(({ key }) => key),
      );
    });
  }
});

explorerSuite('keyboard focus', ({ opened }) => {
  const focusOf = (page: Page): Promise<string> =>
    page.evaluate(() => {
      const { activeElement } = document;
      return activeElement === document.body ? 'nowhere' : (activeElement?.id ?? '');
    });
  const button = ({ page }: ExplorerPage, name: string) =>
    page.locator('vscode-button', { hasText: name }).first();
  const pressed = async (explorer: ExplorerPage, name: string): Promise<string> => {
    const { page } = explorer;
    await button(explorer, name).focus();
    await page.keyboard.press('Enter');
    await drawn(page, FRAMES_OF_AN_ANSWER);
    return focusOf(page);
  };

  it('reaches every tile field of a narrow page with at most 8 keys', async () => {
    const spec = withSchedule({ algorithm: 'pipelined' });
    const explorer = await opened(show({ spec }), { width: 700, gpu: 'none' });
    const { page } = explorer;
    assert.equal(await page.locator('#configuration').count(), 0);
    await page.evaluate(() => {
      (document.activeElement as HTMLElement | null)?.blur();
    });
    for (const key of ['Tab', 'Enter']) await page.keyboard.press(key);
    for (const [index, name] of ['block-m', 'block-n', 'block-k', 'stages'].entries()) {
      if (index > 0) await page.keyboard.press('Tab');
      assert.equal(await focusOf(page), `field-schedule-${name}`);
    }
    await page.locator('#field-schedule-block-k').focus();
    await page.keyboard.press('ArrowUp');
    await page.getByText('constexpr int BK = 16;').waitFor();
    assert.deepEqual(await explorer.axe(), []);
    await button(explorer, 'Parameters').click();
    await page.locator('#configuration').waitFor();
    assert.equal(await page.locator('.quick').count(), 0);
    await button(explorer, 'Hide parameters').click();
    await page.locator('.sticky-head .quick').waitFor();
  });

  it('moves with skip links, which are visible only while focused', async () => {
    const { page } = await opened(show(), { withForm: true });
    for (const [name, id] of [
      ['Configuration', 'configuration'],
      ['Analysis', 'analysis'],
      ['Measured', 'results'],
      ['Kernel', 'code'],
    ] as const) {
      const link = page.locator('.skip a', { hasText: name });
      await link.focus();
      const box = await link.boundingBox();
      assert.ok(box !== null && box.height >= 24, name);
      await page.keyboard.press('Enter');
      assert.equal(await focusOf(page), id);
      assert.ok(
        await page.locator(`#${id}`).evaluate(element => element.getBoundingClientRect().top < 450),
        `${name} is in view`,
      );
    }
    assert.equal(
      await page
        .locator('.skip a')
        .first()
        .evaluate(element => getComputedStyle(element).clipPath),
      'inset(50%)',
    );
  });

  it('reaches the skip links first', async () => {
    const { page } = await opened(show());
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Tile size');
  });

  it('stays at the field that was fixed', async () => {
    const explorer = await opened(
      show({ spec: withSchedule({ algorithm: 'pipelined', stages: 9 }) }),
    );
    await explorer.page.locator('.reasons vscode-button').first().focus();
    await explorer.page.keyboard.press('Enter');
    await drawn(explorer.page, FRAMES_OF_AN_ANSWER);
    assert.match(await focusOf(explorer.page), /^field-/);
    await explorer.page.getByLabel('BM').fill('0');
    await explorer.page.getByLabel('BM').blur();
    assert.match(await pressed(explorer, 'Restore'), /^field-schedule-block/);
  });

  it('stays at a field that becomes illegal while views disappear', async () => {
    const { page } = await opened(show());
    const field = page.getByLabel('stages').or(page.getByLabel('BK')).first();
    await field.focus();
    await field.fill('4096');
    await page.waitForSelector('#not-legal');
    assert.match(await focusOf(page), /^field-schedule/);
    assert.equal(await field.inputValue(), '4096');
  });

  it('is preserved after a button disappears or becomes disabled', async () => {
    const explorer = await opened(show({ runs: [timed(0.02)] }), { withForm: true });
    const { page } = explorer;
    await page.getByText(/^Runs on /).waitFor();
    await page.getByLabel('BM').fill('64');
    assert.notEqual(await pressed(explorer, 'Undo'), 'nowhere', 'Undo');
    assert.notEqual(await pressed(explorer, 'Redo'), 'nowhere', 'Redo');
    await page.locator('.presets summary').click();
    assert.notEqual(await pressed(explorer, 'Use'), 'nowhere', 'Use');
    assert.notEqual(await pressed(explorer, 'Pin'), 'nowhere', 'Pin');
    assert.notEqual(await pressed(explorer, 'Unpin'), 'nowhere', 'Unpin');
    await explorer.send({ type: 'failed', message: 'Nothing was run.' });
    assert.notEqual(await pressed(explorer, 'Dismiss'), 'nowhere', 'Dismiss');
    assert.equal(await pressed(explorer, 'Verify'), 'backend', 'Verify');
    await explorer.send({ type: 'progress', id: 'a', stage: 'timing' });
    assert.notEqual(await pressed(explorer, 'Cancel'), 'nowhere', 'Cancel');
  });

  it('is preserved for another kernel and another file', async () => {
    const explorer = await opened(show());
    const { page } = explorer;
    await page.locator('#roofline .chart').focus();
    await explorer.send(show({ own: own('edited') }));
    await page.getByText('This kernel source was edited').waitFor();
    assert.notEqual(await focusOf(page), 'nowhere');
    await explorer.send(show({ spec: withSchedule({ algorithm: 'pipelined', stages: 9 }) }));
    await page.waitForSelector('#not-legal');
    assert.notEqual(await focusOf(page), 'nowhere');
  });
});

const LONGEST_DRAWING_MS = 60_000;

/** One element of each focusable kind. */
const KINDS = [
  '#field-schedule-block-m',
  '#field-schedule-algorithm',
  '.run-controls vscode-button >> nth=2',
  '[role=tab][tabindex="0"]',
  '.presets summary',
  '.summary a >> nth=0',
  '.curve .plot >> nth=0',
  '#roofline .chart',
  '#roofline [role=option][tabindex="0"]',
  '.table >> nth=0',
  '.listing >> nth=0',
] as const;

explorerSuite('focus', ({ opened }) => {
  for (const theme of sampled(Object.keys(THEMES) as ThemeName[], 2)) {
    it(`is visible on every focusable element: ${theme}`, async () => {
      const { page } = await opened(show({ runs: [timed(0.02)] }), {
        theme,
        gpu: 'none',
        withForm: true,
      });
      await page.waitForSelector('.curve .plot');
      const look = async (selector: string): Promise<Buffer> => {
        const box = await page.locator(selector).boundingBox();
        assert.ok(box !== null, selector);
        const x = Math.max(0, box.x - 4);
        // A tall element starts above the viewport: check its edge below the sticky header.
        const y = box.height > 300 ? Math.max(300, box.y) : Math.max(0, box.y - 4);
        const clip = {
          x,
          y,
          width: Math.min(box.width + 8, 500),
          height: Math.min(box.height + 8, 80),
        };
        return page.screenshot({ clip, caret: 'hide' });
      };
      for (const selector of KINDS) {
        const element = page.locator(selector);
        await element.scrollIntoViewIfNeeded();
        await page.evaluate(() => {
          (document.activeElement as HTMLElement | null)?.blur();
        });
        // A key press, so that :focus-visible applies.
        await page.keyboard.press('Shift');
        const without = await look(selector);
        await element.focus();
        const changed = await within(LONGEST_DRAWING_MS, async () =>
          without.equals(await look(selector)) ? undefined : true,
        );
        assert.ok(changed, selector);
      }
    });
  }
});
