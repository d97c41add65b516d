/** The steps of the tour. Each waits for what it says it shows. */
import type { Frame, Locator, Page } from 'playwright-core';
import { explorer, runEnded } from '../demo/steps';
import { waitForActiveEditor, waitForEditor, waitForLens, webviewFrame } from '../vscodeHost';
import type { Hands } from './hands';
import type { Story } from './story';

export interface Walk {
  readonly page: Page;
  readonly hands: Hands;
  readonly story: Story;
}

export async function walk(parts: Walk): Promise<void> {
  await generate(parts);
  const view = await openExplorer(parts);
  await measure(
    parts,
    view,
    'Verify and time it',
    'Benchmark compares every element with a reference in higher precision, then times the kernel on the WebGPU adapter of this window. The link in the summary goes to the result, which says the timer, its error and the machine.',
  );
  await pin(parts, view);
  await illegal(parts, view);
  await repair(parts, view);
  await undo(parts, view);
  await raiseOccupancy(parts, view);
  await measure(
    parts,
    view,
    'Measure the second kernel',
    'The same two keys, for what the form says now. The comparison has a run of each side from here on.',
  );
  await roofline(parts, view);
  await runs(parts);
  await compare(parts);
}

const field = (view: Frame, name: string): Locator =>
  view.locator(`#field-schedule-${name.replace('.', '-')}`);
const button = (view: Frame, name: string | RegExp): Locator =>
  view.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name }).first();
const summary = async (view: Frame): Promise<string> =>
  (await view.locator('.summary').innerText()).replace(/\s+/g, ' ');

const generate = ({ page, hands, story }: Walk): Promise<void> =>
  story.step('Ask for a kernel', async () => {
    await hands.command('GEMM: Generate tiled GEMM');
    for (const answer of ['256 x 256 x 256', 'f32', 'thread-tile-2d', 'CUDA and WGSL'])
      await hands.answer(answer);
    await waitForActiveEditor(page, /\.cu$/);
    const lens = await waitForLens(page, 'occupancy');
    return `In an empty folder: sizes, element type, algorithm, language. A spec and two kernels are written and open. Above the kernel stands what is known of it before any run: ${await lens.innerText()}.`;
  });

async function openExplorer({ page, hands, story }: Walk): Promise<Frame> {
  let view: Frame | undefined;
  await story.step('Open the explorer', async () => {
    await hands.command('GEMM: Open explorer');
    view = await explorer(page);
    await hands.press('Control+b');
    return `Configuration, occupancy, roofline, memory access and code of the same kernel, beside its text; the keys go to the page. The line at its top stays in sight: ${await summary(view)}.`;
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
  story.step('Pin it', async () => {
    await hands.tabTo(view, button(view, 'Pin'), 'back');
    await hands.press('Enter');
    await view.getByText('is pinned').first().waitFor();
    return 'The present configuration is held as B. Whatever is changed from here on is compared with it: parameters, resources, traffic, waves, runs and text.';
  });

const illegal = ({ hands, story }: Walk, view: Frame): Promise<void> =>
  story.step('Type what is not legal', async () => {
    await hands.tabTo(view, field(view, 'thread.m'));
    await hands.overtype('3');
    const reason = view.locator('.configure .reasons').first();
    await reason.waitFor();
    const said = (await reason.locator('li span').first().innerText()).replace(/\s+/g, ' ');
    return `A tile of 3 rows a thread: the field says why not, in numbers, while it is typed. “${said}”`;
  });

const repair = ({ hands, story }: Walk, view: Frame): Promise<void> =>
  story.step('Take the nearest legal value', async () => {
    const use = button(view, /^Use \d/);
    const [offered] = /^Use [^:]+/.exec((await use.getAttribute('aria-label')) ?? '') ?? [];
    if (offered === undefined) throw new Error('The repair does not say what it would use.');
    await hands.tabTo(view, use);
    await hands.press('Enter');
    await view.locator('#occupancy .headline').waitFor();
    return `After the fields comes the repair: “${offered}”. Code, occupancy and roofline answer in the same frame.`;
  });

const undo = ({ hands, story }: Walk, view: Frame): Promise<void> =>
  story.step('Undo', async () => {
    const before = await field(view, 'thread.m').inputValue();
    await hands.tabTo(view, field(view, 'block.m'), 'back');
    for (let step = 0; step < 5 && (await field(view, 'thread.m').inputValue()) !== '8'; step += 1)
      await hands.press('Control+z');
    const after = await field(view, 'thread.m').inputValue();
    if (after !== '8') throw new Error(`Undo left TM at ${after}, from ${before}.`);
    return `Every change can be taken back, typing in one field as one step: TM goes from ${before} back to ${after}.`;
  });

const raiseOccupancy = ({ hands, story }: Walk, view: Frame): Promise<void> =>
  story.step('Ask what would raise occupancy', async () => {
    const before = await view.locator('#occupancy .headline').innerText();
    const tryIt = view
      .locator('#occupancy')
      .getByRole('button', { name: /Try it/ })
      .first();
    await tryIt.waitFor();
    await hands.tabTo(view, tryIt);
    await hands.press('Enter');
    const after = view.locator('#occupancy .headline').filter({ hasNotText: /^25 %/ });
    await after.waitFor();
    const [from, to] = [before, await after.innerText()].map(text => text.replace(/\s+/g, ' '));
    return `Under the limits stand the edits of the tile that give another block an SM, and what each costs. “Try it” applies one. Before: ${from}. After: ${to}.`;
  });

const roofline = ({ hands, story }: Walk, view: Frame): Promise<void> =>
  story.step('Look at the roofline', async () => {
    await hands.tabTo(view, view.locator('.summary a[href="#roofline"]'), 'back');
    await hands.press('Enter');
    return 'Both measured points, on the ceilings measured on the machine that made them, joined in the order of the runs. The same numbers stand in a table below.';
  });

const runs = ({ page, hands, story }: Walk): Promise<void> =>
  story.step('Open the runs', async () => {
    await hands.command('GEMM: Focus on Runs View');
    await page.locator('.pane-body .monaco-list-row').nth(2).waitFor();
    // A view that is only just being made does not take the focus yet.
    if ((await page.locator('.pane-body :focus').count()) === 0)
      await hands.command('GEMM: Focus on Runs View');
    for (const key of ['Home', 'Shift+ArrowDown', 'Shift+ArrowDown']) await hands.press(key);
    await page.locator('.pane-body .monaco-list-row.selected').nth(1).waitFor();
    return 'Runs are lines of JSON in `.gemm/runs`, to be committed and compared ([format](runs.md)). From here a run is opened in the explorer, run again, copied as Markdown or deleted.';
  });

const compare = ({ page, hands, story }: Walk): Promise<void> =>
  story.step('Compare two runs', async () => {
    await hands.command('GEMM: Compare runs');
    await waitForEditor(page, 'Compared runs');
    await (await webviewFrame(page, 'table')).locator('table').first().waitFor();
    await hands.press('Control+b');
    return 'What differs first: parameters, occupancy, rate, the machine; beside it the difference of the two kernels’ texts.';
  });
