/**
 * Links, images and icons in the text of a workspace: nothing of it is a link in VS Code, clicked
 * where it is shown.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import {
  openFile,
  runCommand,
  waitForLens,
  waitForNotification,
} from '../../../scripts/vscodeHost';
import { emit } from '../../../src/core/kernel/emit';
import { sourceHashOf } from '../../../src/core/text/hash';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { within } from '../../../scripts/host/until';
import { sampled } from '../../helpers/depth';
import { timed } from '../../helpers/measurements';
import { eventually, openVscode, type Session } from '../../e2e/session';
import { specKey } from '../../../src/core/plan/specKey';

/**
 * A busy machine can lose a key that the palette or the terminal was sent; what the text does is
 * checked each time.
 */
const MAX_RETRIES = 2;

const LABEL = 'Repair this file';
const ABOUT = `[${LABEL}](command:workbench.action.showAboutDialog)`;
const FILE = `${ABOUT}.gemm.json`;
const REMOTE = 'https://127.0.0.1:1/x.png';
/** What a device of a run is called, in Markdown, HTML, a bare address and an icon. */
const DEVICE = `![p](${REMOTE}) <img src="${REMOTE}"> [l](${REMOTE}) ${REMOTE} www.a.example $(alert)`;

const resolved = resolve({
  problem: { m: 64, n: 64, k: 64 },
  schedule: { algorithm: 'shared-tile', block: { m: 16, n: 16, k: 16 } },
});
const planned = plan(resolved, 'cuda');
assert.ok(planned.ok);
const kernel = emit(planned.plan);
const run = timed({
  gflops: 900,
  specKey: specKey(resolved),
  sourceHash: sourceHashOf(kernel),
  resolved,
  name: DEVICE,
  at: '2026-03-01T10:00:00.000Z',
});
const beside = { name: DEVICE, medianMs: 1, gflops: 1000, ratio: 0.9 };

/** A kernel and its comment, with one entry of a grid or of the problem replaced. */
const annotated = ({ entry = 'n / 16', a = {} }: { entry?: string; a?: object }): string => {
  const problem = { m: 64, n: 64, k: 64, a };
  const launch = { grid: [entry, 'm / 16'], block: [16, 16], args: ['a', 'b', 'c'] };
  const head = JSON.stringify({ problem, ...launch });
  return `// @gemm ${head}\n__global__ void cooked(const float* A, const float* B, float* C) {}\n`;
};

const specWith = (name: string): string =>
  JSON.stringify({ version: 1, problem: { m: 64, n: 64, k: 64 }, [name]: 1 });
const shell = (file: string): string => {
  const args = encodeURIComponent(JSON.stringify({ text: `touch '${file}'\n` }));
  return `[${LABEL}](command:workbench.action.terminal.sendSequence?${args.replaceAll("'", '%27')})`;
};

const FILES = {
  'field.gemm.json': specWith(ABOUT),
  [FILE]: '{"x":',
  'grid.cu': annotated({ entry: ABOUT }),
  'dtype.cu': annotated({ a: { dtype: `![p](${REMOTE})` } }),
  'card.cu': kernel.source,
  '.gemm/runs/hostile.jsonl': `${JSON.stringify({ ...run, baseline: beside })}\n`,
};

/** Clicks in the middle of a text that is drawn within an element, whatever is there. */
async function clickText(page: Page, element: Locator, text: string): Promise<void> {
  const box = await element.evaluate((node, words) => {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    for (let at = walker.nextNode(); at !== null; at = walker.nextNode()) {
      const start = at.nodeValue?.indexOf(words) ?? -1;
      if (start < 0) continue;
      const range = document.createRange();
      range.setStart(at, start);
      range.setEnd(at, start + words.length);
      const { left, top, width, height } = range.getClientRects()[0] ?? new DOMRect();
      return { x: left + width / 2, y: top + height / 2 };
    }
    return undefined;
  }, text);
  assert.ok(box, `"${text}" is on screen`);
  await page.mouse.click(box.x, box.y);
}

const linksIn = (place: Locator): Promise<readonly string[]> =>
  place.locator('a').evaluateAll(links => links.map(link => link.outerHTML));

/** The notification is text: it is clicked, and nothing happens. */
async function clickNotification({ page }: Session, command: string): Promise<void> {
  await runCommand(page, command);
  const said = await waitForNotification(page, LABEL);
  const message = page
    .locator('.notification-toast .notification-list-item-message')
    .filter({ hasText: LABEL })
    .first();
  assert.match(said, /\(command:workbench/, 'the text is shown as it is');
  assert.deepEqual(await linksIn(message), []);
  await clickText(page, message, LABEL);
}

/** Fails where a command of the text had opened its dialog: then no other command can be run. */
async function nothingOpened({ page }: Session): Promise<void> {
  await runCommand(page, 'Notifications: Clear All Notifications');
  assert.equal(await page.locator('.monaco-dialog-box').count(), 0);
}

/** A hover that has not come by then is asked for again. */
const HOVER_MS = 1_500;

/** Opens a hover until it says what is expected; returns its place. */
async function hover(page: Page, target: Locator, expected: RegExp): Promise<Locator> {
  const shown = page.locator('.monaco-hover:visible .rendered-markdown');
  await eventually(
    async () => {
      await page.mouse.move(5, 5);
      await target.hover();
      const said = async (): Promise<string> => (await shown.allInnerTexts()).join('\n');
      const found = await within(HOVER_MS, async () => {
        const text = await said();
        return expected.test(text) ? text : undefined;
      });
      return found ?? said();
    },
    said => expected.test(said),
    `a hover that says ${String(expected)}`,
  );
  return shown;
}

/** Only pictures that the text itself holds, no link, no icon but ours. */
async function isInert(place: Locator): Promise<void> {
  assert.deepEqual(await linksIn(place), []);
  const sources = await place
    .locator('img')
    .evaluateAll(images => images.map(image => image.getAttribute('src') ?? ''));
  for (const source of sources) assert.match(source, /^data:image\/svg\+xml,/);
  assert.equal(await place.locator('.codicon-alert').count(), 0);
}

for (const trust of sampled(['trusted', 'restricted'] as const)) {
  describe(`hostile text in a ${trust} folder`, function () {
    this.retries(MAX_RETRIES);
    const session = openVscode({ trust, width: 1500, height: 950, files: FILES });
    const requested: string[] = [];
    before(() => {
      session().page.on('request', request => requested.push(request.url()));
    });

    for (const [name, command] of [
      ['field.gemm.json', 'GEMM: Open explorer'],
      [FILE, 'GEMM: Open explorer'],
      ['grid.cu', 'GEMM: Open explorer'],
    ] as const) {
      it(`is no link in a notification about ${name.slice(0, 40)}`, async () => {
        const { page, picture } = session();
        await openFile(page, name, name === FILE ? LABEL : name);
        await clickNotification(session(), command);
        await picture(`hostile-${trust}-${name.replace(/\W+/g, '-').slice(0, 30)}`);
        await nothingOpened(session());
      });
    }

    it('is neither image nor link in a hover over a kernel that its comment describes', async () => {
      const { page, picture } = session();
      await openFile(page, 'dtype.cu');
      const name = page
        .locator('.monaco-editor .view-line span span', { hasText: 'cooked' })
        .last();
      const card = await hover(page, name, /!\[p\]\(https:/);
      await isInert(card);
      assert.equal(await card.locator('img').count(), 0);
      await picture(`hostile-${trust}-hover`);
    });

    it('is neither image nor link in the card of a kernel, nor an icon in its CodeLens', async () => {
      const { page, picture } = session();
      await openFile(page, 'card.cu');
      const lens = await waitForLens(page, '$');
      assert.match((await lens.innerText()).replaceAll('\u200B', ''), /\$\(alert\)/);
      assert.equal(await page.locator('.codelens-decoration .codicon').count(), 0);
      const name = page
        .locator('.monaco-editor .view-line span span', { hasText: 'gemm_shared_tile' })
        .last();
      const card = await hover(page, name, /!\[p\]\(https:/);
      await isInert(card);
      assert.equal(await card.locator('img').count(), 1, 'our own picture is there');
      await picture(`hostile-${trust}-card`);
    });

    it('is neither image nor link in the tooltip of a run', async () => {
      const { page, picture } = session();
      await runCommand(page, 'View: Show GEMM');
      const row = page.locator('.pane-body .monaco-list-row').filter({ hasText: 'shared-tile' });
      const card = await hover(page, row.last(), /!\[p\]\(https:/);
      await isInert(card);
      assert.equal(await card.locator('img').count(), 0);
      assert.ok((await card.locator('.codicon-pass').count()) > 0, 'our own icon is there');
      await picture(`hostile-${trust}-tooltip`);
    });

    it('has made VS Code ask no other machine for anything', () => {
      assert.deepEqual(
        requested.filter(url => url.includes('127.0.0.1:1/') || url.includes('a.example')),
        [],
      );
      assert.deepEqual(session().violations, []);
    });
  });
}

describe('hostile text beside an open terminal', function () {
  this.retries(MAX_RETRIES);
  const session = openVscode({ trust: 'trusted', width: 1500, height: 950 });

  it('types no command into it when the notification is clicked', async () => {
    const { page, elsewhere, workspace } = session();
    const [mark, after] = [join(elsewhere, 'mark'), join(elsewhere, 'after')];
    const { writeFile } = await import('node:fs/promises');
    await writeFile(join(workspace, 'shell.gemm.json'), specWith(shell(mark)));
    await runCommand(page, 'Terminal: Create New Terminal');
    await page.locator('.terminal-wrapper.active .xterm').waitFor();
    await openFile(page, 'shell.gemm.json');
    await clickNotification(session(), 'GEMM: Open explorer');
    await nothingOpened(session());
    // What is typed now comes after what the click had typed.
    await page.locator('.terminal-wrapper.active .xterm').click();
    await page.keyboard.type(`touch '${after}'\n`);
    await eventually(
      () => Promise.resolve(existsSync(after)),
      there => there,
      'the terminal runs what is typed',
    );
    assert.ok(!existsSync(mark), readFileSync(after, 'utf8'));
  });
});
