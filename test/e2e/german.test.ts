/** VS Code with German as its display language: commands, CodeLens, the explorer, a run and its notification. */
import assert from 'node:assert/strict';
import type { Frame } from 'playwright-core';
import { explorer } from '../../scripts/demo/steps';
import {
  codeLenses,
  openFile,
  pickLabels,
  runCommand,
  waitForLens,
  waitForNotification,
} from '../../scripts/vscodeHost';
import { eventually, openVscode } from './session';

const KERNEL = `// @gemm {"problem":{"m":64,"n":64,"k":64},"grid":["ceil(n / 16)","ceil(m / 16)"],"block":[16,16],"args":["m","n","k","a","b","c"]}
__global__ void eigener(int m, int n, int k, const float* a, const float* b, float* c) {}
`;

describe('VS Code in German', () => {
  const session = openVscode({
    ...{ language: 'de', width: 1500, height: 1000 },
    files: { 'eigener.cu': KERNEL },
  });
  let frame: Frame;

  it('names its commands in German', async () => {
    const { page, picture } = session();
    await openFile(page, 'first.gemm.json');
    await page.keyboard.press('F1');
    await page.keyboard.type('GEMM: ');
    await eventually(
      () => pickLabels(page),
      labels => labels.some(label => label.startsWith('GEMM: Explorer öffnen')),
      'the command in German',
    );
    await picture('german-palette');
    await page.keyboard.press('Escape');
  });

  it('shows the explorer in German, with German numbers', async () => {
    const { page, picture } = session();
    await runCommand(page, 'GEMM: Explorer öffnen');
    frame = await explorer(page);
    const said = await frame.locator('body').innerText();
    for (const words of ['Konfiguration', 'Prüfen', 'Dateien erzeugen', 'Läuft auf', '62,5 %'])
      assert.ok(said.includes(words), words);
    for (const words of ['Configuration', 'Generate files', 'Runs on', '62.5 %'])
      assert.ok(!said.includes(words), words);
    await picture('german-explorer');
  });

  it('speaks German over kernels, and of the tool chain', async () => {
    const { page, picture } = session();
    await runCommand(page, 'View: Focus First Editor Group');
    await openFile(page, 'eigener.cu');
    await waitForLens(page, 'Prüfen');
    assert.ok((await codeLenses(page)).includes('nicht gemessen'));
    await picture('german-lens');
    await runCommand(page, 'GEMM: Werkzeugkette prüfen');
    await eventually(
      () => pickLabels(page),
      labels => labels.some(label => label.includes('nvcc')),
      'the tool chain',
    );
    await picture('german-tool-chain');
    await page.keyboard.press('Escape');
  });

  it('says in German how a run went', async () => {
    const { page, picture } = session();
    await frame.getByRole('button', { name: 'Prüfen', exact: true }).click();
    const said = await waitForNotification(page, 'Richtig: ');
    assert.match(said, /^Richtig: gemm-\S+ auf .*, 65536 Elemente, größter Fehler /);
    await picture('german-run');
  });

  it('violates no content security policy', () => {
    assert.deepEqual(session().violations, []);
  });
});
