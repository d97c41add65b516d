/** A window whose webview has no WebGPU adapter, and the same page in a browser that has one. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { openExplorer, runInWebview, setField } from '../../../scripts/demo/steps';
import { openBrowser } from '../../../scripts/host/browser';
import { ensureInstalled } from '../../../scripts/install/index';
import { projectRoot } from '../../../scripts/install/project';
import { runCommand, screenshot } from '../../../scripts/vscodeHost';
import { readRuns } from '../../helpers/runs';
import { eventually, openVscode } from '../../e2e/session';

type Opened = typeof globalThis & { opened: string[] };

describe('the explorer in the user’s browser', () => {
  const session = openVscode({
    webgpu: 'off',
    width: 1500,
    height: 1100,
  });
  const profile = mkdtempSync(join(tmpdir(), 'gemm-browser-'));
  const violations: string[] = [];
  let context: BrowserContext;
  let frame: Frame;
  let page: Page;
  let address = '';

  const ability = async (): Promise<string> =>
    (await frame.locator('#ability').textContent()) ?? '';
  const open = async (): Promise<string> => {
    const { page: vscode } = session();
    await vscode.evaluate(() => {
      (globalThis as Opened).opened = [];
      window.open = url => {
        (globalThis as Opened).opened.push(String(url));
        return window;
      };
    });
    await frame.getByRole('button', { name: 'Open in browser' }).click();
    const [found = ''] = await eventually(
      () => vscode.evaluate(() => (globalThis as Opened).opened),
      opened => opened.length > 0,
      'the browser is opened',
    );
    // The workbench names the server's own proxy, which code-server has and its bare VS Code server
    // has not.
    return found.replace(/^http:\/\/127\.0\.0\.1:\d+\/proxy\/(\d+)\//, 'http://127.0.0.1:$1/');
  };

  before(async () => {
    const { browser } = await ensureInstalled();
    const options = { executable: browser, profile, width: 1500, height: 1100 };
    context = await openBrowser({ ...options, webgpu: 'on' });
    page = context.pages()[0] ?? (await context.newPage());
    page.on('console', message => {
      if (/Content Security Policy/i.test(message.text())) violations.push(message.text());
    });
  });

  after(async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  });

  it('is the next step where the webview has no adapter', async () => {
    frame = await openExplorer(session().page);
    const why = await eventually(
      ability,
      text => text.includes('browser'),
      'it offers the browser',
    );
    assert.match(why, /Your browser may have an adapter/);
    await session().picture('no adapter, browser offered');
    address = await open();
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/[\w-]{43}$/);
  });

  it('shows what the window shows, and each follows the other', async () => {
    await page.goto(address);
    await page.locator('#occupancy h2').waitFor();
    assert.doesNotMatch(page.url(), /[\w-]{43}\/[\w-]{43}/, 'the token leaves the address');
    // Tiles that the warps of this size's default divide, 64 x 64 or less.
    await setField(frame, 'schedule.block.m', 64);
    const there = page.locator('#field-schedule-block-m');
    await eventually(
      () => there.inputValue(),
      value => value === '64',
      'the browser follows',
    );
    await page.locator('#field-schedule-block-n').fill('128');
    const here = frame.locator('#field-schedule-block-n');
    await eventually(
      () => here.inputValue(),
      value => value === '128',
      'the window follows',
    );
  });

  it('runs WebGPU for the window, and says where', async () => {
    await eventually(
      ability,
      text => text.includes('in browser'),
      'the window runs in the browser',
    );
    for (const size of ['m', 'n', 'k']) await setField(frame, `problem.${size}`, 64);
    const said = await runInWebview(frame, 'Benchmark');
    assert.match(said, /Correct/);
    const runs = await eventually(
      async () => (await readRuns(session().workspace)).measurements,
      found => found.length > 0,
      'the run is kept',
    );
    const [run] = runs;
    assert.equal(run?.device.where, 'browser');
    assert.equal(run.outcome, 'correct');
    await session().picture('in browser, window');
    await screenshot(page, join(projectRoot(), 'out', 'screenshots', 'e2e', 'in browser.png'));
  });

  it('reloads within its session, and lets nobody else in', async () => {
    await page.reload();
    await page.locator('#occupancy h2').waitFor();
    assert.equal((await fetch(address)).status, 403, 'the token was used');
    assert.equal((await fetch(page.url())).status, 403, 'no cookie');
  });

  it('gives way to a newer tab', async () => {
    const second = await context.newPage();
    await second.goto(page.url());
    await second.locator('#occupancy h2').waitFor();
    await page.getByText('open in another tab').waitFor();
    await second.close();
    await eventually(
      ability,
      text => text.includes('Your browser may have an adapter'),
      'it is offered again',
    );
  });

  it('ends with the explorer, and violates no content security policy', async () => {
    const third = await context.newPage();
    await third.goto(await open());
    await third.locator('#occupancy h2').waitFor();
    const { page: vscode, violations: inWindow } = session();
    await runCommand(vscode, 'View: Close All Editors');
    await third.getByText('The explorer in VS Code was closed').waitFor();
    await assert.rejects(fetch(address));
    assert.deepEqual([...violations, ...inWindow], []);
  });
});
