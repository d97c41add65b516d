/** "What limits this kernel" in a browser: losses down to the prediction and the run, and edits with a button. */
import assert from 'node:assert/strict';
import { show, timed } from '../../scripts/page/samples';
import { explorerSuite } from '../helpers/explorerSuite';

const spec = {
  problem: { m: 1024, n: 1024, k: 1024 },
  schedule: { algorithm: 'warp-tile' as const },
};

explorerSuite('what limits a kernel, in the page', suite => {
  it('lists losses down to the newest run, and applies an edit by keyboard', async () => {
    const message = show({ spec, runs: [timed(0.07, spec)] });
    const explorer = await suite.opened(message, { gpu: 'none', width: 1400, height: 1000 });
    const { page } = explorer;
    const gap = page.getByRole('region', { name: 'What limits this kernel' });
    const steps = gap.locator('.falls > li');
    await steps.first().waitFor();
    const names = await steps.locator('b').allInnerTexts();
    assert.equal(names[0], 'attainable');
    assert.ok(names.includes('exposed load latency'));
    assert.deepEqual(names.slice(-3), [
      'predicted',
      'not explained by the model',
      'measured (newest run)',
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
    assert.match(await gap.getByRole('status').innerText(), /^Applied: .*Use Undo to revert\.$/);
    await page.keyboard.press('Control+z');
    await predicted.getByText(words[1]).waitFor();
  });

  it('explains the predicted time of wgmma and offers edits', async () => {
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
    const gap = explorer.page.getByRole('region', { name: 'What limits this kernel' });
    await gap.getByText(/^Tiles on the busiest SM: 16, k-iterations per tile: 64\./).waitFor();
    await gap.getByText(/^Clock: 1,\d{3} MHz; at the boost clock of 1,980 MHz/).waitFor();
    const names = await gap.locator('.falls b').allInnerTexts();
    assert.deepEqual(names.slice(0, 3), ['attainable', 'exposed load latency', 'power limit']);
    await gap
      .getByText(/^Load latency not hidden by 3 stages: \d+ of \d+ ns per k-iteration/)
      .waitFor();
    await gap.getByText(/^Power limit of 700 W: 1,\d{3} MHz instead of 1,829 MHz/).waitFor();
    const edit = gap.getByText(/^BN 64 → 128, stages 3 → 6: \d+ TFLOP\/s → \d+ TFLOP\/s predicted/);
    await edit.first().waitFor();
    await gap
      .getByRole('button', { name: /^Try it/ })
      .first()
      .click();
    await gap.getByText('Applied: BN 64 → 128, stages 3 → 6. Use Undo to revert.').waitFor();
    assert.equal(await explorer.page.getByLabel('BN').inputValue(), '128');
    assert.deepEqual(await explorer.axe(), []);
  });

  it('is absent without a prediction', async () => {
    const { page } = await suite.opened(show({ spec: { ...spec, device: 'apple-m4' } }), {
      gpu: 'none',
    });
    await page.locator('#memory details').first().waitFor();
    assert.equal(await page.locator('#gap').count(), 0);
  });
});
