/**
 * Thousands of messages per second: keys are handled meanwhile, and the shown state is unchanged.
 */
import assert from 'node:assert/strict';
import { show, timed } from '../../../scripts/page/samples';
import { explorerSuite } from '../../helpers/explorerSuite';

const MESSAGES = 5000;

explorerSuite('a flood of messages', ({ opened }) => {
  it('does not delay keys or change the page', async function () {
    this.timeout(120_000);
    const explorer = await opened(show(), { gpu: 'none' });
    const { page } = explorer;
    await page.getByLabel('BK').focus();
    const other = { ...timed(0.5), sourceHash: 'f'.repeat(64), specKey: 'other' };
    const kinds: readonly unknown[] = [
      { type: 'progress', id: 'old', stage: 'Timing', fraction: 0.5 },
      { type: 'measured', id: 'older', measurement: other },
      { type: 'failed', id: 'oldest', message: 'Late.' },
      { type: 'nothing known' },
      'x'.repeat(2000),
      { type: 'cancel', id: 'none' },
    ];
    await page.evaluate(
      ({ sent, total }) => {
        const flood = { handled: 0, answeredAfter: [] as number[] };
        Object.assign(globalThis, { flood });
        window.addEventListener('message', () => {
          flood.handled += 1;
        });
        document.addEventListener('keydown', () => {
          flood.answeredAfter.push(flood.handled);
        });
        let count = 0;
        const timer = setInterval(() => {
          for (let i = 0; i < total / 50; i++) {
            window.postMessage(sent[count++ % sent.length], '*');
            if (count >= total) clearInterval(timer);
          }
        }, 20);
      },
      { sent: kinds, total: MESSAGES },
    );
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowUp');
    const { handled, answeredAfter } = await page.evaluate(
      () =>
        (globalThis as unknown as { flood: { handled: number; answeredAfter: number[] } }).flood,
    );
    assert.equal(answeredAfter.length, 3);
    assert.ok(handled < MESSAGES, `keys waited for ${handled} messages`);
    await page.waitForFunction(
      total => (globalThis as unknown as { flood: { handled: number } }).flood.handled >= total,
      MESSAGES,
    );
    assert.equal(await page.getByLabel('BK').inputValue(), '64');
    // Sections out of sight are updated when the page is idle.
    await page.locator('pre.source', { hasText: 'constexpr int BK = 64;' }).waitFor();
    assert.match(await page.locator('#results').innerText(), /Not run yet/);
    assert.equal(await page.locator('.notice').count(), 0);
    assert.deepEqual(explorer.errors, []);
  });
});
