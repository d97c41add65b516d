/**
 * axe on states of the page: no violation, headings in order, no CSP violation; in the long tier
 * nothing lost at 200 and 400 % zoom. Each state takes `numThemes` themes, and widths in turn,
 * another one in the next state. An element is not checked again where one of its kind was checked
 * in the same colours and, for rules on other things, at any width.
 */
import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { runAxeOnNew } from '../../scripts/page/axe';
import {
  DIST,
  launch,
  loadExplorer,
  newPage,
  whyNot,
  type ExplorerPage,
  type ThemeName,
} from '../../scripts/page/explorerPage';
import type { Kinds } from '../../scripts/page/kinds';
import { openServed } from '../../scripts/page/servedPage';
import type { PageState } from '../../scripts/page/states';
import { THEMES } from '../../scripts/page/themes';
import { IS_WHOLE } from './depth';
import { lostByZoom } from './zoomed';

const WIDTHS_PX = [300, 760, 1600];
const HEIGHT_PX = 900;

const themes = Object.keys(THEMES) as readonly ThemeName[];

const rotated = <T>(all: readonly T[], i: number): readonly T[] => {
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

export interface AccessibleOptions {
  /** In a browser the page is not in VS Code and has the colours of the system. */
  readonly place: 'webview' | 'browser';
  readonly states: readonly PageState[];
  readonly numThemes: number;
  /** Shared by suites of one process: kinds of elements that axe has checked. */
  readonly seen: Kinds;
}

export function describeAccessible({ place, states, numThemes, seen }: AccessibleOptions): void {
  const reason = whyNot();
  describe(`accessible page, ${place}${reason === null ? '' : ` (skipped: ${reason})`}`, function () {
    this.timeout(120_000);
    let browser: Browser;
    let page: Page;
    const looks = new Set<string>();

    before(async function () {
      if (reason !== null) this.skip();
      browser = await launch();
      page = await newPage(browser);
    });
    after(async () => {
      if (reason === null) await browser.close();
    });

    const reach = async ({ messages, gpu = 'software', saved, act }: PageState) => {
      const explorer: ExplorerPage =
        place === 'browser'
          ? await openServed(browser, { gpu })
          : await loadExplorer(page, { dist: DIST, gpu, saved: saved ?? null });
      for (const message of messages) await explorer.send(message);
      if (messages.length > 0) await explorer.page.waitForSelector('section');
      await act?.(explorer.page);
      await explorer.unfold();
      return explorer;
    };

    states.forEach((state, i) => {
      it(`passes axe: ${state.name}, ${numThemes} of ${themes.length} themes`, async () => {
        const explorer = await reach(state);
        const { page } = explorer;
        for (const [j, theme] of rotated(themes, i).slice(0, numThemes).entries()) {
          // Widths go backwards: in step with the themes, some pairs would never occur.
          const width = WIDTHS_PX[(i + 2 * j) % WIDTHS_PX.length]!;
          await explorer.setTheme(theme);
          await page.setViewportSize({ width, height: HEIGHT_PX });
          const look = `${theme}, ${width} px`;
          looks.add(look);
          assert.deepEqual(await runAxeOnNew(page, seen), [], look);
          // Landmarks and the like are rules on a page as a whole: one theme, and one state in a
          // sample, are enough.
          if (j === 0 && (IS_WHOLE || i === 0))
            assert.deepEqual(await explorer.axe('structure'), [], look);
        }
        if (place === 'webview') {
          await hasHeadings(page);
          if (IS_WHOLE) assert.deepEqual(await lostByZoom(page), []);
        }
        assert.deepEqual(await explorer.cspViolations(), []);
        assert.deepEqual(explorer.errors, []);
        await explorer.close();
      });
    });

    const numLooks = themes.length * WIDTHS_PX.length;
    if (states.length * numThemes >= numLooks)
      it('checks every theme at every width', () => {
        assert.equal(looks.size, numLooks);
      });
  });
}
