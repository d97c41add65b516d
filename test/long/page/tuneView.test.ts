/** *Tune* in the page: every state as text, symbols and table, and the messages of its buttons. */
import assert from 'node:assert/strict';
import { until } from '../../../scripts/host/until';
import { show } from '../../../scripts/page/samples';
import { TUNED_SPEC, TUNES } from '../../../scripts/page/tunes';
import { explorerSuite } from '../../helpers/explorerSuite';

explorerSuite('tune in the page', suite => {
  const opened = async (tune: keyof typeof TUNES | null, over: Parameters<typeof show>[0] = {}) => {
    const explorer = await suite.opened(show({ spec: TUNED_SPEC, ...over }), { gpu: 'none' });
    if (tune !== null) await explorer.send(TUNES[tune]);
    const section = explorer.page.locator('#tune');
    await section.locator('vscode-button').first().waitFor();
    const button = (name: string) => section.locator('vscode-button', { hasText: name });
    const asked = async () =>
      (await explorer.posted()).filter(({ type }) => type === 'tune') as { ask?: string }[];
    return { explorer, section, button, asked, status: section.getByRole('status') };
  };

  it('starts with a button or the keyboard; Restricted Mode shows the requirement', async () => {
    const { explorer, button, asked } = await opened(null);
    await button('Tune').focus();
    await explorer.page.keyboard.press('Enter');
    assert.deepEqual(
      (await asked()).map(({ ask }) => ask),
      ['start'],
    );
    const restricted = await opened(null, { trusted: false });
    await restricted.section.getByText('Tuning requires a trusted workspace').waitFor();
    assert.equal(await restricted.button('Tune').getAttribute('disabled'), '');
  });

  it('shows a running search: best so far, counts, time left, a symbol per state, the ten fastest', async () => {
    const { explorer, section, button, asked, status } = await opened('running');
    assert.equal(await status.innerText(), 'Compiling schedules and measuring them briefly');
    const text = await section.innerText();
    assert.match(text, /best so far\s+20 TFLOP\/s ± 0\.5 % measured, tied/);
    assert.match(text, /13 measured, 1 failed, 2 left; 4\.4 % of 320 legal schedules/);
    assert.match(text, /12 s, about 4 s left/);
    const shapes = await section
      .locator('.xy .point')
      .evaluateAll(paths => paths.map(path => path.getAttribute('d')?.replace(/^M\S+ \S+/, '')));
    assert.equal(shapes.length, 16, 'one point per schedule');
    assert.equal(
      new Set(shapes).size,
      5,
      'tied, racing, slower, waiting and failed differ in shape',
    );
    assert.equal(await section.locator('.xy .mark.interval').count(), 13);
    assert.equal(await section.locator('.xy .mark.equal').count(), 1);
    const rows = section.getByRole('table').first().locator('tbody tr');
    assert.equal(await rows.count(), 10);
    assert.match(await rows.first().innerText(), /pipelined 64x64x16\s+20 TFLOP\/s\s+± 0\.5 %/);
    await section.getByText('All 16 schedules tried').click();
    assert.match(await section.innerText(), /failed: It took 5 s\./);
    assert.deepEqual(await explorer.axe(), []);
    await button('Cancel').click();
    assert.deepEqual(
      (await asked()).map(({ ask }) => ask),
      ['cancel'],
    );
    assert.deepEqual(explorer.errors, []);
  });

  it('plots schedules in trial order without predictions', async () => {
    const { section } = await opened('unpredicted');
    await section.getByText('in trial order; no predictions available').waitFor();
    assert.equal(await section.locator('.xy .mark.equal').count(), 0);
    assert.equal(await section.locator('.xy .point').count(), 16);
  });

  it('has one winner to adopt, once', async () => {
    const { explorer, section, button, asked, status } = await opened('won');
    assert.equal(await status.innerText(), 'One schedule is fastest.');
    await button('Adopt').click();
    assert.deepEqual(
      (await asked()).map(({ ask }) => ask),
      ['adopt'],
    );
    await explorer.send(TUNES.adopted);
    await section.getByText('Adopted: specs with this or a similar shape').waitFor();
    // The attribute follows the property a moment later.
    const disabled = () => button('Adopt').getAttribute('disabled');
    assert.equal(
      await until('the disabled button', async () => (await disabled()) ?? undefined),
      '',
    );
  });

  it('shows only the name of a search for another problem, device or language', async () => {
    const { problem } = TUNED_SPEC;
    for (const spec of [
      { ...TUNED_SPEC, problem: { ...problem, m: 512 } },
      { ...TUNED_SPEC, problem: { ...problem, a: { dtype: 'f16' as const } } },
      { ...TUNED_SPEC, device: 'a100-sxm-80gb' },
      { ...TUNED_SPEC, targets: ['wgsl' as const] },
    ]) {
      const { explorer, section, button } = await opened('won', { spec });
      assert.equal(await section.locator('.facts').count(), 0, JSON.stringify(spec));
      assert.equal(await button('Adopt').count(), 0);
      assert.equal(await section.locator('.tune-chart').count(), 0);
      await section.getByText('Other searches (1)').click();
      const named = await section.getByRole('list', { name: 'Other searches' }).innerText();
      assert.match(named, /1024 x 1024 x 1024, f32 on NVIDIA H200: One schedule is fastest\./);
      assert.deepEqual(explorer.errors, []);
    }
  }).timeout(90_000);

  it('shows its own search again when its problem is shown again', async () => {
    const { explorer, section, button, status } = await opened('won');
    await explorer.send(show({ name: 'other.gemm.json' }));
    await section.getByText('Other searches (1)').waitFor();
    await explorer.send(show({ spec: TUNED_SPEC }));
    await button('Adopt').waitFor();
    assert.equal(await status.innerText(), 'One schedule is fastest.');
    assert.equal(await section.getByText('Other searches').count(), 0);
  });

  it('cancels a running search for another problem', async () => {
    const { section, asked } = await opened('running', {
      spec: { problem: { m: 64, n: 64, k: 64 } },
    });
    await section.getByText('Other searches (1)').click();
    await section.locator('.other-tunes vscode-button', { hasText: 'Cancel' }).click();
    assert.deepEqual(
      (await asked()).map(({ ask }) => ask),
      ['cancel'],
    );
  });

  it('reports ties and cancellation', async () => {
    const tied = await opened('tied');
    assert.match(await tied.status.innerText(), /^2 schedules are tied/);
    assert.equal(await tied.section.locator('.xy .point.tied').count(), 2);
    assert.equal(await tied.section.locator('.xy .point.best').count(), 0);
    const cancelled = await opened('cancelled');
    assert.equal(await cancelled.status.innerText(), 'Cancelled; results so far are shown.');
    await cancelled.button('Tune again').waitFor();
  });

  it('names no winner without a significant difference or without a legal schedule', async () => {
    const unranked = await opened('unranked');
    assert.match(await unranked.status.innerText(), /^Not ranked: the timer error/);
    await unranked.section.getByText('the timer’s error is 40 %').waitFor();
    assert.equal(await unranked.button('Adopt').count(), 0);
    const none = await opened('none');
    assert.equal(await none.status.innerText(), 'No schedule is legal for this problem.');
    await none.section.getByText('the block does not fit').waitFor();
    assert.equal(await none.section.locator('.tune-chart').count(), 0);
  });

  it('shows the preparation, and why a search could not start', async () => {
    const starting = await opened('starting');
    assert.equal(await starting.status.innerText(), 'Looking for nvcc and the GPU');
    await starting.button('Cancel').waitFor();
    const refused = await opened('refused');
    assert.match(await refused.status.innerText(), /^nvcc was not found/);
    await refused.button('Tune again').waitFor();
    assert.deepEqual(await refused.explorer.axe(), []);
  });
});
