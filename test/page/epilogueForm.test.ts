/** Editor of the epilogue in the form of the explorer, by keyboard. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { drawn } from '../../scripts/page/openedPage';
import { FUSED_SPEC, show, SPEC } from '../../scripts/page/samples';
import type { GemmSpec } from '../../src/core/spec/schema';
import { explorerSuite } from '../helpers/explorerSuite';

const NUM_FRAMES = 8;

explorerSuite('the epilogue in the form', ({ opened }) => {
  const openEditor = async (spec: GemmSpec) => {
    const explorer = await opened(show({ spec }), { gpu: 'none', withForm: true });
    const { page } = explorer;
    await page.locator('#epilogue > summary').focus();
    await page.keyboard.press('Enter');
    await page.locator('#epilogue-new').waitFor();
    const operations = async (): Promise<unknown> => {
      const posted = await explorer.posted();
      const edits = posted.filter(({ spec: edited }) => edited !== undefined);
      return (edits.at(-1)?.['spec'] as GemmSpec | undefined)?.problem.epilogue;
    };
    return { ...explorer, operations };
  };
  const press = async (page: Page, selector: string): Promise<void> => {
    await page.locator(selector).focus();
    await page.keyboard.press('Enter');
    await drawn(page, NUM_FRAMES);
  };
  const focusOf = (page: Page): Promise<string | undefined> =>
    page.evaluate(() => document.activeElement?.id);
  const summaryOf = (page: Page): Promise<string> =>
    page.locator('#epilogue > summary').innerText();
  const ADD = '.epilogue-new vscode-button';
  const remove = (index: number): string => `#epilogue-${index}-remove`;

  it('is one line while it is closed, with the operations in order', async () => {
    for (const [spec, text] of [
      [SPEC, 'Epilogue: none'],
      [FUSED_SPEC, 'Epilogue: bias (N), gelu, residual (row)'],
    ] as const) {
      const { page } = await opened(show({ spec }), { gpu: 'none', withForm: true });
      await page.locator('#epilogue').waitFor();
      assert.equal(await summaryOf(page), text);
      assert.equal(await page.locator('.epilogue-editor').count(), 0);
    }
  });

  it('is in the head, with the form and without it', async () => {
    const head = async (withForm: boolean): Promise<string> => {
      const { page } = await opened(show({ spec: FUSED_SPEC }), { gpu: 'none', withForm });
      await page.locator('.page-head').waitFor();
      return page
        .locator(withForm ? 'h1' : '.page-head .hint')
        .first()
        .innerText();
    };
    assert.match(await head(true), /f32 \+ bias \(N\) \+ gelu \+ residual \(row\), thread-tile-2d/);
    assert.match(await head(false), /Epilogue: bias \(N\), gelu, residual \(row\)/);
  });

  it('adds, moves and removes operations with the keyboard, and keeps the focus', async () => {
    const { page, operations, errors } = await openEditor(SPEC);
    await press(page, ADD);
    assert.equal(await summaryOf(page), 'Epilogue: bias (N)');
    assert.deepEqual(await operations(), [{ op: 'bias', along: 'n' }]);
    await page.locator('#epilogue-new').focus();
    for (const key of ['Enter', 'End', 'Enter']) await page.keyboard.press(key);
    await press(page, ADD);
    assert.equal(await summaryOf(page), 'Epilogue: bias (N), silu');
    await press(page, '#epilogue-1-up');
    assert.equal(await summaryOf(page), 'Epilogue: silu, bias (N)');
    assert.equal(await focusOf(page), 'epilogue-0-down');
    await page.keyboard.press('Enter');
    await drawn(page, NUM_FRAMES);
    assert.equal(await summaryOf(page), 'Epilogue: bias (N), silu');
    assert.equal(await focusOf(page), 'epilogue-1-up');
    await press(page, remove(0));
    assert.deepEqual(await operations(), [{ op: 'silu' }]);
    assert.equal(await focusOf(page), 'epilogue-0-remove');
    await page.keyboard.press('Enter');
    await drawn(page, NUM_FRAMES);
    assert.equal(await summaryOf(page), 'Epilogue: none');
    assert.equal(await operations(), undefined);
    assert.equal(await focusOf(page), 'epilogue-new');
    assert.deepEqual(errors, []);
  });

  it('shows a violation at its operation, whose button fixes it', async () => {
    const { page, operations } = await openEditor(FUSED_SPEC);
    const entry = page.locator('.epilogue-entry').nth(2);
    await entry.locator('.reasons', { hasText: 'leading dimension of at least 256' }).waitFor();
    assert.equal(await entry.locator('input').getAttribute('aria-invalid'), 'true');
    await entry.locator('vscode-button', { hasText: 'Use 256' }).click();
    await page
      .locator('.epilogue-entry')
      .first()
      .locator('vscode-button', { hasText: 'Use f32' })
      .first()
      .click();
    await page.locator('#epilogue .reasons').first().waitFor({ state: 'detached' });
    assert.deepEqual(await operations(), [
      { op: 'bias', along: 'n', dtype: 'f32' },
      { op: 'gelu' },
      { op: 'residual', layout: 'row', ld: 256 },
    ]);
    assert.match(await page.locator('body').innerText(), /gelu\(acc/);
  });

  it('adds a gate at the start, with its activation and leading dimension', async () => {
    const epilogue = [{ op: 'bias', along: 'n' }] as const;
    const spec = { ...SPEC, problem: { ...SPEC.problem, epilogue: [...epilogue] } };
    const { page, operations, axe, errors } = await openEditor(spec);
    await page.locator('#epilogue-new').focus();
    for (const key of ['Enter', 'g', 'Enter']) await page.keyboard.press(key);
    await press(page, ADD);
    assert.equal(await summaryOf(page), 'Epilogue: gate (silu), bias (N)');
    assert.deepEqual(await operations(), [{ op: 'gate' }, ...epilogue]);
    const entry = page.locator('.epilogue-entry').first();
    assert.match(await entry.innerText(), /activation[\s\S]*leading dimension/);
    await press(page, '#epilogue-0-down');
    await page.locator('.epilogue-entry .reasons', { hasText: 'first operation' }).waitFor();
    assert.deepEqual(await axe(), []);
    assert.deepEqual(errors, []);
  });

  it('shows the violations below the line while it is closed', async () => {
    const { page } = await opened(show({ spec: FUSED_SPEC }), { gpu: 'none', withForm: true });
    const reasons = page.locator('.epilogue > .reasons');
    await reasons.first().waitFor();
    assert.equal(await reasons.count(), 2);
  });

  it('adds no ninth operation, and states why', async () => {
    const epilogue = Array.from({ length: 8 }, () => ({ op: 'relu' }) as const);
    const { page, axe } = await openEditor({ ...SPEC, problem: { ...SPEC.problem, epilogue } });
    assert.equal(await page.locator('.epilogue-entry').count(), 8);
    assert.match(await page.locator('#epilogue-new-help').innerText(), /at most 8 operations/);
    await page.locator(ADD).click({ force: true });
    assert.equal(await page.locator('.epilogue-entry').count(), 8);
    assert.deepEqual(await axe(), []);
  });
});
