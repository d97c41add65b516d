/** The loop nest in the explorer: selection, edits, programs, and the schedule of a nest. */
import assert from 'node:assert/strict';
import { newest } from '../../scripts/page/samples';
import type { GemmSpec } from '../../src/core/spec/schema';
import { explorerSuite } from '../helpers/explorerSuite';

const TILED: GemmSpec = {
  problem: { m: 256, n: 256, k: 256 },
  schedule: { algorithm: 'shared-tile', block: { m: 16, n: 16, k: 16 } },
};

explorerSuite('the loop nest', suite => {
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
    const section = explorer.page.locator('#loops');
    await section.getByText('Show the loop nest').click();
    const list = section.getByRole('listbox');
    await list.waitFor();
    const rows = () => list.getByRole('option').allInnerTexts();
    const marked = async (): Promise<string> => {
      const status = await section.locator('#loops-panel [role=status]').innerText();
      return status;
    };
    return { ...explorer, section, list, rows, marked };
  };
  const startFrom = async (page: Awaited<ReturnType<typeof opened>>['page'], value: string) => {
    await page.$eval(
      '#loops-start',
      (element, chosen) => {
        (element as HTMLInputElement).value = chosen;
        element.dispatchEvent(new Event('change'));
      },
      value,
    );
  };

  it('starts with the nest of the kernel, and shows the lines of the selected loop', async () => {
    const { list, rows, marked, section } = await opened();
    assert.deepEqual(
      (await rows()).map(row => row.replace(/ +#.*/, '').trim()),
      [
        'for i in 0..M step 16',
        'for j in 0..N step 16',
        'for k in 0..K step 16',
        'for i0 in 0..16',
        'for j0 in 0..16',
        'for k0 in 0..16',
      ],
    );
    await section.getByRole('tab', { name: 'CUDA' }).click();
    assert.match(await marked(), /^Loop i: line \d+$/);
    const before = await marked();
    await list.focus();
    await list.press('ArrowDown');
    assert.match(await marked(), /^Loop j: line \d+$/);
    assert.notEqual(await marked(), before);
    await section.getByText('Simulated at 40 x 40 x 40: C is correct.').waitFor();
  });

  it('moves a loop with Alt and an arrow key, and states why the nest is not legal', async () => {
    const { list, rows, section } = await opened();
    await list.focus();
    for (let i = 0; i < 3; i++) await list.press('ArrowDown');
    await list.press('Alt+ArrowUp');
    assert.match((await rows())[2]!, /for i0/);
    await section
      .getByText("i0 must be inside of k: all elements of a block's tile use the same copy.")
      .first()
      .waitFor();
    await list.press('Alt+ArrowDown');
    await section.getByText('The nest is legal in Python, CUDA and WGSL.').waitFor();
  });

  it('splits and assigns three loops until they are a kernel, and uses its schedule', async () => {
    const { page, section, list, rows, posted } = await opened({
      problem: { m: 256, n: 256, k: 256 },
      schedule: { algorithm: 'naive', block: { m: 8, n: 8 } },
    });
    await startFrom(page, 'ijk');
    const choose = (id: string, value: string) =>
      page.$eval(
        `#${id}`,
        (element, chosen) => {
          (element as HTMLInputElement).value = chosen;
          element.dispatchEvent(new Event('change'));
        },
        value,
      );
    const select = async (at: number) => {
      await list.getByRole('option').nth(at).click();
    };
    await select(0);
    await choose('loop-split', '16');
    await choose('loop-level', 'grid');
    await select(2);
    await choose('loop-split', '16');
    await choose('loop-level', 'grid');
    assert.deepEqual(
      (await rows()).map(row => row.replace(/ +#.*/, '').trim()),
      [
        'for i in 0..M step 16',
        'for i0 in 0..16',
        'for j in 0..N step 16',
        'for j0 in 0..16',
        'for k in 0..K',
      ],
    );
    await select(1);
    await choose('loop-level', 'block');
    await select(3);
    await choose('loop-level', 'block');
    await select(1);
    await list.press('Alt+ArrowDown');
    await section.getByText('Use as schedule: coalesced').click();
    const changes = (await posted()).filter(({ type }) => type === 'changeSpec');
    assert.deepEqual((changes.at(-1)?.['spec'] as GemmSpec).schedule, {
      algorithm: 'coalesced',
      block: { m: 16, n: 16 },
    });
  });

  it('states that a loop over k may not run in parallel', async () => {
    const { page, list, section } = await opened();
    await startFrom(page, 'ijk');
    await list.focus();
    for (let i = 0; i < 2; i++) await list.press('ArrowDown');
    await section.getByText('The iterations of k may not run in parallel.').waitFor();
  });

  it('plays the loops FMA by FMA, with the misses of a cache', async () => {
    const { page, section } = await opened();
    await startFrom(page, 'ijk');
    await section.getByText('Play the loops').click();
    const press = (name: string) => section.getByText(name, { exact: true }).click();
    await press('Next innermost loop');
    await section.getByText('C(0, 0) += A(0, 7) * B(7, 0). FMAs: 8. Cache misses: 11.').waitFor();
    await press('Step');
    await section.getByText('C(0, 1) += A(0, 0) * B(0, 1). FMAs: 9. Cache misses: 11.').waitFor();
    await startFrom(page, 'kij');
    await section.getByText('C(0, 8) += A(0, 0) * B(0, 8). FMAs: 9.').waitFor();
  });

  it('has no accessibility violations', async () => {
    const { axe, section } = await opened();
    await section.getByText('Play the loops').click();
    assert.deepEqual(await axe(), []);
  });
});
