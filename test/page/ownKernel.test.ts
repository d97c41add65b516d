/** The page of a hand-written kernel: figures of its compiled code. */
import assert from 'node:assert/strict';
import { compiledOwn, own, show } from '../../scripts/page/samples';
import { explorerSuite } from '../helpers/explorerSuite';

explorerSuite('a kernel without a spec in the page', ({ opened }) => {
  const kernel = { ...own('hand-written'), name: 'naive.cu' };

  it('shows how its figures are obtained, before it is compiled', async () => {
    const { page } = await opened(show({ own: kernel }));
    await page.getByText(/^Not compiled for NVIDIA H200 yet\./).waitFor();
    assert.equal(await page.locator('#memory').count(), 0);
  });

  it('shows occupancy, accesses and findings of the compiled code', async () => {
    const explorer = await opened(show({ own: kernel }));
    const { page } = explorer;
    await explorer.send(compiledOwn(kernel));
    const occupancy = await page.locator('#occupancy .headline').innerText();
    assert.match(occupancy, /100 %\s+64 of 64 warps, 8 blocks\/SM/);
    const rows = await page.locator('#memory tbody tr').allInnerTexts();
    assert.match(rows[0] ?? '', /^A\[row \* K \+ k\], line 12\t4 B\t16\t2\t!\s*8x$/);
    assert.match(rows[1] ?? '', /\t1x$/);
    await page
      .locator('#notes')
      .getByText(/uncoalesced load, 16 sectors per request/)
      .waitFor();
    assert.equal(await page.getByRole('img', { name: 'above ideal' }).count(), 1);
    assert.deepEqual(await explorer.axe(), []);
    assert.deepEqual(explorer.errors, []);
  });

  it('ignores the facts of another source', async () => {
    const explorer = await opened(show({ own: kernel }));
    await explorer.send({ ...compiledOwn(kernel), sourceHash: '6'.repeat(64) });
    await explorer.page.getByText(/^Not compiled for NVIDIA H200 yet\./).waitFor();
  });
});
