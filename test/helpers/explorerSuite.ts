/**
 * Tests on the built page: one browser and one page for all of them, which is loaded again for each
 * test.
 */
import type { Browser, Page } from 'playwright-core';
import {
  DIST,
  launch,
  loadExplorer,
  newPage,
  whyNot,
  type ExplorerPage,
  type PageOptions,
} from '../../scripts/page/explorerPage';
import type { ToWebview } from '../../src/protocol';

/** For a machine whose cores are all busy. */
const TIMEOUT_MS = 120_000;

export interface SuiteOptions extends PageOptions {
  /** Whether to show the parameters, which are hidden by default. */
  readonly withForm?: boolean;
}

export interface ExplorerSuite {
  /** A page that shows what `message` says, once it does; null leaves it as it comes up. */
  readonly opened: (message: ToWebview | null, options?: SuiteOptions) => Promise<ExplorerPage>;
  readonly browser: () => Browser;
}

/** Says in its title why it is skipped where it cannot run. */
export function explorerSuite(title: string, tests: (suite: ExplorerSuite) => void): void {
  const reason = whyNot();
  describe(`${title}${reason === null ? '' : ` (skipped: ${reason})`}`, function () {
    this.timeout(TIMEOUT_MS);
    let running: Browser | undefined;
    let page: Page | undefined;
    let open: ExplorerPage | undefined;
    const there = <T>(of: T | undefined): T => {
      if (of === undefined) throw new Error('The browser is there while tests run.');
      return of;
    };
    before(async function () {
      if (reason !== null) this.skip();
      running = await launch();
      page = await newPage(running);
    });
    after(async () => {
      await running?.close();
    });
    afterEach(async () => {
      await open?.close();
      open = undefined;
    });
    tests({
      browser: () => there(running),
      opened: async (message, { withForm = false, ...options } = {}) => {
        await open?.close();
        open = await loadExplorer(there(page), { ...options, dist: DIST });
        if (message !== null) {
          await open.send(message);
          await open.page.waitForSelector('section');
          if (withForm) await open.page.locator('vscode-button', { hasText: 'Parameters' }).click();
        }
        return open;
      },
    });
  });
}
