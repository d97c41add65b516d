/** Layouts of the explorer: the views of BLAS and CuTe, grids of any expression, the keyboard. */
import assert from 'node:assert/strict';
import { newest } from '../../scripts/page/samples';
import { TENSOR_SPEC } from '../../scripts/page/tensorSample';
import type { GemmSpec } from '../../src/core/spec/schema';
import { until } from '../../scripts/host/until';
import { explorerSuite } from '../helpers/explorerSuite';

const TUTORIAL: GemmSpec = {
  problem: {
    m: 5120,
    n: 5120,
    k: 4096,
    a: { layout: 'col' },
    b: { layout: 'row' },
    c: { layout: 'col' },
  },
  schedule: { algorithm: 'layout' },
};

explorerSuite('layouts', suite => {
  const opened = async (spec = TUTORIAL) => {
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
    const section = explorer.page.locator('section#layouts');
    await section.scrollIntoViewIfNeeded();
    await section.getByText('Show a layout').click();
    const input = section.getByLabel(/^Layout expression/);
    await input.waitFor();
    const choose = async (list: string, option: RegExp) => {
      await section.getByRole('combobox', { name: list }).click();
      await section.getByRole('option', { name: option }).click();
    };
    return { ...explorer, section, input, choose };
  };

  it('show the matrices as BLAS and CuTe describe them', async () => {
    const { section } = await opened();
    await section.getByText('SGEMM NT, column-major: both operands are MN-major').waitFor();
    const table = section.getByRole('table', { name: 'Matrices as BLAS and CuTe describe them' });
    assert.deepEqual((await table.locator('tbody tr').allInnerTexts())[1]?.split('\t'), [
      'B',
      'yes',
      '5120 x 4096, column-major, (1,5120)',
      '(N,K), N-major, (5120,4096):(1,5120)',
    ]);
  });

  it('show the threads of tC first, and move through the cells by keyboard', async () => {
    const { section, page } = await opened();
    const grid = section.getByRole('grid', { name: '(_16,_16):(_1,_16)' });
    assert.equal(await grid.locator('tbody td').count(), 256);
    await grid.locator('tbody td').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const told = section.locator('.place-grid').getByRole('status');
    assert.equal(await told.innerText(), 'Coordinate (2,1): thread 18 (warp 0, lane 18)');
  });

  it('evaluate what is typed, with both operands of a composition', async () => {
    const { section, input } = await opened();
    await input.fill('composition(make_layout(make_shape(_8{}, _8{})), (4,2):(2,1))');
    const captions = section.locator('figcaption');
    await captions.filter({ hasText: 'A(B(c)) = ' }).waitFor();
    assert.deepEqual(await captions.allInnerTexts(), [
      'A = (8,8):(1,8): 8 x 8 cells',
      'B = (4,2):(2,1): 4 x 2 cells',
      'A(B(c)) = (4,2):(2,1): 4 x 2 cells',
    ]);
    await input.fill('composition(Swizzle<3,2,3>{}, (8,32):(32,1))');
    await captions.filter({ hasText: 'With swizzle Sw<3,2,3>' }).waitFor();
    assert.equal(await section.getByRole('grid').count(), 2);
    await input.fill('size<0>(sA)');
    await section.locator('.layout-result').filter({ hasText: /^128$/ }).waitFor();
  });

  it('report the column of an error at the input', async () => {
    const { section, input } = await opened();
    await input.fill('tile((8,8), (4,4)');
    const alert = section.getByRole('alert');
    await alert.filter({ hasText: 'Column 18: Expected "," or ")"' }).waitFor();
    assert.equal(await input.getAttribute('aria-invalid'), 'true');
    assert.equal(await input.getAttribute('aria-describedby'), await alert.getAttribute('id'));
    await input.fill('tile((8,8), (4,4))');
    await alert.waitFor({ state: 'detached' });
  });

  it('color by bank, and show parts of large layouts', async () => {
    const { section, choose } = await opened();
    await choose('Layout', /^sA = /);
    const first = section.locator('figure tbody td').first();
    await section.getByText('128 x 8 cells, in part').waitFor();
    assert.match(await first.innerText(), /^0\s*b0$/);
    await section.getByLabel('first row').fill('32');
    await section.locator('figure tbody th').first().filter({ hasText: '32' }).waitFor();
    assert.match(await first.innerText(), /^32\s*b0$/);
    await choose('Color by', /sector/);
    await first.filter({ hasText: 's4' }).waitFor();
  });

  it('show fragments and owners of C of a tensor-core kernel', async () => {
    const { section, choose } = await opened(TENSOR_SPEC);
    await choose('Layout', /^Fragment of C/);
    await section
      .getByText(/^Fragment of C: threads and registers/)
      .last()
      .waitFor();
    assert.match(await section.locator('figure tbody td').first().innerText(), /^T0\s*R0$/);
    await choose('Layout', /^Threads over/);
    await section.getByText(/^Threads over the tile of C: /).waitFor();
    // Warp group 0 loads the tiles, so that the first consumer is thread 128.
    assert.equal(await section.locator('figure tbody td').first().innerText(), 'T128');
  });

  it('draw a thread-value layout over a tile', async () => {
    const { section, input } = await opened();
    await input.fill('((4,8),(2,2)):((32,1),(16,8))');
    const tile = section.getByLabel(/^Tile of a thread-value layout/);
    await tile.fill('16x8');
    await section.getByText(/: 16 x 8 cells$/).waitFor();
    assert.match(await section.locator('figure tbody td').nth(3).innerText(), /^T1\s*V1$/);
    await tile.fill('8x8');
    await section.getByRole('alert').filter({ hasText: 'outside of the 8 x 8 tile' }).waitFor();
    await tile.fill('8');
    await section.getByRole('alert').filter({ hasText: 'such as 16x8' }).waitFor();
  });

  it('save the shown grids as SVG, with the meaning of the colors', async () => {
    const { section, input, posted, choose } = await opened();
    const saved = async (title: RegExp): Promise<string> => {
      const pictures = async () => (await posted()).filter(({ type }) => type === 'exportChart');
      const before = (await pictures()).length;
      await section.getByRole('button', { name: 'Save SVG' }).click();
      const sent = await until('the picture to be sent', async () => (await pictures())[before]);
      assert.equal(sent['name'], 'layout');
      assert.match(String(sent['content']), title);
      return String(sent['content']);
    };
    await input.fill('composition((8,8):(1,8), (4,2):(2,1))');
    await section.getByText('Save picture').click();
    const composition = await saved(/>A\(B\(c\)\) = \(4,2\):\(2,1\)</);
    assert.equal(composition.match(/stroke=/g)?.length, 64 + 8 + 8);
    assert.match(composition, /Color: offset modulo 8 \(f32\)/);
    // A larger layout is saved in part.
    await choose('Layout', /^gC = /);
    const part = await saved(/rows 0 to 15, columns 0 to 15</);
    assert.equal(part.match(/stroke=/g)?.length, 256);
    assert.match(part, /Color: 32-byte sector/);
  });

  it('are accessible in every theme', async () => {
    const { axe, setTheme, input } = await opened();
    await input.fill('composition(Swizzle<2,2,3>{}, (4,8):(8,1))');
    for (const theme of ['light', 'dark', 'highContrast', 'highContrastLight'] as const) {
      await setTheme(theme);
      assert.deepEqual(await axe(), [], theme);
    }
  });
});
