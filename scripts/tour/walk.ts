/** The steps of the tour. */
import type { Frame, Page } from 'playwright-core';
import { waitForEditor, waitForLens } from '../vscodeHost';
import { explorer, runEnded } from '../demo/steps';
import type { Hands } from './hands';
import type { Story } from './story';

export interface Walk {
  readonly page: Page;
  readonly hands: Hands;
  readonly story: Story;
}

export async function walk({ page, hands, story }: Walk): Promise<void> {
  await story.step('Ask for a kernel', async () => {
    await hands.command('GEMM: Generate tiled GEMM');
    for (const answer of ['256 x 256 x 256', 'f32', 'thread-tile-2d', 'CUDA and WGSL'])
      await hands.answer(answer);
    await waitForEditor(page, '.wgsl');
    const lens = await waitForLens(page, 'occupancy');
    return `Sizes, element type, algorithm, language: the files are written and open. Above the kernel stands what is known of it: ${await lens.innerText()}.`;
  });

  let frame: Frame | undefined;
  await story.step('Open the explorer', async () => {
    await hands.command('GEMM: Open explorer');
    frame = await explorer(page);
    return 'Configuration, occupancy, roofline, memory access and code of the same kernel, beside its text.';
  });
  if (frame === undefined) throw new Error('The explorer did not open.');
  const view = frame;

  await story.step('Change a tile', async () => {
    await hands.tabTo(view, view.locator('#field-schedule-block-m'));
    await hands.overtype('64');
    await view.locator('.notice-place').waitFor({ state: 'attached' });
    return 'x';
  });
  await story.step('Verify and time it', async () => {
    await hands.tabTo(view, view.getByRole('button', { name: 'Benchmark', exact: true }), 'back');
    await hands.press('Enter');
    await runEnded(view);
    return 'x';
  });
}
