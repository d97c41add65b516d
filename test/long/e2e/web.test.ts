/** VS Code in a browser with no Node behind it, as vscode.dev is: what the extension does there. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { openExplorer, runInWebview, setField, shown } from '../../../scripts/demo/steps';
import { openBrowser } from '../../../scripts/host/browser';
import { ensureInstalled } from '../../../scripts/install/index';
import { projectRoot } from '../../../scripts/install/project';
import {
  answerDialog,
  pick,
  runCommand,
  screenshot,
  waitForActiveEditor,
  waitForEditor,
  waitForLens,
  waitForNotification,
} from '../../../scripts/vscodeHost';
import { decodeLine } from '../../../src/core/measure/historyLine';
import { specOfLink } from '../../../src/specLink';
import { requiredByWebBundle, startWebHost, type WebHost } from '../../web/webHost';
import { eventually } from '../../e2e/session';

interface Report {
  readonly host: Readonly<Record<string, unknown>>;
  readonly files: Readonly<Record<string, string>>;
}

describe('VS Code for the web, without Node', () => {
  const profile = mkdtempSync(join(tmpdir(), 'gemm-web-'));
  const violations: string[] = [];
  let web: WebHost;
  let context: BrowserContext;
  let page: Page;
  let frame: Frame;

  const picture = (name: string) =>
    screenshot(page, join(projectRoot(), 'out', 'screenshots', 'e2e', `web ${name}.png`));

  const toFront = async (title: string): Promise<void> => {
    await (await waitForEditor(page, title)).click();
    await waitForActiveEditor(page, title);
  };

  const report = async (): Promise<Report> => {
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await runCommand(page, 'Memory: Copy report');
    const text = await eventually(
      () => page.evaluate(() => navigator.clipboard.readText()),
      copied => copied !== '',
      'the report is on the clipboard',
    );
    return JSON.parse(text) as Report;
  };

  before(async () => {
    const { server, browser } = await ensureInstalled();
    web = await startWebHost(dirname(dirname(server)));
    context = await openBrowser({
      executable: browser,
      profile,
      width: 1600,
      height: 1000,
      webgpu: 'on',
    });
    page = context.pages()[0] ?? (await context.newPage());
    page.on('console', message => {
      if (/Content Security Policy/i.test(message.text())) violations.push(message.text());
    });
    await page.goto(web.url);
    await page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: 90_000 });
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await picture('failed');
  });

  after(async () => {
    await context.close();
    await web.close();
    rmSync(profile, { recursive: true, force: true });
  });

  it('runs extensions in a web worker: there is no Node', async () => {
    const { host } = await report();
    assert.deepEqual(host, {
      process: 'undefined',
      buffer: 'undefined',
      require: 'undefined',
      worker: 'function',
      isWeb: true,
      remoteName: null,
    });
    assert.deepEqual(requiredByWebBundle(), ['vscode']);
  });

  it('copies a link that carries the spec', async () => {
    await page.getByRole('treeitem', { name: 'first.gemm.json' }).dblclick();
    await waitForActiveEditor(page, 'first.gemm.json');
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await runCommand(page, 'GEMM: Copy link to this spec');
    const link = await eventually(
      () => page.evaluate(() => navigator.clipboard.readText()),
      copied => copied !== '',
      'the link is on the clipboard',
    );
    const { pathname, search } = new URL(link);
    const linked = await specOfLink(pathname, search.slice(1));
    assert.ok(linked.ok, linked.ok ? '' : linked.reason);
    assert.ok(linked.spec.problem.m > 0);
  });

  it('shows a changed tile in code, occupancy and roofline', async () => {
    await page.getByRole('treeitem', { name: 'first.gemm.json' }).dblclick();
    await waitForActiveEditor(page, 'first.gemm.json');
    frame = await openExplorer(page);
    await setField(frame, 'schedule.block.m', 64);
    await setField(frame, 'schedule.block.n', 64);
    await setField(frame, 'schedule.thread.m', 4);
    await setField(frame, 'schedule.thread.n', 4);
    const before = await shown(frame);
    await setField(frame, 'schedule.block.m', 32);
    const after = await eventually(
      () => shown(frame),
      ({ code }) => code.includes('BM = 32'),
      'the code has BM = 32',
    );
    assert.notEqual(after.occupancy, before.occupancy);
    assert.notEqual(after.roofline, before.roofline);
    await picture('configured');
  });

  it('writes CUDA and WGSL into the folder', async () => {
    await frame.getByRole('button', { name: 'Generate files', exact: true }).click();
    await waitForActiveEditor(page, /\.cu$/);
    const { files } = await report();
    const written = Object.keys(files).filter(file => file.startsWith('/workspace/gemm/'));
    assert.deepEqual(written.map(file => file.replace(/^.*\./, '')).sort(), ['cu', 'wgsl']);
    for (const file of written) assert.match(files[file] ?? '', /BM(: u32)? = 32/);
    await waitForLens(page, 'Benchmark');
  });

  it('says what nvcc needs, and verifies CUDA by simulation instead', async () => {
    await toFront('.cu');
    await runCommand(page, 'GEMM: Run and verify');
    const list = page.locator('.quick-input-widget:visible');
    await list.getByText('Open this folder in desktop VS Code').first().waitFor();
    const why = await list.locator('input[type=text]').first().getAttribute('placeholder');
    assert.match(why ?? '', /nvcc requires the desktop extension host/);
    await pick(page, 'Simulate');
    await waitForNotification(page, 'Correct');
    await picture('simulated');
  });

  it('verifies and times WGSL on WebGPU in the page, and keeps the run in the folder', async () => {
    frame = await openExplorer(page);
    const said = await runInWebview(frame, 'Benchmark');
    assert.match(said, /Correct/);
    const { files } = await eventually(
      report,
      found => runsOf(found).some(({ backend }) => backend === 'webgpu'),
      'the run is kept',
    );
    const runs = runsOf({ files });
    const run = runs.find(({ backend }) => backend === 'webgpu');
    assert.equal(run?.outcome, 'correct');
    assert.ok((run.timing?.gflops ?? 0) > 0);
    assert.equal(run.verification.samples, 64 * 64);
    await picture('measured');
  });

  it('asks before it replaces an edited file', async () => {
    await toFront('.cu');
    const editor = page.locator('.editor-instance .view-lines').first();
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('// mine');
    await page.keyboard.press('Control+S');
    await frame.getByText('This kernel source was edited after generation').first().waitFor();
    frame = await openExplorer(page);
    await frame.getByRole('button', { name: 'Generate files', exact: true }).click();
    const said = await answerDialog(page, 'Keep mine');
    assert.match(said, /Edited after it was generated: .*\.cu/);
    const { files } = await report();
    const cuda = Object.keys(files).find(file => file.endsWith('.cu')) ?? '';
    assert.match(files[cuda] ?? '', /\/\/ mine$/);
  });

  it('reproduces a tutorial with predicted rates', async () => {
    await runCommand(page, 'GEMM: Reproduce a tutorial');
    await pick(page, 'Gemm on an RTX 4090');
    // This build has no Markdown extension, so the report opens as text.
    await waitForActiveEditor(page, 'Gemm on an RTX 4090.md');
    const lines = page.locator('.editor-group-container.active .view-lines').first();
    const text = (await lines.innerText()).replaceAll('\u00A0', ' ');
    assert.match(text, /CUDA is not available, so this report/);
    assert.match(text, /Device ratio \| 81\.3 FLOP/);
    await picture('tutorial');
  });

  it('asks for files alone, and violates no content security policy', () => {
    const asked = web.refused.filter(request => !request.startsWith('GET '));
    assert.deepEqual(asked, []);
    assert.deepEqual(violations, []);
  });
});

const runsOf = ({ files }: Pick<Report, 'files'>) =>
  Object.entries(files)
    .filter(([file]) => file.startsWith('/workspace/.gemm/runs/'))
    .flatMap(([, text]) => text.split('\n').flatMap(line => decodeLine(line).records))
    .flatMap(record => (record.kind === 'run' ? [record.measurement] : []));
