/** The form of the explorer page: a line of help at each field, and defaults. */
import assert from 'node:assert/strict';
import { show } from '../../scripts/page/samples';
import { TENSOR_SPEC } from '../../scripts/page/tensorSample';
import type { GemmSpec } from '../../src/core/spec/schema';
import { explorerSuite } from '../helpers/explorerSuite';

interface FieldOnPage {
  readonly name: string;
  readonly help: string;
  readonly isHelpVisible: boolean;
  readonly right: number;
}

/** Runs in the page. */
function fieldsOnPage(): readonly FieldOnPage[] {
  const fields = [...document.querySelectorAll('#configuration .field')];
  return fields
    .filter(field => field.checkVisibility())
    .map(field => {
      const control = field.querySelector('input, vscode-dropdown');
      const [id = ''] = control?.getAttribute('aria-describedby')?.split(' ') ?? [];
      const help = document.getElementById(id);
      const box = help?.getBoundingClientRect();
      const ends = [...field.children].map(part => part.getBoundingClientRect().right);
      return {
        name: control?.id ?? '',
        help: help?.textContent ?? '',
        isHelpVisible: (box?.width ?? 0) > 20 && (box?.height ?? 0) > 8,
        right: Math.max(...ends),
      };
    });
}

explorerSuite('the form of the page', ({ opened }) => {
  const formOf = (spec: GemmSpec | undefined, width: number) =>
    opened(show(spec === undefined ? {} : { spec }), { width, gpu: 'none', withForm: true });

  it('shows a line of help at every field, on wide and narrow pages', async () => {
    for (const spec of [undefined, TENSOR_SPEC])
      for (const width of [270, 700, 1000]) {
        const { page } = await formOf(spec, width);
        await page.locator('#configuration .field').first().waitFor();
        const fields = await page.evaluate(fieldsOnPage);
        assert.ok(fields.length > 20, String(fields.length));
        for (const { name, help, isHelpVisible, right } of fields) {
          assert.ok(help.trim() !== '' && isHelpVisible, `${name} at ${width} px: ${help}`);
          assert.ok(help.length <= 60, `${name}: ${help}`);
          assert.ok(right <= width, `${name} at ${width} px: ${right}`);
        }
      }
  });

  it('dims a default, and shows it in full once it is set', async () => {
    const { page } = await formOf(undefined, 1000);
    const field = page.locator('.field', { has: page.locator('#field-schedule-splitK') });
    const color = (): Promise<string> =>
      field.locator('input').evaluate(input => getComputedStyle(input).color);
    const dimmed = await color();
    assert.match(await field.locator('label').innerText(), /default/);
    await field.locator('input').fill('2');
    await page.locator('.field:not(.unset) #field-schedule-splitK').waitFor();
    assert.notEqual(await color(), dimmed);
    assert.doesNotMatch(await field.locator('label').innerText(), /default/);
  });

  it('describes the fields of the head without visible help', async () => {
    const { page } = await opened(show(), { gpu: 'none' });
    const described = await page.locator('.page-head .field').evaluateAll(fields =>
      fields.map(field => {
        const control = field.querySelector('input, vscode-dropdown');
        const [id = ''] = control?.getAttribute('aria-describedby')?.split(' ') ?? [];
        const help = document.getElementById(id);
        return [help?.textContent ?? '', help?.className ?? ''] as const;
      }),
    );
    assert.ok(described.length > 5);
    for (const [text, name] of described) {
      assert.notEqual(text, '');
      assert.equal(name, 'visually-hidden', text);
    }
  });
});
