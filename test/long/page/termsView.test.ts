/** Glossary terms in the explorer: one press shows the explanation of a term. */
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
      { gpu: 'none' },
    );

  it('shows the value of a schedule field in this kernel, and its names elsewhere', async () => {
    const { page } = await opened();
    const button = page.locator('#configuration .term', { hasText: /^BM$/ });
    assert.equal(await button.getAttribute('aria-expanded'), 'false');
    await button.click();
    const text = await page.locator('#schedule-term').innerText();
    assert.match(text, /Rows of C per thread block/);
    assert.match(text, /In this kernel: each thread block computes 64 rows of C\./);
    assert.match(text, /Triton\s+BLOCK_SIZE_M/);
    assert.equal(await button.getAttribute('aria-expanded'), 'true');
    await button.click();
    await page.locator('#schedule-term').waitFor({ state: 'detached' });
  });

  it('explains occupancy with the figures of this kernel, by keyboard', async () => {
    const { page } = await opened();
    await page.locator('#occupancy .term', { hasText: /^occupancy$/ }).focus();
    await page.keyboard.press('Enter');
    const text = await page.locator('#occupancy-term').innerText();
    assert.match(text, /In this kernel: \d+ % occupancy, \d+ blocks per SM\./);
    assert.match(text, /Source: CUDA C\+\+ Best Practices Guide, Occupancy/);
  });

  it('offers only the terms of fields that the algorithm uses', async () => {
    const { page } = await opened();
    await page.locator('#configuration .term').first().waitFor();
    const names = await page.locator('#configuration .term').allInnerTexts();
    assert.ok(names.includes('TM'));
    assert.ok(!names.includes('WM'));
    assert.ok(!names.includes('cluster'));
  });
});
