/** "Predict, then check" in the explorer: by keyboard, with the derivation, in all themes. */
import assert from 'node:assert/strict';
import type { ThemeName } from '../../scripts/page/explorerPage';
import { show, timed } from '../../scripts/page/samples';
import { THEMES } from '../../scripts/page/themes';
import type { GemmSpec } from '../../src/core/spec/schema';
import { explorerSuite } from '../helpers/explorerSuite';

const NAIVE: GemmSpec = {
  problem: { m: 1024, n: 1024, k: 1024 },
  schedule: { algorithm: 'naive', block: { m: 32, n: 32 } },
};
const TILED: GemmSpec = { ...NAIVE, schedule: { algorithm: 'warp-tile' } };

explorerSuite('predict, then check', suite => {
  const opened = async (section: string, spec = NAIVE) => {
    const explorer = await suite.opened(show({ spec }), { gpu: 'none' });
    const part = explorer.page.locator(section);
    await part.scrollIntoViewIfNeeded();
    await part.locator('.predict summary').focus();
    await explorer.page.keyboard.press('Enter');
    await part.locator('.predict-question').waitFor();
    return { ...explorer, part, status: part.locator('.predict-question [role=status]') };
  };

  it('is answered by keyboard, and shows the mistake, the correct answer and the derivation', async () => {
    const { page, part, status, axe } = await opened('#tiles');
    assert.equal(
      await part.locator('legend').innerText(),
      'Which thread of block (0, 0) accumulates C(9, 3)?',
    );
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowUp');
    assert.equal(await part.locator('label:has(:checked)').innerText(), 'thread 291');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await status
      .filter({
        hasText:
          'Not correct. This thread has the element with exchanged row and column. The correct answer is: thread 105.',
      })
      .waitFor();
    const lines = await part
      .getByRole('list', { name: 'Derivation' })
      .locator('li')
      .allInnerTexts();
    assert.ok(lines.includes('Warp: floor(105 / 32) = 3; lane: 105 mod 32 = 9.'));
    assert.equal(
      await part.locator('label', { hasText: 'correct' }).innerText(),
      'thread 105\n✓ correct',
    );
    assert.deepEqual(await axe(), []);
  });

  it('hides the figures of its section until the check, and asks for an answer', async () => {
    const { page, part, status } = await opened('#memory');
    const table = part.getByRole('table', { name: 'Global memory: 32-byte sectors per request' });
    assert.equal(await table.isVisible(), false);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await status.filter({ hasText: 'Select an answer first.' }).waitFor();
    await part.getByLabel('32', { exact: true }).check();
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await status.filter({ hasText: /^Correct\.$/ }).waitFor();
    assert.equal(await table.isVisible(), true);
    await part.locator('.predict summary').click();
    await part.locator('.predict summary').click();
    await status.filter({ hasText: /^Correct\.$/ }).waitFor();
  });

  it('hides the occupancy in the head until the check', async () => {
    const { page, part } = await opened('#occupancy');
    const figure = page.locator('.summary .occupancy-figure');
    assert.equal(await figure.isVisible(), false);
    assert.equal(await part.locator('.headline').isVisible(), false);
    await part.getByLabel('2', { exact: true }).check();
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await figure.filter({ hasText: '%' }).waitFor();
    await part.locator('.headline').waitFor();
  });

  it('goes through the questions of a section, and keeps the answers', async () => {
    const { page, part } = await opened('#block-steps', TILED);
    const legend = part.locator('legend');
    assert.match(await legend.innerText(), /Which element of A is in As\[3\]\[17\]\?$/);
    await part.getByLabel('A(17, 3)', { exact: true }).check();
    const next = page.getByRole('button', { name: 'Next question' });
    await next.focus();
    await page.keyboard.press('Enter');
    await legend.filter({ hasText: 'Which element of B is in Bs[3][17]?' }).waitFor();
    assert.equal(await part.locator(':checked').count(), 0);
    // The focus moves to the new question.
    await page.keyboard.press('Tab');
    assert.equal(await part.locator('input:focus').count(), 1);
    await next.focus();
    await page.keyboard.press('Enter');
    await legend.filter({ hasText: 'As[3][17]' }).waitFor();
    assert.equal(await part.locator('label:has(:checked)').innerText(), 'A(17, 3)');
  });

  it('keeps the answer when a run arrives, and asks again when the spec changes the answer', async () => {
    const { page, part, status, send } = await opened('#occupancy');
    await part.getByLabel('2', { exact: true }).check();
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await status.filter({ hasText: /^Correct\.$/ }).waitFor();
    await send(show({ spec: NAIVE, runs: [timed(4, NAIVE)] }));
    await page.locator('#results', { hasText: 'FLOP/s' }).waitFor();
    assert.equal(await status.innerText(), 'Correct.');
    const small = { ...NAIVE, schedule: { algorithm: 'naive', block: { m: 16, n: 16 } } } as const;
    await send(show({ spec: small }));
    await part.locator('legend', { hasText: 'A block has 256 threads' }).waitFor();
    assert.equal(
      await part.locator('.predict-question [data-asking], .predict-question[data-asking]').count(),
      1,
    );
    assert.equal(await part.locator('.derivation').count(), 0);
  });

  it('has no question about the staging of a kernel without shared memory', async () => {
    const explorer = await suite.opened(show({ spec: NAIVE }), { gpu: 'none' });
    const part = explorer.page.locator('#block-steps');
    await part.locator('.predict summary').click();
    await part
      .getByText(/no question about this kernel\. It requires .* tiles into shared memory/)
      .waitFor();
  });

  it('is accessible in all themes, before and after the check', async () => {
    const explorer = await opened('#occupancy');
    const { page, part } = explorer;
    const inThemes = async (): Promise<void> => {
      for (const theme of Object.keys(THEMES) as ThemeName[]) {
        await explorer.setTheme(theme);
        assert.deepEqual(await explorer.axe(), [], theme);
      }
    };
    await inThemes();
    await part.getByLabel('32', { exact: true }).check();
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await part.locator('.wrong').waitFor();
    await inThemes();
    assert.deepEqual(explorer.errors, []);
  });
});
