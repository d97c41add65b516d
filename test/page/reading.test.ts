/** What a screen reader meets: views read line by line, results said once. Headings: accessible.test.ts. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { until } from '../../scripts/host/until';
import { show, timed } from '../../scripts/page/samples';
import { explorerSuite } from '../helpers/explorerSuite';

/** What polite regions come to say, in order. */
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
  it('reads occupancy as what is held, what limits it and what would raise it', async () => {
    const { page } = await opened(show(), { gpu: 'none' });
    await page.getByText('The curves as tables').waitFor();
    const read = await page.locator('#occupancy').ariaSnapshot();
    assert.equal(read, OCCUPANCY);
  });

  it('reads the roofline as its marks, its numbers and its table', async () => {
    const { page } = await opened(show({ runs: [timed(0.02)] }), { gpu: 'none' });
    await page.waitForSelector('#roofline .mark.level');
    const read = await page.locator('#roofline').ariaSnapshot();
    assert.equal(read, ROOFLINE);
  });

  it('says a result once and shortly, and no percentages on the way', async () => {
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

  it('says what a change comes to once typing rests', async () => {
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
  - paragraph: CUDA on NVIDIA H200
  - paragraph: 25 % 16 of 64 warps, 2 blocks/SM, limited by registers derived
  - table "Blocks an SM could hold if that resource alone counted":
    - caption: Blocks an SM could hold if that resource alone counted
    - rowgroup:
      - row "threads 8 blocks":
        - rowheader "threads"
        - cell
        - cell "8 blocks"
        - cell
      - row "registers 2 blocks limits":
        - rowheader "registers"
        - cell
        - cell "2 blocks"
        - cell "limits"
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
  - term: registers a thread
  - definition: 104 derived
  - term: shared memory a block
  - definition: 8,192 B derived
  - term: threads a block
  - definition: 256 derived
  - heading "What would raise it" [level=3]
  - paragraph: 24 registers a thread fewer (80 instead of 104) give 3 blocks/SM.
  - list "Edits that raise the occupancy":
    - listitem:
      - paragraph: BM 128 → 64, TM 8 → 4 would do it. 3 blocks/SM of 256 threads, 24 of 64 warps (37.5 %), about 68 registers a thread.
      - list "What else changes":
        - listitem: 21.3 → 16 FLOP/B without caches
        - listitem: 64 → 32 results a thread
        - listitem: 17.8 MB → 26.7 MB to and from shared memory
        - listitem: load balance over SMs 3.03 % → 6.06 %
      - button "Try it"
  - group: "Further edits: 2"
  - paragraph: "Registers are estimated; compile to know them. More warps are not always faster: they hide latency where a thread has too little independent work, and fewer results a thread leave it less (V. Volkov, “Better Performance at Lower Occupancy”, GTC 2010). Benchmark both."
  - figure "Threads a block":
    - text: Threads a block
    - slider "Occupancy over Threads a block; arrow keys read it"
    - paragraph: "now 256: 25 %"
  - figure "Registers a thread":
    - text: Registers a thread
    - slider "Occupancy over Registers a thread; arrow keys read it"
    - paragraph: "now 104: 25 %"
  - figure "Shared memory a block":
    - text: Shared memory a block
    - slider "Occupancy over Shared memory a block; arrow keys read it"
    - paragraph: "now 8,192 B, 9,216 B with the 1,024 B that the driver keeps: 25 %"
  - group: The curves as tables
  - term: shared memory an SM
  - definition: 32 KiB derived the least that holds 2 blocks/SM
  - term: left to L1
  - definition: 224 KiB derived
  - group: Every division of an SM between shared memory and L1`;
const ROOFLINE = `- region "Roofline":
  - heading "Roofline" [level=2]
  - paragraph: gemm-f32-thread-tile-2d-256x256x256-rrr-128x128x8-8x8.cu, on NVIDIA H200
  - 'group "Roofline chart: plus and minus zoom, arrow keys move, 0 shows all"':
    - group "Roofline of NVIDIA H200":
      - listbox "Ceilings, points and runs":
        - option "tensor cores in tf32, not used, 495 TFLOP/s, compute ceiling, no instruction of this kernel uses them"
        - 'option "DRAM, allows 66.9 TFLOP/s at 42.7 FLOP/B, the peak, predicted: 0.995 % of it, measured: 2.51 % of it, 4,800 GB/s"'
        - 'option "L2, allows 66.9 TFLOP/s at 10.7 FLOP/B, the peak, predicted: 0.995 % of it, measured: 2.51 % of it, 9,675 GB/s, an H200, https://github.com/te42kyfo/gpu-benches, gpu-l2-cache, half of the L2 read"'
        - 'option "L1, allows 66.9 TFLOP/s at 10.7 FLOP/B, the peak, predicted: 0.995 % of it, measured: 2.51 % of it, 33,454 GB/s, 128 B a clock x 132 SMs x 1980 MHz"'
        - 'option "shared memory, allows 51 TFLOP/s at 1.52 FLOP/B, below the peak, predicted: 1.31 % of it, measured: 3.29 % of it, 33,454 GB/s, 128 B a clock x 132 SMs x 1980 MHz"'
        - option "copy, measured on this GPU, 4,100 GB/s, memory ceiling, measured on NVIDIA H200, cli"
        - option "FMA, measured on this GPU, 51 TFLOP/s, compute ceiling, measured on NVIDIA H200, cli"
        - option "DRAM bandwidth, 4,800 GB/s, memory ceiling, of the datasheet of NVIDIA H200"
        - option "f32 peak, 66.9 TFLOP/s, compute ceiling, of the datasheet of NVIDIA H200"
        - option "predicted by the time model, 666 GFLOP/s at 42.7 FLOP/B, an estimate, no bound, derived for NVIDIA H200"
        - 'option "without caches, 66.9 TFLOP/s at 21.3 FLOP/B, every access served by DRAM: an estimate, no bound, derived for NVIDIA H200"'
        - option "attainable, 66.9 TFLOP/s at 42.7 FLOP/B, each operand moved once, derived for NVIDIA H200"
        - 'option "measured: gemm-f32-thread-tile-2d-256x256x256-rrr-128x128x8-8x8, 1.68 TFLOP/s at 42.7 FLOP/B, 2.51 % of attainable, timer error 0.05 %, measured on NVIDIA H200, cli, time not recorded"'
  - group "Zoom":
    - button "Zoom in": +
    - button "Zoom out" [disabled]: −
    - button "Show all" [disabled]
  - paragraph: "measured: gemm-f32-thread-tile-2d-256x256x256-rrr-128x128x8-8x8 1.68 TFLOP/s at 42.7 FLOP/B, 2.51 % of attainable, timer error 0.05 %, measured on NVIDIA H200, cli, time not recorded"
  - group "Roofs in the chart":
    - text: Roofs in the chart
    - checkbox "shared memory" [checked]
    - text: shared memory
    - checkbox "L1" [checked]
    - text: L1
    - checkbox "L2" [checked]
    - text: L2
    - checkbox "DRAM" [checked]
    - text: DRAM
    - checkbox "tensor cores in tf32, not used" [checked]
    - text: tensor cores in tf32, not used
  - paragraph: "Compute bound without caches (21.3 >= 13.9 FLOP/B); with caches, shared memory limits it to 51 TFLOP/s. Predicted: 1.31 % of it. Measured: 3.29 % of it. derived"
  - group: Roof of each level of memory, and where the units turn
  - term: attainable by compulsory traffic
  - definition: 66.9 TFLOP/s derived
  - term: intensity of the points
  - definition: "42.7 FLOP/B derived A and B read once, C written once: beta is 0, so C is not read"
  - term: problem ratio
  - definition: "32 FLOP/B derived as tutorials count: C read and written, so it is below the intensity of the points"
  - term: device ratio
  - definition: "13.9 FLOP/B spec where the roof turns: below it memory bounds"
  - term: kernel ratio, without caches
  - definition: 21.3 FLOP/B derived
  - group: The chart as a table
  - group "Save the chart":
    - button "Save SVG"
    - button "Save PNG"
    - button "Save CSV"`;
