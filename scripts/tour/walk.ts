/** The steps of the tour, which use only the keyboard. */
import type { Frame, Locator, Page } from 'playwright-core';
import { numberOf } from '../../src/core/course/chapterMarkdown';
import { courseChapters } from '../../src/core/course/chapters/chapters';
import { courseTasks } from '../../src/core/course/tasks/tasks';
import { explorer, runEnded } from '../demo/steps';
import {
  waitForActiveEditor,
  waitForEditor,
  waitForLens,
  waitForPreview,
  webviewFrame,
} from '../vscodeHost';
import type { Hands } from './hands';
import type { Story } from './story';

export interface Walk {
  readonly page: Page;
  readonly hands: Hands;
  readonly story: Pick<Story, 'step'>;
}

export async function walk(parts: Walk): Promise<void> {
  await generate(parts);
  const view = await openExplorer(parts);
  await measure(
    parts,
    view,
    'Verify and measure',
    '_Benchmark_ first compares every element of C with an f64 reference. A kernel with an incorrect result is never timed. _Benchmark_ then times the kernel on the WebGPU adapter of this window. The result shows the timer, its error and the machine.',
  );
  await pin(parts, view);
  await illegal(parts, view);
  await repair(parts, view);
  await undo(parts, view);
  await raiseOccupancy(parts, view);
  await measure(
    parts,
    view,
    'Measure the change',
    'A second benchmark measures the new tile, so both configurations have a run. Higher occupancy is not always faster: a smaller thread tile loads more values from shared memory per FMA.',
  );
  await roofline(parts, view);
  await loops(parts, view);
  await runs(parts);
  await compare(parts);
  await takeChapter(parts);
}

const paragraphs = (...texts: readonly string[]): string => texts.join('\n\n');
const field = (view: Frame, name: string): Locator =>
  view.locator(`#field-schedule-${name.replace('.', '-')}`);
const button = (view: Frame, name: string | RegExp): Locator =>
  view.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name }).first();
const summary = async (view: Frame): Promise<string> =>
  (await view.locator('.summary').innerText()).replace(/\s+/g, ' ');

const generate = ({ page, hands, story }: Walk): Promise<void> =>
  story.step('Describe the problem', async () => {
    await hands.command('GEMM: Generate tiled GEMM');
    for (const answer of ['256 x 256 x 256', 'f32', 'thread-tile-2d', 'CUDA and WGSL'])
      await hands.answer(answer);
    await waitForActiveEditor(page, /-256\.cu$/);
    const lens = await waitForLens(page, 'occupancy');
    return paragraphs(
      'The problem is C = A B with M = N = K = 256 in f32, and the algorithm is `thread-tile-2d`. By default, a thread block computes a tile of 128 x 128 elements of C. Each of its 256 threads computes 8 x 8 elements and keeps the accumulators in registers.',
      'The block traverses K in k-iterations of 8. Each k-iteration loads a 128 x 8 tile of A and an 8 x 128 tile of B into shared memory. Each loaded element is used 128 times.',
      `The wizard writes a spec and two kernels, one in CUDA and one in WGSL. CodeLens above the kernel shows its occupancy before any run: “${await lens.innerText()}”.`,
    );
  });

async function openExplorer({ page, hands, story }: Walk): Promise<Frame> {
  let view: Frame | undefined;
  await story.step('See what limits it', async () => {
    await hands.command('GEMM: Open explorer');
    view = await explorer(page);
    await hands.press('Control+b');
    for (const picture of ['#tiles .map-surface', '#verdict .waterfall'])
      await view.locator(picture).first().waitFor();
    return paragraphs(
      'The explorer shows the tiles, a verdict on the speed, occupancy, roofline, memory accesses and source code of the same kernel. A block has 256 threads with 104 registers each. Two blocks fit into the 65,536 registers of an SM, so 16 of 64 warps are resident.',
      'A 256 x 256 matrix C has only four tiles of 128 x 128. Only four of the 132 SMs get a block, so the load balance is 3 %. Smaller tiles or split-K would use more SMs.',
      `The summary line stays visible while you scroll: “${await summary(view)}”.`,
    );
  });
  if (view === undefined) throw new Error('The explorer did not open.');
  return view;
}

const measure = ({ hands, story }: Walk, view: Frame, title: string, text: string): Promise<void> =>
  story.step(title, async () => {
    await hands.tabTo(view, button(view, 'Benchmark'));
    await hands.press('Enter');
    await button(view, 'Cancel').waitFor();
    await runEnded(view);
    const verdict = await view.locator('#results .verdict').innerText();
    if (!verdict.startsWith('Correct')) throw new Error(`The run was not verified: ${verdict}`);
    await hands.tabTo(view, view.locator('.summary a[href="#results"]'));
    await hands.press('Enter');
    return text;
  });

const pin = ({ hands, story }: Walk, view: Frame): Promise<void> =>
  story.step('Pin a baseline', async () => {
    await hands.tabTo(view, button(view, 'Pin'), 'back');
    await hands.press('Enter');
    await view.getByText('Compare configurations').first().waitFor();
    return '_Pin_ keeps this configuration. The page then compares each later edit with the pinned configuration: rates, parameters, resources, traffic, waves and source code.';
  });

/** Shows the form, which a narrow page hides at first. */
async function showParameters(hands: Hands, view: Frame): Promise<void> {
  const toggle = button(view, 'Parameters');
  if (!(await toggle.isVisible())) return;
  await hands.tabTo(view, toggle, 'back');
  await hands.press('Enter');
}

const illegal = ({ hands, story }: Walk, view: Frame): Promise<void> =>
  story.step('Try an illegal tile', async () => {
    await showParameters(hands, view);
    await hands.tabTo(view, field(view, 'thread.m'));
    await hands.overtype('3');
    const reason = view.locator('.configure .reasons').first();
    await reason.waitFor();
    const violation = (await reason.locator('li span').first().innerText()).replace(/\s+/g, ' ');
    return `The block tile and the thread tile determine the number of threads: BM x BN / (TM x TN). With TM = 3, a block needs more threads than WebGPU allows by default. The field shows the violated rule with its values: “${violation}”`;
  });

const repair = ({ hands, story }: Walk, view: Frame): Promise<void> =>
  story.step('Apply the nearest legal tile', async () => {
    const use = button(view, /^Use \d/);
    const [offered] = /^Use [^:]+/.exec((await use.getAttribute('aria-label')) ?? '') ?? [];
    if (offered === undefined) throw new Error('The fix does not name its value.');
    await hands.tabTo(view, use);
    await hands.press('Enter');
    await view.locator('#not-legal').waitFor({ state: 'detached' });
    return `For each violation, the explorer offers the nearest legal value, here “${offered}”. With fewer rows, a block needs fewer threads. Source code, occupancy and roofline update in the same frame.`;
  });

const undo = ({ hands, story }: Walk, view: Frame): Promise<void> =>
  story.step('Return to the baseline', async () => {
    const before = await field(view, 'thread.m').inputValue();
    await hands.tabTo(view, field(view, 'block.m'), 'back');
    for (let step = 0; step < 5 && (await field(view, 'thread.m').inputValue()) !== '8'; step += 1)
      await hands.press('Control+z');
    const after = await field(view, 'thread.m').inputValue();
    if (after !== '8') throw new Error(`Undo left TM at ${after}, from ${before}.`);
    return `_Undo_ reverts one edit at a time, and all keystrokes in one field count as one edit. TM changes from ${before} back to ${after}.`;
  });

const raiseOccupancy = ({ hands, story }: Walk, view: Frame): Promise<void> =>
  story.step('Raise occupancy', async () => {
    const device = button(view, /^Analyze for NVIDIA H200/);
    if (await device.isVisible()) {
      await hands.tabTo(view, device);
      await hands.press('Enter');
    }
    const before = await view.locator('#occupancy .headline').innerText();
    const tryIt = view.locator('#occupancy').getByRole('button', { name: /^Try/ }).first();
    await tryIt.waitFor();
    await hands.tabTo(view, tryIt);
    await hands.press('Enter');
    const after = view.locator('#occupancy .headline').filter({ hasNotText: /^25 %/ });
    await after.waitFor();
    const [from, to] = [before, await after.innerText()].map(text => text.replace(/\s+/g, ' '));
    return paragraphs(
      'After a run on an adapter, all figures belong to this adapter. Occupancy rules are known only for NVIDIA GPUs, so the page is set to the H200 again.',
      'Resident warps hide latency: while one warp waits for memory, another warp issues FMAs. Registers limit the occupancy of this kernel. A tile with fewer accumulators per thread needs fewer registers, so another block fits on each SM.',
      `The explorer lists such edits with their costs, and “Try” applies an edit. The headline before the edit is “${from}”. After the edit it is “${to}”.`,
    );
  });

const roofline = ({ hands, story }: Walk, view: Frame): Promise<void> =>
  story.step('Read the roofline', async () => {
    await hands.tabTo(view, view.locator('.summary a[href="#roofline"]'), 'back');
    await hands.press('Enter');
    return 'The horizontal axis is the arithmetic intensity in FLOP/B, and the vertical axis is the rate in TFLOP/s. Both runs are points below the ceilings that were measured on the same machine. A line connects the points in the order of the runs. Switches below the chart select memory levels. A larger block tile raises the intensity at L2, because the kernel uses each loaded element more often. A table below the chart has the same values.';
  });

const loops = ({ hands, story }: Walk, view: Frame): Promise<void> =>
  story.step('Look at the loops', async () => {
    await hands.tabTo(view, view.locator('#loops summary').first(), 'back');
    await hands.press('Enter');
    const misses = view.locator('#loops tr', { has: view.locator('.miss-bar') });
    await misses.nth(4).waitFor();
    await hands.tabTo(view, view.getByRole('listbox', { name: /^Loops/ }));
    for (let k = 0; k < 2; k += 1) await hands.press('ArrowDown');
    // The page scrolls up to the list, so that the list and the table are visible.
    await hands.tabTo(view, view.getByRole('tab', { name: 'Python' }));
    await hands.tabTo(view, view.getByRole('listbox', { name: /^Loops/ }), 'back');
    const missesOf = async (nest: string): Promise<string> =>
      (await misses.filter({ hasText: nest }).locator('.miss-bar').innerText()).trim();
    return paragraphs(
      'C = A B is three loops. The section _Loops_ shows the loop nest of the kernel, and the level at which the iterations of each loop run. You can move, split and assign loops with the mouse or with Alt and an arrow key. The Python, CUDA and WGSL programs below follow each edit.',
      `A table counts the misses of a small cache for several orders of the loops: ${await missesOf('i, j, k')} for i, j, k and ${await missesOf('tiled')} for tiled loops.`,
    );
  });

const runs = ({ page, hands, story }: Walk): Promise<void> =>
  story.step('Browse the runs', async () => {
    await hands.command('GEMM: Focus on Runs View');
    await page.locator('.pane-body .monaco-list-row').nth(2).waitFor();
    // A view under construction cannot take the focus.
    if ((await page.locator('.pane-body :focus').count()) === 0)
      await hands.command('GEMM: Focus on Runs View');
    for (const key of ['Home', 'Shift+ArrowDown', 'Shift+ArrowDown']) await hands.press(key);
    await page.locator('.pane-body .monaco-list-row.selected').nth(1).waitFor();
    return 'Each run is a line of JSON in `.gemm/runs` ([format](spec-reference.md#run-history)). Commit the folder to compare machines and to gate changes in CI. You can open a run in the explorer, run it again, copy it as Markdown or delete it.';
  });

const compare = ({ page, hands, story }: Walk): Promise<void> =>
  story.step('Compare two runs', async () => {
    await hands.command('GEMM: Compare runs');
    await waitForEditor(page, 'Compared runs');
    // The explorer's page has tables too.
    await webviewFrame(page, 'img[alt="Rates of the compared runs"]');
    await hands.press('Control+b');
    return 'One document has a chart of the rates with 95 % intervals and ratios, the differences of the runs, and the changed lines of the kernels.';
  });

const takeChapter = ({ page, hands, story }: Walk): Promise<void> =>
  story.step('Take the course', async () => {
    await hands.command('View: Close All Editors');
    await hands.command('GEMM: Learn');
    const [chapter] = courseChapters();
    const [task] = courseTasks();
    if (chapter === undefined || task === undefined) throw new Error('The course is empty.');
    const title = `${numberOf(chapter)}. ${chapter.title}`;
    await hands.answer(`Continue: ${title}`);
    await waitForPreview(page, title);
    await hands.command('GEMM: Learn');
    await hands.answer(`Task: ${task.title}`);
    await waitForActiveEditor(page, /\.loops$/);
    await waitForLens(page, 'Check task');
    await hands.command('GEMM: Check task');
    await page.locator('.squiggly-warning').first().waitFor();
    // Go to Next Problem shows the message below its line.
    await hands.press('F8');
    await page.locator('.marker-widget').first().waitFor();
    return paragraphs(
      '_Learn_ opens the course: 17 chapters from three loops to a `wgmma` pipeline ([course](course.md)). A chapter explains one idea, compares the code before and after it, and asks a question.',
      'Tasks are files with holes. _Check task_ runs the file without a GPU, and names the mistake at its line.',
    );
  });
