/** The steps of a thread block in the explorer: playback, counters, races, a followed element. */
import assert from 'node:assert/strict';
import { newest } from '../../scripts/page/samples';
import type { GemmSpec } from '../../src/core/spec/schema';
import type { FromWebview } from '../../src/protocol';
import { explorerSuite } from '../helpers/explorerSuite';

const TILED: GemmSpec = {
  problem: { m: 256, n: 256, k: 256 },
  schedule: { algorithm: 'shared-tile', block: { m: 16, n: 16, k: 16 } },
};
const RING: GemmSpec = {
  problem: {
    m: 1024,
    n: 1024,
    k: 1024,
    a: { dtype: 'f16' },
    b: { dtype: 'f16', layout: 'col' },
    c: { dtype: 'f16' },
  },
  schedule: { algorithm: 'wgmma' },
};
/** The same without a producer warp group. */
const ONE_GROUP_RING: GemmSpec = {
  ...RING,
  schedule: { ...RING.schedule, kernelSchedule: 'tma', consumers: 1 },
};
/** The same with mma.sync, whose warps load fragments. */
const MMA_RING: GemmSpec = {
  ...RING,
  schedule: { algorithm: 'mma', kernelSchedule: 'tma', stages: 4 },
};
const EMULATED: GemmSpec = {
  problem: { m: 1024, n: 1024, k: 1024 },
  schedule: { algorithm: 'mma', split: 'bf16x3' },
};

explorerSuite('the steps of a thread block', suite => {
  const opened = async (spec = TILED) => {
    const explorer = await suite.opened(
      {
        type: 'show',
        ...newest(),
        spec,
        name: 'first.gemm.json',
        trusted: true,
        backends: [],
        runs: [],
      },
      { gpu: 'none' },
    );
    const section = explorer.page.locator('#block-steps');
    await section.getByText('Trace a thread block').click();
    const press = (name: string) => section.getByText(name, { exact: true }).click();
    const counters = section.getByRole('table', { name: 'Counters since the start of the block' });
    return { ...explorer, section, press, counters };
  };

  it('steps by statement and by barrier, and highlights the line', async () => {
    const { section, press } = await opened();
    const status = section.getByRole('status');
    await status.filter({ hasText: 'Start of the block' }).waitFor();
    await press('Next barrier');
    await status.filter({ hasText: 'Barrier 1' }).waitFor();
    assert.match(await section.locator('.step-code mark').innerText(), /__syncthreads\(\);/);
    await press('Step');
    await status.filter({ hasText: '256 FMAs into the accumulators.' }).waitFor();
    assert.match(await section.locator('.step-code mark').innerText(), /As\[.*\] \* Bs\[/);
    await press('Step back');
    await status.filter({ hasText: 'Barrier 1' }).waitFor();
  });

  it('counts FMAs, sectors and wavefronts up to those of the whole block', async () => {
    const { section, counters } = await opened();
    const slider = section.getByLabel(/^step 0 of/);
    await counters.waitFor();
    const rows = () => counters.locator('tbody tr').allInnerTexts();
    assert.deepEqual(
      (await rows()).map(row => row.split('\t')[1]),
      ['0', '0', '0'],
    );
    await slider.focus();
    await slider.press('End');
    await section.getByText(/^step (\d+) of \1$/).waitFor();
    for (const row of await rows()) {
      const [name, soFar, whole] = row.split('\t');
      assert.equal(soFar, whole, name);
    }
    // Three tiles along K: 16 x 16 x 48 FMAs.
    assert.match((await rows())[0] ?? '', /12,288\t12,288/);
  });

  it('plays to the end of the block', async () => {
    const { section, press } = await opened();
    const slider = section.getByLabel(/^step 0 of/);
    await slider.fill(String(Number(await slider.getAttribute('max')) - 1));
    await press('Play');
    await section.getByText(/^step (\d+) of \1$/).waitFor();
    await section.getByText('Play', { exact: true }).waitFor();
  });

  it('shows the race of a removed barrier at its step', async () => {
    const { section, press, page } = await opened();
    await page.locator('#step-barriers').focus();
    await page.keyboard.press('ArrowDown');
    await press('Go to race');
    await section
      .locator('.race', { hasText: /without a barrier in between|uninitialized/ })
      .waitFor();
  });

  it('follows an element of B from global memory to its FMAs', async () => {
    const { section } = await opened();
    await section.getByLabel('B', { exact: true }).check();
    await section.getByLabel('row', { exact: true }).fill('3');
    const steps = section.getByRole('table', { name: 'Steps of the element' });
    const events = (await steps.locator('tbody tr').allInnerTexts()).map(row => row.split('\t')[1]);
    assert.deepEqual(events, [
      'loaded from global memory',
      'stored to shared memory',
      'loaded from shared memory',
      'multiplied in FMAs',
    ]);
    await steps.getByRole('button').last().click();
    await section.getByText(/^step \d\d? of/).waitFor();
    assert.equal(await section.locator('.step-code mark').count(), 1);
  });

  it('steps through the mbarriers of the ring buffer of wgmma', async () => {
    const { section, press, axe } = await opened(RING);
    const status = section.getByRole('status');
    await status.filter({ hasText: 'all stages are free' }).waitFor();
    await press('Step');
    await status.filter({ hasText: 'the wait for empty[0], parity 1, passes' }).waitFor();
    assert.match(await section.locator('.step-code mark').innerText(), /waitBarrier\(empty/);
    await press('Next k-iteration');
    await status.filter({ hasText: 'wgmma of k-iteration 0 reads stage 0' }).waitFor();
    const rows = section
      .getByRole('table', { name: 'Stages of the ring buffer' })
      .locator('tbody tr');
    assert.match(await rows.first().innerText(), /^0\tin use\t0\tparity 1/);
    assert.deepEqual(await axe(), []);
  });

  it('steps through the ring buffer without warp specialization, and shows its mistakes', async () => {
    const { page, section, press, axe } = await opened(ONE_GROUP_RING);
    const status = section.getByRole('status');
    await status.filter({ hasText: 'all stages are free' }).waitFor();
    await press('Step');
    await status.filter({ hasText: 'Thread 0: TMA loads of k-iteration 0 into stage 0' }).waitFor();
    assert.match(await section.locator('.step-code mark').innerText(), /arriveExpectBytes\(/);
    const table = section.getByRole('table', { name: 'Stages of the ring buffer' });
    assert.ok(!(await table.innerText()).includes('empty mbarrier'));
    await page.$eval('#ring-mistake', element => {
      (element as HTMLInputElement).value = 'early-refill';
      element.dispatchEvent(new Event('change'));
    });
    await section.getByLabel(/^step 0 of/).focus();
    await page.keyboard.press('End');
    await section.getByText(/^Race: the load overwrites stage 0 while wgmma/).waitFor();
    assert.deepEqual(await axe(), []);
  });

  it('plays the ring of mma, whose stages thread 0 refills in the same k-iteration', async () => {
    const { page, section, press } = await opened(MMA_RING);
    const status = section.getByRole('status');
    await status.filter({ hasText: 'all stages are free' }).waitFor();
    await press('Next k-iteration');
    await status.filter({ hasText: 'ldmatrix of k-iteration 0 reads stage 0' }).waitFor();
    assert.match(await section.locator('.step-code mark').innerText(), /loadA\(/);
    await press('Step');
    await status.filter({ hasText: 'After the proxy fence and the barrier' }).waitFor();
    assert.match(await section.locator('.step-code mark').innerText(), /__syncthreads\(\)/);
    await press('Step');
    await status.filter({ hasText: 'Thread 0: TMA loads of k-iteration 4 into stage 0' }).waitFor();
    await page.$eval('#ring-mistake', element => {
      (element as HTMLInputElement).value = 'early-refill';
      element.dispatchEvent(new Event('change'));
    });
    await section.getByLabel(/^step 0 of/).focus();
    await page.keyboard.press('End');
    await section.getByText(/^Race: the load overwrites stage 0 while ldmatrix/).waitFor();
  });

  it('ends in a deadlock where the consumers never release a stage', async () => {
    const { page, section, axe } = await opened(RING);
    const slider = section.getByLabel(/^step 0 of/);
    await slider.waitFor();
    const choose = (value: string) =>
      page.$eval(
        '#ring-mistake',
        (element, chosen) => {
          (element as HTMLInputElement).value = chosen;
          element.dispatchEvent(new Event('change'));
        },
        value,
      );
    await choose('no-release');
    await section.getByLabel(/^step 0 of/).focus();
    await page.keyboard.press('End');
    await section.getByText(/^Deadlock\. The producer waits for empty\[0\], parity 0/).waitFor();
    assert.deepEqual(await axe(), []);
    await choose('producer-parity');
    await section.getByText(/^Deadlock\. The producer waits for empty\[0\], parity 0/).waitFor();
    await choose('consumer-parity');
    await section.getByLabel(/^step 0 of/).focus();
    await page.keyboard.press('End');
    await section.getByText(/^Race: the wait for full\[0\] passes/).waitFor();
  });

  it('has no violations of axe', async () => {
    const { axe, section } = await opened();
    await section.getByRole('status').waitFor();
    assert.deepEqual(await axe(), []);
  });

  it('traces FP32 emulation in a worker, with progress', async () => {
    const { section, counters } = await opened(EMULATED);
    await section.getByRole('progressbar', { name: 'Tracing' }).waitFor();
    await counters.waitFor();
    const slider = section.getByLabel(/^step 0 of/);
    await slider.focus();
    await slider.press('End');
    await section.getByText(/^step (\d+) of \1$/).waitFor();
    const [fmas] = await counters.locator('tbody tr').allInnerTexts();
    assert.match(fmas ?? '', /^FMAs\t([\d,]+)\t\1$/);
  });

  it('highlights the line of the step in the editor, and moves to the line of the cursor', async () => {
    const { section, press, posted, send } = await opened();
    const status = section.getByRole('status');
    await status.filter({ hasText: 'Start of the block' }).waitFor();
    const highlighted = async () => {
      const messages = (await posted()) as readonly FromWebview[];
      return messages.findLast(message => message.type === 'highlightLines');
    };
    await press('Next barrier');
    await status.filter({ hasText: 'Barrier 1' }).waitFor();
    const line = Number(/\d+/.exec(await section.locator('.step-code mark').innerText())?.[0]);
    const message = await highlighted();
    assert.deepEqual(message?.lines, [{ first: line, last: line }]);
    const { sourceHash } = message;
    await send({ type: 'cursor', sourceHash, line });
    await status.filter({ hasText: 'Barrier 3' }).waitFor();
    await send({ type: 'cursor', sourceHash: sourceHash.replace(/./, 'x'), line });
    await send({ type: 'cursor', sourceHash, line: 1 });
    await send({ type: 'cursor', sourceHash, line });
    await status.filter({ hasText: 'Barrier 5' }).waitFor();
  });
});
