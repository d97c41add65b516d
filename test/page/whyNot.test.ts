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

  it('says of wgmma what its predicted time is made of, and what against', async () => {
    const size = { m: 4096, n: 4096, k: 4096 };
    const schedule = { algorithm: 'wgmma', block: { m: 128, n: 64 }, stages: 3 } as const;
    const explorer = await suite.opened(
      show({
        spec: {
          problem: { ...size, a: { dtype: 'bf16' }, b: { layout: 'col' } },
          schedule,
          device: 'h200',
        },
      }),
      { gpu: 'none' },
    );
    const gap = explorer.page.getByRole('region', { name: 'Why not at the roof' });
    await gap.getByText(/^Tiles of the busiest multiprocessor: 16, steps of each: 64\./).waitFor();
    await gap.getByText(/^At 1,\d{3} MHz: with the boost clock of 1,980 MHz/).waitFor();
    const names = await gap.locator('.falls b').allInnerTexts();
    assert.deepEqual(names.slice(0, 3), ['roof', 'latency that is not hidden', 'the power limit']);
    await gap.getByText(/^Latency that 3 stages do not hide, \d+ of \d+ ns a step/).waitFor();
    await gap.getByText(/^The power limit of 700 W leaves 1,\d{3} of the 1,829 MHz/).waitFor();
    const edit = gap.getByText(/^BN 64 → 128, stages 3 → 6: \d+ TFLOP\/s → \d+ TFLOP\/s predicted/);
    await edit.first().waitFor();
    await gap
      .getByRole('button', { name: /^Try it/ })
      .first()
      .click();
    await gap.getByText('Applied: BN 64 → 128, stages 3 → 6. Undo takes it back.').waitFor();
    assert.equal(await explorer.page.getByLabel('BN').inputValue(), '128');
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
