/** The Runs view: every row focused, its tooltip shown, and its commands run. */
import { within } from '../../../scripts/host/until';
import { clickLive, endJob, hoverShown, readNotifications, type Screen } from './screen';
import type { Acts } from './visit';

const ROWS = '.pane-body .monaco-list-row';

export async function lookAtRuns(screen: Screen, most: number): Promise<number> {
  const { ask, page, during } = screen;
  during.what = 'the Runs view';
  await ask('workbench', { command: 'gemm.runs.focus' });
  const rows = page.locator(ROWS).filter({ has: page.locator('.custom-view-tree-node-item') });
  const shown = await within(60_000, async () => ((await rows.count()) > 0 ? true : undefined));
  if (shown === undefined) return 0;
  const known = new Set<string>();
  for (let before = -1; known.size > before && known.size < most;) {
    before = known.size;
    for (const row of await rows.all()) {
      const text = await row.innerText({ timeout: 1_000 }).catch(() => '');
      if (text === '' || known.has(text)) continue;
      known.add(text);
      during.what = `run "${text.slice(0, 60)}"`;
      await page.mouse.move(700, 5);
      await row.hover({ timeout: 1_000 }).catch(() => undefined);
      if (await hoverShown(page)) {
        screen.counts.hovers += 1;
        await clickLive(screen, 'hover');
      }
    }
    await page.mouse.wheel(0, 300);
  }
  const seen = known.size;
  await readNotifications(screen);
  return seen;
}

const COMMANDS = [
  'gemm.compareRuns',
  'gemm.runs.filter',
  'gemm.runs.groupByMachine',
  'gemm.runs.groupByAuthor',
  'gemm.runs.groupByCommit',
  'gemm.runs.refresh',
  'gemm.exportReport',
];

/** Commands of the view, on what is focused; questions are answered with Escape. */
export async function actOnRuns(screen: Screen, acts: Acts): Promise<void> {
  for (const command of COMMANDS) {
    screen.during.what = command;
    const { job } = await screen.ask('start', { command });
    acts.commands += 1;
    await endJob(screen, job);
  }
}
