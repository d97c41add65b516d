/** Why not at the roof, in a browser: steps that lead to the prediction and the run, and edits that a button applies. */
import assert from 'node:assert/strict';
import { show, timed } from '../../scripts/page/samples';
import { explorerSuite } from '../helpers/explorerSuite';

const spec = {
  problem: { m: 1024, n: 1024, k: 1024 },
  schedule: { algorithm: 'warp-tile' as const },
};

explorerSuite('why not at the roof, in the page', suite => {
  it('goes from the roof to the newest run, and tries an edit by keyboard', async () => {
    const message = show({ spec, runs: [timed(0.07, spec)] });
    const explorer = await suite.opened(message, { gpu: 'none', width: 1400, height: 1000 });
    const { page } = explorer;
    const gap = page.getByRole('region', { name: 'Why not at the roof' });
    const steps = gap.locator('.falls > li');
    await steps.first().waitFor();
    const names = await steps.locator('b').allInnerTexts();
    assert.equal(names[0], 'roof');
    assert.ok(names.includes('latency that is not hidden'));
    assert.deepEqual(names.slice(-3), [
      'predicted',
      'not explained by the model',
      'measured, the newest run',
    ]);
    assert.match(await steps.last().innerText(), /30\.7 TFLOP\/s, 70 µs\s+measured/i);
    assert.deepEqual(await explorer.axe(), []);
    const edit = gap.locator('.fall-edit').first();
    const words = /: ([\d.]+ TFLOP\/s) → (.*) predicted/.exec(await edit.innerText());
    assert.ok(words?.[1] !== undefined && words[2] !== undefined);
    await edit.locator('vscode-button').focus();
    await page.keyboard.press('Enter');
    const predicted = steps.filter({ hasText: /^predicted/ });
    await predicted.getByText(words[2]).waitFor();
    assert.match(await gap.getByRole('status').innerText(), /^Applied: .*Undo takes it back\.$/);
    await page.keyboard.press('Control+z');
    await predicted.getByText(words[1]).waitFor();
  });

  it('says of wgmma what its predicted time is made of', async () => {
    const size = { m: 4096, n: 4096, k: 4096 };
    const explorer = await suite.opened(
      show({
        spec: {
          problem: { ...size, a: { dtype: 'bf16' }, b: { layout: 'col' } },
          ...{ schedule: { algorithm: 'wgmma' }, device: 'h200' },
        },
      }),
      { gpu: 'none' },
    );
    const gap = explorer.page.getByRole('region', { name: 'Why not at the roof' });
    await gap.getByText(/^The busiest multiprocessor has 8 tiles of 64 steps\./).waitFor();
    await gap.getByText(/^At 1,\d{3} MHz: with the boost clock of 1,980 MHz/).waitFor();
    assert.equal(await gap.locator('.falls').count(), 0);
    assert.doesNotMatch(await gap.innerText(), /Causes are taken away/);
    assert.deepEqual(await explorer.axe(), []);
  });

  it('is not there where the model says nothing', async () => {
    const { page } = await suite.opened(show({ spec: { ...spec, device: 'apple-m4' } }), {
      gpu: 'none',
    });
    await page.locator('#memory details').first().waitFor();
    assert.equal(await page.locator('#gap').count(), 0);
  });
});
