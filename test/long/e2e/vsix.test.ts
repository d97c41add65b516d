/**
 * The VSIX, installed as a user installs it: the minified extension activates and opens its page.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openExplorer, shown } from '../../../scripts/demo/steps';
import { measureSizes } from '../../../scripts/pack/sizes';
import { closeModalEditor, openFile, runCommand } from '../../../scripts/vscodeHost';
import { openVscode } from '../../e2e/session';

const folder = mkdtempSync(join(tmpdir(), 'gemm-vsix-'));

describe('the VSIX in VS Code', () => {
  before(() => {
    measureSizes(folder);
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const session = openVscode({ extensionPath: join(folder, 'gemm-explorer.vsix'), height: 1400 });

  it('activates', async () => {
    const { page } = session();
    await openFile(page, 'first.gemm.json');
    await runCommand(page, 'Developer: Show Running Extensions');
    const row = page.locator('.runtime-extensions-editor .extension', { hasText: 'GEMM Explorer' });
    await row.waitFor();
    // Said once it is over: the row may be there before.
    await row.locator('.activation-time', { hasText: /\d+ ?ms/ }).waitFor();
    await closeModalEditor(page);
  });

  it('opens the explorer, which shows an analysis without a violation of its policy', async () => {
    const { page, violations, picture } = session();
    const frame = await openExplorer(page);
    const { code, occupancy } = await shown(frame);
    assert.match(code, /__global__|@compute/);
    assert.match(occupancy, /\d+ %/);
    await picture('vsix');
    assert.deepEqual(violations, []);
  });
});
