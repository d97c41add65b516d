/** Compiled facts in a browser: current and stale ones, and the requirements of compiling. */
import assert from 'node:assert/strict';
import { drawn } from '../../../scripts/page/openedPage';
import { COMPILED, INSPECTED, SPEC, show } from '../../../scripts/page/samples';
import { explorerSuite } from '../../helpers/explorerSuite';

explorerSuite('compiled facts in the page', suite => {
  const opened = async (over: Parameters<typeof show>[0] = {}) => {
    const explorer = await suite.opened(show({ spec: SPEC, ...over }), {
      gpu: 'none',
      withForm: true,
    });
    const compiled = explorer.page.getByRole('region', { name: 'Compiled', exact: true });
    await compiled.waitFor();
    return { explorer, compiled };
  };

  it('requests them, compares them with the loop IR, and marks them stale for another kernel', async () => {
    const { explorer, compiled } = await opened();
    const { page } = explorer;
    await compiled.getByText('Not compiled yet').waitFor();
    await compiled.locator('vscode-button', { hasText: 'Compile to PTX' }).focus();
    await page.keyboard.press('Enter');
    const asked = (await explorer.posted()).filter(({ type }) => type === 'inspect');
    assert.deepEqual(asked, [{ type: 'inspect', language: 'ptx' }]);
    await explorer.send(COMPILED);
    await explorer.send(INSPECTED);
    await compiled.getByRole('heading', { name: 'PTX, nvcc 13.0.88, sm_90' }).waitFor();
    const words = await compiled.innerText();
    assert.match(words, /registers per thread\s+96 compiler/i);
    assert.match(words, /FMAs per shared load\s+4 compiler/i);
    const rows = await compiled.locator('tbody tr').allInnerTexts();
    assert.match(rows[0] ?? '', /^FMA\s+520\s+512\s+512/);
    assert.match(rows[1] ?? '', /^shared-memory loads\s+130\s+128\s+256\s+The compiler merges/);
    assert.deepEqual(await explorer.axe(), []);
    // Another source is another kernel without compiler facts.
    await page.getByLabel('pad A').press('ArrowUp');
    await compiled.getByText('These figures belong to an earlier configuration').waitFor();
    assert.equal(await compiled.locator('.stale').count(), 1);
    await page.keyboard.press('Control+z');
    await compiled.locator('.stale').waitFor({ state: 'detached' });
  });

  it('shows the requirements in Restricted Mode, and is absent without CUDA', async () => {
    const { explorer, compiled } = await opened({ trusted: false });
    await compiled.getByText('Compiling requires a trusted workspace').waitFor();
    await compiled.locator('vscode-button', { hasText: 'Compile' }).dispatchEvent('click');
    await drawn(explorer.page);
    assert.ok(!(await explorer.posted()).some(({ type }) => type === 'inspect'));
    const { page } = await suite.opened(show({ spec: { ...SPEC, device: 'apple-m4' } }), {
      gpu: 'none',
    });
    await page.locator('#memory details').first().waitFor();
    assert.equal(await page.locator('#compiled').count(), 0);
  });
});
