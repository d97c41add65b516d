/**
 * The verdict in a browser: losses down to the prediction and the run, other rates, and edits with
 * a button.
 */
import assert from 'node:assert/strict';
import { show, timed } from '../../scripts/page/samples';
import { explorerSuite } from '../helpers/explorerSuite';

const spec = {
  problem: { m: 1024, n: 1024, k: 1024 },
  schedule: { algorithm: 'warp-tile' as const },
};

explorerSuite('verdict in the page', suite => {
  it('lists losses down to the newest run, and applies an edit by keyboard', async () => {
    const message = show({ spec, runs: [timed(0.07, spec)] });
    const explorer = await suite.opened(message, { gpu: 'none', width: 1400, height: 1000 });
    const { page } = explorer;
    const verdict = page.getByRole('region', { name: 'Verdict' });
    const rows = verdict.locator('.waterfall > li');
    await rows.first().waitFor();
    const names = await rows.locator('b').allInnerTexts();
    assert.equal(names[0], 'peak');
    assert.ok(names.includes('exposed load latency'));
    assert.deepEqual(names.slice(-3), ['predicted', 'not explained by the model', 'measured']);
    assert.match(await rows.last().innerText(), /30\.7 TFLOP\/s, 70$/);
    assert.match(
      await verdict.locator('.lead').innerText(),
      /^Predicted: [\d.]+ TFLOP\/s, \d+ % of peak\. Largest loss: /,
    );
    assert.deepEqual(await explorer.axe(), []);
    const edit = verdict.locator('.edit').first();
    const predicted = rows.filter({ hasText: /^predicted/ });
    const [before = ''] = /[\d.]+ TFLOP\/s/.exec(await predicted.innerText()) ?? [];
    const [, after = ''] =
      /: ([\d.]+ TFLOP\/s) predicted \(\+[\d.]+ %\)/.exec(await edit.innerText()) ?? [];
    assert.ok(before !== '' && after !== '' && before !== after);
    await edit.locator('vscode-button').focus();
    await page.keyboard.press('Enter');
    await predicted.getByText(after).waitFor();
    assert.match(
      await verdict.getByRole('status').innerText(),
      /^Applied: .*Use Undo to revert\.$/,
    );
    await page.keyboard.press('Control+z');
    await predicted.getByText(before).waitFor();
  });

  it('compares the run, the pinned kernel, the fastest known schedule and the library', async () => {
    const message = show({ spec, runs: [timed(0.07, spec)] });
    const explorer = await suite.opened(message, { gpu: 'none', width: 1400, height: 1000 });
    const { page } = explorer;
    await page.getByRole('button', { name: 'Pin' }).click();
    const table = page.locator('#verdict .rivals table');
    await table.getByText(/^pinned: /).waitFor();
    const names = await table.locator('tbody th').allInnerTexts();
    assert.equal(names[0], 'this kernel, predicted');
    assert.equal(names[1], 'newest run');
    assert.match(names[2]!, /^pinned: /);
    assert.equal(names[3], 'fastest known');
    assert.match(names[4]!, /^cuBLAS \d/);
    const ratios = await table.locator('tbody td:last-child').allInnerTexts();
    assert.equal(ratios[1], '1.00x', 'the run is the base');
    assert.equal(ratios[0], ratios[2]);
    await page.getByRole('button', { name: 'Use fastest known' }).click();
    await page.getByRole('button', { name: 'Use fastest known' }).waitFor({ state: 'detached' });
    assert.match(
      (await page.locator('h1').textContent()) ?? '',
      /1,024 x 1,024 x 1,024 f32, pipelined/,
    );
  });

  it('explains the predicted time of wgmma and lists edits', async () => {
    const size = { m: 4096, n: 4096, k: 4096 };
    const schedule = { algorithm: 'wgmma', block: { m: 128, n: 128 }, stages: 3 } as const;
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
    const verdict = explorer.page.getByRole('region', { name: 'Verdict' });
    await verdict.getByText('Edits', { exact: true }).click();
    await verdict.getByText(/^Tiles on the busiest SM: 8, k-iterations per tile: 64\./).waitFor();
    await verdict.getByText(/^Clock: 1,\d{3} MHz; at the boost clock of 1,980 MHz/).waitFor();
    const names = await verdict.locator('.waterfall b').allInnerTexts();
    assert.deepEqual(names.slice(0, 3), ['peak', 'L2 bandwidth', 'power limit']);
    assert.ok(names.includes('exposed load latency'), names.join());
    const losses = verdict.locator('.losses');
    await losses
      .getByText(/^Load latency not hidden by 3 stages: [\d.]+ of \d+ ns per k-iteration/)
      .waitFor();
    await losses.getByText(/^Power limit of 700 W: 1,\d{3} MHz instead of 1,829 MHz/).waitFor();
    const change = 'BM 128 → 256, stages 3 → 4, kernel schedule pingpong → cooperative';
    const edit = losses.getByText(new RegExp(`^${change}: \\d+ TFLOP/s predicted`));
    await edit.first().waitFor();
    await losses.getByRole('button', { name: /^Try/ }).first().click();
    await verdict.getByText(`Applied: ${change}. Use Undo to revert.`).waitFor();
    assert.equal(await explorer.page.getByLabel('BM').inputValue(), '256');
    assert.deepEqual(await explorer.axe(), []);
  });

  it('is absent without a prediction', async () => {
    const { page } = await suite.opened(show({ spec: { ...spec, device: 'apple-m4' } }), {
      gpu: 'none',
    });
    await page.locator('#memory details').first().waitFor();
    assert.equal(await page.locator('#verdict').count(), 0);
  });
});
