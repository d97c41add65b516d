/** Memory details in a browser: closed initially; banks, fixes, sectors and levels when opened. */
import assert from 'node:assert/strict';
import type { ToWebview } from '../../../src/protocol';
import { newest } from '../../../scripts/page/samples';
import { explorerSuite } from '../../helpers/explorerSuite';

const show: ToWebview = {
  type: 'show',
  ...newest(),
  spec: {
    problem: { m: 2048, n: 2048, k: 2048 },
    schedule: {
      algorithm: 'thread-tile-2d',
      block: { m: 128, n: 128, k: 8 },
      thread: { m: 8, n: 8 },
    },
  },
  name: 'first.gemm.json',
  trusted: true,
  backends: [],
  runs: [],
};

const BANKS = 'Bank conflicts and fixes';
const SECTORS = 'Sectors per request';

explorerSuite('memory in the page', suite => {
  const opened = async (...summaries: readonly string[]) => {
    const explorer = await suite.opened(show, { gpu: 'none', width: 1400, height: 1000 });
    for (const summary of summaries) {
      await explorer.page.locator('#memory summary', { hasText: summary }).click();
    }
    return explorer;
  };

  it('lists accesses of the prologue only if they differ from those of the main loop', async () => {
    const spec = {
      problem: { m: 1024, n: 1024, k: 1024 },
      schedule: { algorithm: 'pipelined' },
    } as const;
    const { page } = await suite.opened({ ...show, ...newest(), spec }, { gpu: 'none' });
    const table = page.getByRole('table', { name: 'Shared memory: wavefronts per request' });
    await table.waitFor();
    const rows = await table.locator('tbody tr').allInnerTexts();
    assert.ok(rows.some(row => row.startsWith('As fragment load')));
    assert.equal(new Set(rows).size, rows.length, rows.join());
  });

  it('renders no closed section', async () => {
    const { page } = await opened();
    assert.equal(await page.locator('.request').count(), 0);
  });

  it('shows the lanes of each bank by wavefront, and marks conflicts not only by color', async () => {
    const explorer = await opened(BANKS);
    const { page } = explorer;
    const picture = page.locator('.request', { hasText: 'As fragment load' });
    await picture.waitFor();
    assert.match(await picture.innerText(), /4 B per lane: 2 wavefronts, 1 from bank conflicts/);
    const rows = picture.locator('tbody tr');
    assert.equal(await rows.count(), 2);
    assert.equal(await rows.nth(0).locator('td').count(), 32);
    assert.equal(await rows.nth(0).locator('td.served').innerText(), '0+');
    assert.equal(await rows.nth(1).locator('td.conflict').innerText(), '16!');
    assert.deepEqual(await explorer.axe(), []);
  });

  it('applies a fix with one button, which removes the conflict', async () => {
    const explorer = await opened(BANKS);
    const { page } = explorer;
    const remedies = page.getByRole('list', { name: 'Bank-conflict fixes' });
    const remedy = remedies.locator('> li').first();
    assert.match(await remedy.innerText(), /pad A 0 → 1/i);
    assert.match(await remedy.innerText(), /shared memory per block 8,192 B → 8,704 B/);
    assert.match(await remedy.innerText(), /blocks\/SM 2 → 2/);
    await remedy.locator('vscode-button').focus();
    await page.keyboard.press('Enter');
    const picture = page.locator('.request', { hasText: 'As fragment load' });
    await picture.getByText('1 wavefronts, 0 from bank conflicts').waitFor();
    const told = (await explorer.posted()).findLast(({ type }) => type === 'changeSpec');
    assert.match(JSON.stringify(told), /"padding":\{"a":1/);
  });

  it('shows the sectors of each line, and traffic from registers to DRAM', async () => {
    const explorer = await opened(SECTORS, 'Traffic per memory level');
    const { page } = explorer;
    const store = page.locator('.request', { hasText: 'C store' });
    await store.waitFor();
    assert.match(await store.innerText(), /sectors: 32, lines: 8, 128 B of 1,024 B used/);
    const levels = page.getByRole('region', { name: 'Traffic per memory level' });
    const names = await levels.locator('tbody th').allInnerTexts();
    assert.deepEqual(names, ['registers', 'shared memory', 'L1', 'L2', 'DRAM']);
    assert.deepEqual(await explorer.axe(), []);
  });
});
