/** The editor's WGSL compiled by the page's GPU: line and column of each error. */
import assert from 'node:assert/strict';
import { until } from '../../../scripts/host/until';
import { drawn } from '../../../scripts/page/openedPage';
import { show } from '../../../scripts/page/samples';
import type { ExplorerPage } from '../../../scripts/page/explorerPage';
import { explorerSuite } from '../../helpers/explorerSuite';

const GOOD = '@compute @workgroup_size(64) fn f() {}\n';
const UNKNOWN = '@compute @workgroup_size(64) fn f() {\n  let x = nowhere;\n}\n';
const LARGE = '@compute @workgroup_size(1024) fn f() {}\n';

interface Answer {
  readonly messages: readonly { line: number; column: number; message: string }[] | null;
}

explorerSuite('WGSL while it is typed', ({ opened }) => {
  let asked = 0;
  async function check(explorer: ExplorerPage, source: string, limits?: object): Promise<Answer> {
    asked += 1;
    const id = `wgsl-${asked}`;
    await explorer.sendRaw({
      type: 'checkWgsl',
      id,
      source,
      ...(limits === undefined ? {} : { limits }),
    });
    const found = await until('the answer', async () =>
      (await explorer.posted()).find(
        message => message.type === 'wgslChecked' && message['id'] === id,
      ),
    );
    return found as unknown as Answer;
  }

  it('is compiled by the page, with line and column', async () => {
    const explorer = await opened(show());
    assert.deepEqual((await check(explorer, GOOD)).messages, []);
    const [error] = (await check(explorer, UNKNOWN)).messages ?? [];
    assert.deepEqual([error?.line, error?.column], [2, 11]);
    assert.match(error?.message ?? '', /nowhere/);
    assert.deepEqual(explorer.errors, [], 'nothing in the console');
  });

  it('applies the limits of a spec', async () => {
    const explorer = await opened(show());
    const [error] = (await check(explorer, LARGE)).messages ?? [];
    assert.match(error?.message ?? '', /1024/);
    const raised = { invocations: 1024, workgroupStorageBytes: 16_384 };
    assert.deepEqual((await check(explorer, LARGE, raised)).messages, []);
  });

  it('does not change the page, and reports a missing GPU', async () => {
    for (const gpu of ['none', 'absent', 'failing'] as const) {
      const explorer = await opened(show(), { gpu });
      await drawn(explorer.page);
      const before = await explorer.page.locator('h1').innerText();
      assert.equal((await check(explorer, UNKNOWN)).messages, null, gpu);
      assert.equal(await explorer.page.locator('h1').innerText(), before);
    }
  });
});
