/**
 * Screen-reader output: views line by line, and results announced once. Headings:
 * accessible.test.ts.
 */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { until } from '../../../scripts/host/until';
import { show, timed } from '../../../scripts/page/samples';
import { explorerSuite } from '../../helpers/explorerSuite';

/** Records the announcements of live regions in order. */
const listen = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const said: string[] = [];
    Object.assign(globalThis, { said });
    new MutationObserver(changes => {
      for (const { target } of changes) {
        const place = target instanceof Element ? target : target.parentElement;
        const region = place?.closest('[role=status], [role=alert]');
        const text = region?.textContent.trim() ?? '';
        if (text !== '' && said.at(-1) !== text) said.push(text);
      }
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
const saidOn = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => (globalThis as unknown as { said: string[] }).said);

explorerSuite('the page as it is read', ({ opened }) => {
  it('reads occupancy as resident warps, limits and ways to raise it', async () => {
    const { page } = await opened(show(), { gpu: 'none' });
    await page.getByText('Curves as tables').waitFor();
    const read = await page.locator('#occupancy').ariaSnapshot();
    assert.equal(read, OCCUPANCY);
  });

  it('reads the roofline as marks, figures and tables', async () => {
    const { page } = await opened(show({ runs: [timed(0.02)] }), { gpu: 'none' });
    await page.waitForSelector('#roofline .mark.level');
    const read = await page.locator('#roofline').ariaSnapshot();
    assert.equal(read, ROOFLINE);
  });

  it('announces a result once, without progress percentages', async () => {
    const explorer = await opened(show(), { gpu: 'none' });
    const { page } = explorer;
    await page.getByText('Legal for CUDA.').waitFor({ state: 'attached' });
    await listen(page);
    for (let i = 0; i < 20; i++) {
      await explorer.send({ type: 'progress', id: 'a', stage: 'Timing', fraction: i / 20 });
    }
    await page.getByRole('progressbar').getByText('95 %').waitFor();
    await explorer.send({ type: 'measured', id: 'a', measurement: timed(0.02) });
    await explorer.send(show({ runs: [timed(0.02)] }));
    await page.waitForTimeout(1200);
    const said = await saidOn(page);
    assert.deepEqual(said, ['Timing', 'Legal for CUDA. Newest result: Correct.']);
  });

  it('announces the effect of a change once typing pauses', async () => {
    const explorer = await opened(show(), { gpu: 'none' });
    const { page } = explorer;
    await page.getByText('Legal for CUDA.').waitFor({ state: 'attached' });
    await listen(page);
    await page.getByLabel('BK').press('End');
    // Without a delay: a busy machine adds its own, and typing rests after 700 ms.
    await page.keyboard.type('192');
    await until('what typing came to', async () => (await saidOn(page))[0]);
    // As long again as typing must rest: nothing follows.
    await page.waitForTimeout(800);
    const said = await saidOn(page);
    assert.equal(said.length, 1, said.join('\n'));
    assert.match(said[0] ?? '', /^Not legal for CUDA: /);
    assert.ok((said[0] ?? '').length < 160, said[0]);
  });
});

const OCCUPANCY = `- region "Occupancy":
  - heading "Occupancy" [level=2]
  - paragraph: 25 % 16 of 64 warps, 2 blocks/SM, limited by registers derived
  - table "Blocks per SM by resource":
    - caption: Blocks per SM by resource
    - rowgroup:
      - row "threads 8 blocks":
        - rowheader "threads"
        - cell
        - cell "8 blocks"
        - cell
      - row "registers 2 blocks limiter":
        - rowheader "registers"
        - cell
        - cell "2 blocks"
        - cell "limiter"
      - row "shared memory 25 blocks":
        - rowheader "shared memory"
        - cell
        - cell "25 blocks"
        - cell
      - row "block slots 32 blocks":
        - rowheader "block slots"
        - cell
        - cell "32 blocks"
        - cell
  - term: registers per thread
  - definition: 104 derived
  - term: shared memory per block
  - definition: 8,192 B derived
  - term: threads per block
  - definition: 256 derived
  - group: Terms
  - heading "How to raise occupancy" [level=3]
  - paragraph: 24 fewer registers per thread (80 instead of 104) allow 3 blocks/SM.
  - list "Edits that raise occupancy":
    - listitem:
      - paragraph: "BM 128 → 64, TM 8 → 4: 3 blocks/SM of 256 threads, 37.5 %, about 68 registers"
      - list "Side effects":
        - listitem: 21.3 → 16 FLOP/B
        - listitem: 64 → 32 accumulators
        - listitem: 17.8 MB → 26.7 MB shared-memory traffic
        - listitem: SM load balance 3.03 % → 6.06 %
      - button "Try"
  - group: "More edits: 2"
  - paragraph: "More warps are not always faster: benchmark both."
  - figure "Threads per block":
    - text: Threads per block
    - slider "Occupancy over Threads per block; inspect with arrow keys"
    - paragraph: "256: 25 %"
  - figure "Registers per thread":
    - text: Registers per thread
    - slider "Occupancy over Registers per thread; inspect with arrow keys"
    - paragraph: "104: 25 %"
  - figure "Shared memory per block":
    - text: Shared memory per block
    - slider "Occupancy over Shared memory per block; inspect with arrow keys"
    - paragraph: "8,192 B, 9,216 B with driver reserve: 25 %"
  - group: Save picture
  - group: Curves as tables
  - group: "Shared-memory carve-out: 32 KiB, L1 224 KiB"`;
const ROOFLINE = `- region "Roofline":
  - heading "Roofline" [level=2]
  - 'group "Roofline chart: plus and minus zoom, arrow keys pan, 0 shows all"':
    - group "Roofline of NVIDIA H200":
      - listbox "Ceilings, points and runs":
        - option "tensor cores in tf32, not used, 495 TFLOP/s, compute ceiling, this kernel does not use tensor cores"
        - 'option "DRAM, allows 66.9 TFLOP/s at 42.7 FLOP/B, the compute peak, predicted: 0.995 % of this ceiling, measured: 2.51 % of this ceiling, 4,800 GB/s"'
        - 'option "L2, allows 66.9 TFLOP/s at 10.7 FLOP/B, the compute peak, predicted: 0.995 % of this ceiling, measured: 2.51 % of this ceiling, 9,675 GB/s, an H200, https://github.com/te42kyfo/gpu-benches, gpu-l2-cache, reading half of the L2 cache"'
        - 'option "L1, allows 66.9 TFLOP/s at 10.7 FLOP/B, the compute peak, predicted: 0.995 % of this ceiling, measured: 2.51 % of this ceiling, 33,454 GB/s, 128 B/clock x 132 SMs x 1980 MHz"'
        - 'option "shared memory, allows 51 TFLOP/s at 1.52 FLOP/B, below the compute peak, predicted: 1.31 % of this ceiling, measured: 3.29 % of this ceiling, 33,454 GB/s, 128 B/clock x 132 SMs x 1980 MHz"'
        - option "copy, measured on this GPU, 4,100 GB/s, memory ceiling, measured on NVIDIA H200, cli"
        - option "FMA, measured on this GPU, 51 TFLOP/s, compute ceiling, measured on NVIDIA H200, cli"
        - option "DRAM bandwidth, 4,800 GB/s, memory ceiling, datasheet of NVIDIA H200"
        - option "f32 peak, 66.9 TFLOP/s, compute ceiling, datasheet of NVIDIA H200"
        - option "predicted by the time model, 666 GFLOP/s at 42.7 FLOP/B, an estimate, not a bound, derived"
        - 'option "without caches, 66.9 TFLOP/s at 21.3 FLOP/B, all accesses served by DRAM: an estimate, not a bound, derived"'
        - option "attainable, 66.9 TFLOP/s at 42.7 FLOP/B, compulsory traffic only, derived"
        - 'option "measured: thread-tile-2d 128x128x8-8x8, 1.68 TFLOP/s at 42.7 FLOP/B, 2.51 % of attainable, interval unknown, measured on NVIDIA H200, cli, time not recorded"'
  - list "Points":
    - listitem: 1 measured 1.68, 2.51 %
    - listitem: 2 predicted 0.666, 0.995 %
    - listitem: 3 attainable 66.9
    - listitem: 4 without caches 66.9
    - listitem: 5 shared memory 51
    - listitem: 6 L1 66.9
    - listitem: 7 L2 66.9
    - listitem: 8 DRAM 66.9
  - group "Zoom":
    - button "Zoom in": +
    - button "Zoom out" [disabled]: −
    - button "Show all" [disabled]
  - paragraph: "measured: thread-tile-2d 128x128x8-8x8 1.68 TFLOP/s at 42.7 FLOP/B, 2.51 % of attainable, interval unknown, measured on NVIDIA H200, cli, time not recorded"
  - group: Terms
  - group: Ceilings in the chart
  - paragraph: "Compute bound without caches (21.3 >= 13.9 FLOP/B); with caches, shared memory limits the kernel to 51 TFLOP/s. Predicted: 1.31 % of this ceiling. Measured: 3.29 % of this ceiling. derived"
  - group: Memory ceilings and ridge points
  - group: Arithmetic intensities
  - group: Chart as table
  - group: Save picture`;
