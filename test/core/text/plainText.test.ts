/** Text of workspaces on surfaces where VS Code reads links and icons in plain strings. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MAX_CHARACTERS, plainText } from '../../../src/core/text/plainText';
import { icon, icons, labelOf } from '../../../src/extension/display/iconLabel';

/** As in VS Code's vs/base/common/linkedText.ts. */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;
/** As in VS Code's vs/base/browser/ui/iconLabel/iconLabels.ts. */
const ICON = /(\\)?\$\(([A-Za-z0-9-]+(?:~[A-Za-z]+)?)\)/;

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom('[', ']', '(', ')', '$', '\\', '$(alert)', '](command:a)', 'https://x', ' '),
      fc.constantFrom(
        '[a](command:b)',
        '[a](file:///b "t")',
        '\u202E',
        '\u0000',
        '\n',
        '\r',
        '\u200B',
      ),
      fc.string({ unit: 'binary' }),
    ),
    { maxLength: 20 },
  )
  .map(parts => parts.join(''));

describe('plain text', () => {
  it('has no link and no icon for VS Code, whatever it is made of', () => {
    fc.assert(
      fc.property(hostile, text => {
        const plain = plainText(text);
        assert.doesNotMatch(plain, LINK);
        assert.doesNotMatch(plain.replace(/[\r\n]+/g, ' ').trim(), LINK, 'as a notification');
        assert.doesNotMatch(plain, ICON);
        assert.doesNotMatch(plain, /[^\P{Cc}\n\t]|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u);
      }),
    );
  });

  it('reads as before', () => {
    const link = '[Repair this file](command:workbench.action.terminal.new)';
    assert.equal(plainText(link).replaceAll('\u200B', ''), link);
    assert.notEqual(plainText(link), link);
    assert.equal(plainText('$(alert) x').replaceAll('\u200B', ''), '$(alert) x');
    for (const text of ['C[i](j)', 'a [b] (c), 5 $ (d)', 'Zeile\n行列 ü 👩‍💻', ''])
      assert.equal(plainText(text).replaceAll('\u200B', ''), text);
  });

  it('is cut at its limit, between characters, and not below', () => {
    const most = 'x'.repeat(MAX_CHARACTERS);
    assert.equal(plainText(most), most);
    assert.equal(plainText(`${most}y`), `${'x'.repeat(MAX_CHARACTERS - 1)}…`);
    assert.equal(plainText('ab👩d', 4), 'ab…');
  });

  it('shows no character that turns the direction of a name around', () => {
    assert.equal(plainText('a\u202Eub.wgsl'), 'aub.wgsl');
  });
});

describe('labels with icons', () => {
  it('have the icons of our literals and tables, and none of a value', () => {
    const label = labelOf(icons`$(play) ${'$(alert) [a](command:b)'} ${icon('sync~spin')}`);
    assert.equal(label, '$(play) $\u200B(alert) [a]\u200B(command:b) $(sync~spin)');
    assert.equal(labelOf('$(alert)'), '$\u200B(alert)');
    assert.equal(labelOf(icon('a) $(b')), '$(ab)');
  });
});
