/** Glossary terms in the explorer: one press shows the explanations of a section. */
import assert from 'node:assert/strict';
import { newest } from '../../../scripts/page/samples';
import { explorerSuite } from '../../helpers/explorerSuite';

explorerSuite('terms in the page', suite => {
  const opened = () =>
    suite.opened(
      {
        type: 'show',
        ...newest(),
        spec: {
          problem: { m: 2048, n: 2048, k: 2048 },
          schedule: { algorithm: 'thread-tile-2d', block: { m: 64 } },
        },
        name: 'first.gemm.json',
        trusted: true,
        backends: [],
        runs: [],
      },
      { gpu: 'none', withForm: true },
    );

  it('shows the value of a schedule field in this kernel, and its names elsewhere', async () => {
    const { page } = await opened();
    await page.locator('#configuration .terms summary').click();
    const text = await page.locator('#schedule-terms').innerText();
    assert.match(text, /Rows of C per thread block/);
    assert.match(text, /In this kernel: each thread block computes 64 rows of C\./);
    assert.match(text, /Triton: BLOCK_SIZE_M/);
  });

  it('explains occupancy with the figures of this kernel, by keyboard', async () => {
    const { page } = await opened();
    await page.locator('#occupancy .terms summary').focus();
    await page.keyboard.press('Enter');
    const text = await page.locator('#occupancy-terms').innerText();
    assert.match(text, /In this kernel: \d+ % occupancy; blocks per SM: \d+\./);
    assert.match(text, /Source: CUDA C\+\+ Best Practices Guide, Occupancy/);
  });

  it('explains only the fields that the algorithm uses', async () => {
    const { page } = await opened();
    await page.locator('#configuration .terms summary').click();
    await page.locator('#schedule-terms dt').first().waitFor();
    const names = await page.locator('#schedule-terms dt').allInnerTexts();
    assert.ok(names.includes('TM'));
    assert.ok(!names.includes('WM'));
    assert.ok(!names.includes('cluster'));
  });
});
