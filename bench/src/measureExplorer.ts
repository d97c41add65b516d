/**
 * Measures how long a configuration change takes to appear on the shipped page, in Chromium with
 * real keystrokes. The script enforces no time limit. It writes bench/explorer.json:
 * node out/bench/measureExplorer.js
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { ensureBrowser } from '../../scripts/install/browser';
import { projectRoot } from '../../scripts/install/project';
import { stage } from '../../scripts/pack/stage';
import { ROUND, type KeyPress } from './page/changes';
import { launch, openExplorer, type ExplorerPage } from '../../scripts/page/explorerPage';
import { measureFirstPaint, measureShow } from './page/messages';
import { showWithRuns } from './page/recorded';
import { clockStepMs, frameShown, installStopwatch, timeOf, type Sample } from './page/stopwatch';

const CHANGES = 500;
const WARM_UP = ROUND.length;
const LOADS = 10;
const FLOOR_CHANGES = 100;
const RUNS = 200;
const root = projectRoot();
const staged = join(root, 'out', 'explorer', 'package');

interface Change extends Sample {
  readonly kind: KeyPress['kind'];
}

/**
 * Chromium flags that start a frame as soon as the page needs painting, instead of at the display's
 * next refresh.
 */
const WITHOUT_TICK = ['--disable-frame-rate-limit', '--disable-gpu-vsync'];

async function measureChanges(flags: readonly string[]): Promise<readonly Change[]> {
  return withExplorer(flags, async explorer => {
    const changes: Change[] = [];
    for (let i = 0; i < WARM_UP + CHANGES; i++) {
      const step = ROUND[i % ROUND.length];
      if (step !== undefined) changes.push(await change(explorer, step));
    }
    return changes.slice(WARM_UP);
  });
}

/**
 * Times a page that only copies a field's text, to measure the overhead of browser and stopwatch.
 */
async function measureFloor(flags: readonly string[]): Promise<readonly Sample[]> {
  return withExplorer(flags, async ({ page }) => {
    await page.evaluate(() => {
      const [field, copy] = [document.createElement('input'), document.createElement('output')];
      field.id = 'bare';
      field.addEventListener('input', () => {
        copy.textContent = field.value;
      });
      document.getElementById('root')?.replaceChildren(field, copy);
    });
    await page.locator('#bare').focus();
    const samples: Sample[] = [];
    for (let i = 0; i < FLOOR_CHANGES; i++) {
      samples.push(await timeOf(page, () => page.keyboard.press(String(i % 10))));
    }
    return samples;
  });
}

async function change({ page }: ExplorerPage, step: KeyPress): Promise<Change> {
  await page.locator(`#${step.field}`).focus();
  if (step.replaces) await page.keyboard.press('Control+A');
  await frameShown(page);
  const sample = await timeOf(page, () => page.keyboard.press(step.key));
  if (sample.paintMs === null)
    throw new Error(`Key ${step.key} in field ${step.field} did not change the page.`);
  return { kind: step.kind, ...sample };
}

async function withExplorer<T>(
  flags: readonly string[],
  use: (explorer: ExplorerPage, browser: Browser) => Promise<T>,
): Promise<T> {
  const browser = await launch(flags);
  try {
    const explorer = await openExplorer(browser, { dist: join(staged, 'dist') });
    await explorer.send(showWithRuns(RUNS));
    await explorer.page.waitForSelector('#tiles');
    // The edits use fields of the head and of the form.
    await explorer.page.locator('vscode-button', { hasText: 'Parameters' }).click();
    await explorer.page.waitForSelector('#configuration');
    await installStopwatch(explorer.page);
    const result = await use(explorer, browser);
    if (explorer.errors.length > 0) throw new Error(explorer.errors.join('\n'));
    return result;
  } finally {
    await browser.close();
  }
}

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
/**
 * Commit of the measured files, with the suffix `-dirty` if the files differ from it. It is read
 * before the measurement.
 */
const commit = git('describe', '--always', '--dirty', '--exclude=*', '--abbrev=12');

await ensureBrowser();
stage(staged);
const before = loadavg();
const facts = await withExplorer([], async ({ page }, browser) => ({
  browser: browser.version(),
  isolated: await page.evaluate(() => crossOriginIsolated),
  clockStepMs: await clockStepMs(page),
}));
const floor = await measureFloor(WITHOUT_TICK);
const work = await measureChanges(WITHOUT_TICK);
const atTick = await measureChanges([]);
const messages = await withExplorer(WITHOUT_TICK, explorer => measureShow(explorer, RUNS));
const firstPaint = await measureFirstPaint(join(staged, 'dist'), LOADS);

const [cpu] = cpus();
const record = {
  what: `${CHANGES} configuration changes by keystroke, after ${WARM_UP} warm-up changes, with ${RUNS} earlier runs`,
  command: 'node out/bench/measureExplorer.js',
  commit,
  machine: `${cpus().length} x ${cpu?.model.trim() ?? 'unknown CPU'}`,
  load: { before, after: loadavg() },
  ...facts,
  floor,
  work,
  atTick,
  messages,
  firstPaint,
};
const rounded = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Math.round(value * 1000) / 1000 : value;
writeFileSync(join(root, 'bench', 'explorer.json'), `${JSON.stringify(record, rounded)}\n`);
console.log(JSON.stringify(summary(work)), JSON.stringify(summary(atTick)));

function summary(changes: readonly Change[]): unknown {
  const at = (values: readonly number[], part: number): number =>
    values.toSorted((a, b) => a - b)[Math.ceil(part * values.length) - 1] ?? NaN;
  const of = (values: readonly number[]) => [0.5, 0.95, 1].map(part => at(values, part).toFixed(2));
  return {
    paint: of(changes.flatMap(({ paintMs }) => paintMs ?? [])),
    derive: of(changes.flatMap(({ deriveMs }) => deriveMs ?? [])),
  };
}
