/**
 * Lines of a generated kernel in the editor, linked with the pictures of the explorer: elements and
 * steps highlight lines, and the cursor highlights elements and selects steps.
 */
import assert from 'node:assert/strict';
import { generate, openExplorer } from '../../../scripts/demo/steps';
import { eventually, openVscode } from '../../e2e/session';

describe('lines of a kernel and the pictures of the explorer', () => {
  const session = openVscode({ width: 1600, height: 1000 });

  it('highlight each other', async () => {
    const { page, picture } = session();
    await generate(page, {
      sizes: '128 x 128 x 64',
      dtype: 'f32',
      algorithm: 'shared-tile',
      language: 'CUDA',
    });
    const frame = await openExplorer(page);
    /** Texts of the lines with the decoration of linked lines. */
    const highlighted = (): Promise<readonly string[]> =>
      page.evaluate(() => {
        const marks = [...document.querySelectorAll('.view-overlays .cdr[class*="ced-"]')];
        const tops = marks.map(mark => mark.parentElement?.getBoundingClientRect().top);
        return [...document.querySelectorAll('.view-lines .view-line')]
          .filter(line => tops.includes(line.getBoundingClientRect().top))
          .map(line => (line as HTMLElement).innerText.replaceAll('\u00a0', ' ').trim());
      });
    const facts = frame.getByRole('table', {
      name: 'Addresses and lines of the selected elements',
    });
    await facts.getByRole('button').first().click();
    await eventually(highlighted, lines => lines.some(line => /\bA\[/.test(line)), 'loads of A');
    const steps = frame.locator('#block-steps');
    await steps.getByText('Trace a thread block').click();
    await steps.getByText('Next barrier', { exact: true }).click();
    await eventually(
      highlighted,
      lines => lines.length === 1 && lines[0] === '__syncthreads();',
      'the line of the step',
    );
    await picture('linked lines');
    const status = steps.getByRole('status');
    await status.filter({ hasText: 'Barrier 1' }).waitFor();
    await page.locator('.view-lines .view-line', { hasText: /\+=\s*As\[/ }).click();
    await status.filter({ hasText: 'FMAs into the accumulators' }).waitFor();
    assert.ok((await frame.locator('#tiles .staged.linked').count()) > 0);
    await picture('linked lines from the editor');
  });
});
