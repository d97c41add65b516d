/** What the workbench shows: links and images that lead to a trap, and clicks on them. */
import type { Frame, Page } from 'playwright-core';
import { until, within } from '../../../scripts/host/until';
import type { Ask } from './companion';

/** A link or an image that file text made, and where it was. */
export interface Live {
  readonly where: string;
  readonly target: string;
}

const NOTIFICATIONS = '.notifications-toasts.visible, .notifications-center.visible';
const HOVERS = '.monaco-hover:not(.hidden)';
export const AREAS = {
  notification: NOTIFICATIONS,
  hover: HOVERS,
  lens: '.codelens-decoration',
} as const;
export type Area = keyof typeof AREAS;

const BAIT =
  'evil.canary|AUTHORITY|\\.invalid|showAboutDialog|sendSequence|vscode://settings|/etc/passwd';
const MARK = 'data-live';

export const bait = (authority: string): string =>
  BAIT.replace('AUTHORITY', authority.replaceAll('.', '\\.'));

/** Marks the elements below `selector` whose target is bait, and returns the targets. */
export const findLive = (
  page: Page | Frame,
  selector: string,
  pattern: string,
): Promise<readonly string[]> =>
  page.evaluate(
    ([selector, pattern, mark]) => {
      const isBait = new RegExp(pattern);
      const targets: string[] = [];
      for (const area of document.querySelectorAll(selector)) {
        for (const element of area.querySelectorAll('a, img, [data-href], [src], [href]')) {
          const names = ['href', 'data-href', 'src']
            .map(name => element.getAttribute(name) ?? '')
            // Our own picture, which holds names as text.
            .filter(name => !name.startsWith('data:image/svg+xml,'));
          const target =
            names.find(name => isBait.test(name)) ??
            (isBait.test(decode(names)) ? names.join('') : undefined);
          if (target === undefined) continue;
          element.setAttribute(mark, String(targets.push(target) - 1));
        }
      }
      return targets;
      function decode(texts: readonly string[]): string {
        try {
          return decodeURIComponent(texts.join(' '));
        } catch {
          return '';
        }
      }
    },
    [selector, pattern, MARK] as const,
  );

export interface Screen {
  readonly page: Page;
  readonly ask: Ask;
  readonly bait: string;
  readonly live: Live[];
  readonly counts: Counts;
  readonly during: { what: string };
}

export interface Counts {
  clicks: number;
  notifications: number;
  hovers: number;
  dialogs: number;
}

/** Clicks everything live in an area, and closes what opened. */
export async function clickLive(screen: Screen, area: Area): Promise<void> {
  const { page, live, counts, during } = screen;
  const targets = await findLive(page, AREAS[area], screen.bait);
  for (const [index, target] of targets.entries()) {
    live.push({ where: `${area} of ${during.what}`, target: target.slice(0, 200) });
    const element = page.locator(`[${MARK}="${index}"]:visible`).first();
    const clicked = await element.click({ timeout: 1_000, force: true }).then(
      () => true,
      () => false,
    );
    if (clicked) counts.clicks += 1;
    // What a click started has reached the window when the next command comes back.
    await screen
      .ask('workbench', { command: 'workbench.action.focusNotifications' })
      .catch(() => null);
    await closeDialogs(screen);
  }
}

/** Escape for every dialog and question that is open. */
export async function closeDialogs({ page, counts }: Screen): Promise<void> {
  for (const selector of ['.monaco-dialog-box', '.quick-input-widget:visible']) {
    while ((await page.locator(selector).count()) > 0) {
      counts.dialogs += 1;
      await page.keyboard.press('Escape');
      const gone = await within(1_000, async () =>
        (await page.locator(selector).count()) === 0 ? true : undefined,
      );
      if (gone === true) break;
    }
  }
}

/** Shows every notification, clicks in each, then clears them all. */
export async function readNotifications(screen: Screen): Promise<void> {
  const { page, ask, counts } = screen;
  // What the extension said before has arrived when this command comes back.
  await ask('workbench', { command: 'workbench.action.focusActiveEditorGroup' });
  const center = page.locator('.notifications-center.visible');
  await until('the list of notifications', async () => {
    await ask('workbench', { command: 'notifications.showList' });
    return within(1_000, async () => ((await center.count()) > 0 ? true : undefined));
  });
  const messages = center.locator('.notification-list-item-message');
  const count = await messages.count();
  if (count > 0) {
    counts.notifications += count;
    await clickLive(screen, 'notification');
    for (let index = 0; index < Math.min(count, 4); index++) {
      const clicked = await messages
        .nth(index)
        .click({ timeout: 300 })
        .then(
          () => 1,
          () => 0,
        );
      counts.clicks += clicked;
    }
    await closeDialogs(screen);
  }
  await ask('workbench', { command: 'notifications.clearAll' });
  await ask('workbench', { command: 'notifications.hideList' });
}

/** A tune may search for minutes: after this time it is cancelled, as a user would do it. */
const PATIENCE_MS = 30_000;

async function cancelProgress({ page, ask }: Screen): Promise<void> {
  await ask('workbench', { command: 'notifications.showList' });
  const cancel = page
    .locator('.notification-list-item')
    .getByRole('button', { name: 'Cancel', exact: true })
    .first();
  if (await cancel.isVisible()) await cancel.click({ timeout: 2_000 }).catch(() => undefined);
}

/**
 * Waits for a job that may ask, warn or open a dialog meanwhile: every question is answered with
 * Escape.
 */
export async function endJob(screen: Screen, job: number): Promise<void> {
  const { page, ask } = screen;
  const began = performance.now();
  await until(
    `the end of ${screen.during.what}`,
    async () => {
      if ((await ask('job', { job })).ended) return true;
      if (performance.now() - began > PATIENCE_MS) await cancelProgress(screen);
      const open = await page.evaluate(
        ({ notifications }) => ({
          asks: [...document.querySelectorAll('.monaco-dialog-box, .quick-input-widget')].some(
            element => element.checkVisibility(),
          ),
          says:
            document.querySelector(`${notifications} .notification-list-item`) !== null ||
            document.querySelector('.notification-toast') !== null,
        }),
        { notifications: '.notifications-center.visible' },
      );
      if (open.asks) await closeDialogs(screen);
      if (open.says) await readNotifications(screen);
      return undefined;
    },
    120_000,
  );
  await readNotifications(screen);
}

const HOVER_MS = 1_500;

/** Some hovers stay away, such as those over text that is too long. */
export const hoverShown = async (page: Page): Promise<boolean> =>
  (await within(HOVER_MS, async () => {
    const texts = await page.locator(AREAS.hover).allInnerTexts();
    return texts.some(text => text.trim() !== '' && !text.includes('Loading')) ? true : undefined;
  })) === true;
