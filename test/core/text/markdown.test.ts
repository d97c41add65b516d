/**
 * Values in Markdown are text: judged by the parser that VS Code's preview uses, with HTML and
 * addresses let through.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import {
  codeBlock,
  codeSpan,
  escapeMarkdown,
  joined,
  markup,
  ownMarkup,
  picture,
  sourceOf,
  table,
  type Markdown,
} from '../../../src/core/text/markdown';
import { visibleText } from '../../../src/core/text/plainText';
import { runs } from '../../helpers/depth';

const parser = new MarkdownIt({ html: true, linkify: true });

/** Types of all tokens but those that are text, and the text. */
function parsed(source: string): { readonly types: readonly string[]; readonly text: string } {
  const tokens = parser.parse(source, {}).flatMap(token => [token, ...(token.children ?? [])]);
  return {
    types: tokens.map(({ type }) => type).filter(type => type !== 'inline' && type !== 'text'),
    text: tokens.flatMap(({ type, content }) => (type === 'text' ? [content] : [])).join(''),
  };
}

const PARAGRAPH = ['paragraph_open', 'paragraph_close'];
const words = (text: string): string =>
  visibleText(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\$(?=\()/g, '$\u200B');

const pieces = [
  '![p](https://127.0.0.1:1/x.png)',
  '[a](command:b)',
  '<img src=x>',
  '<https://a.b>',
  ...'<!-- https://a.b www.a.b http: //a.b ftp://a a@b.cd mailto: a.com . : ` `` ~~~ --- === ***'.split(
    ' ',
  ),
  ...'1. 1) | |-|-| \\ _ ~~ &lt; &#60; &amp [x]:/y [^1] $(alert) $$ / www 1 a ( ) [ ] ! { ='.split(
    ' ',
  ),
  '# ',
  '> ',
  '- ',
  '+ ',
  '    ',
  '\n',
  '\n\n',
  '\r',
  '\t',
  '\u0000',
  '\u2028',
  '\u200B',
  ' ',
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string(), fc.string({ unit: 'binary' })), {
    maxLength: 12,
  })
  .map(parts => parts.join(''));

const all = { ...runs(2000) };

describe('text in Markdown', () => {
  it('is text alone, and reads as it was', () => {
    fc.assert(
      fc.property(hostile, text => {
        const { types, text: read } = parsed(escapeMarkdown(text));
        assert.deepEqual(types, words(text) === '' ? [] : PARAGRAPH);
        assert.equal(read.replaceAll('\uFFFD', ''), words(text).replaceAll('\uFFFD', ''));
      }),
      all,
    );
  });

  it('stays one cell of a table', () => {
    fc.assert(
      fc.property(hostile, hostile, (one, other) => {
        const { types } = parsed(sourceOf(table(['a', 'b'], [[one, other]])));
        assert.equal(types.filter(type => type === 'tr_open').length, 2);
        assert.equal(types.filter(type => type === 'td_open').length, 2);
        const inline = types.filter(type => !/^(table|thead|tbody|tr|th|td)_/.test(type));
        assert.deepEqual(inline, []);
      }),
      all,
    );
  });

  it('leaves our own markup as it is, and adds none, wherever it stands', () => {
    const count = (value: Markdown): readonly string[] => parsed(sourceOf(value)).types;
    fc.assert(
      fc.property(hostile, text => {
        const value = `x${text}`;
        assert.deepEqual(count(markup`**${value}**`), count(markup`**x**`));
        assert.deepEqual(count(markup`# ${value}\n\n- ${value}`), count(markup`# x\n\n- x`));
        assert.deepEqual(count(markup`> a\n${value}`), count(markup`> a\nx`));
        assert.deepEqual(count(joined([value, value], '\n\n')), [...PARAGRAPH, ...PARAGRAPH]);
        assert.deepEqual(count(ownMarkup('**{0}** {1}', value, text)), count(markup`**x**`));
      }),
      all,
    );
  });

  it('stays within inline code and blocks of code', () => {
    fc.assert(
      fc.property(hostile, text => {
        const { types } = parsed(sourceOf(markup`a ${codeSpan(text)} b`));
        const inline = types.filter(type => !PARAGRAPH.includes(type));
        assert.ok(inline.length === 0 || inline.join() === 'code_inline', inline.join());
        assert.deepEqual(parsed(sourceOf(markup`${codeBlock(text)}\n\na`)).types, [
          'fence',
          ...PARAGRAPH,
        ]);
      }),
      all,
    );
  });

  it('holds no icon of VS Code, which are looked for after Markdown was read', () => {
    fc.assert(
      fc.property(hostile, text => {
        const source = sourceOf(markup`${text} ${codeSpan(text)}\n\n${codeBlock(text)}`);
        assert.doesNotMatch(parser.render(source).replace(/<[^>]*>/g, ''), /\$\([a-z0-9~-]+\)/i);
      }),
      all,
    );
  });

  it('keeps numbers, sentences and labels readable', () => {
    assert.equal(escapeMarkdown('1.5 GFLOP/s on A10. B: 2'), '1.5 GFLOP/s on A10. B: 2');
    assert.equal(escapeMarkdown('1. one'), '1\\. one');
    assert.equal(escapeMarkdown('see https://a.b'), 'see https\\:\\//a\\.b');
  });

  it('has pictures of its own data alone, whatever their description is', () => {
    fc.assert(
      fc.property(hostile, text => {
        const html = parser.render(
          sourceOf(picture(text, 'data:image/png;base64,AA', '|height=9')),
        );
        const [image = ''] = html.match(/<img [^>]*>/g) ?? [];
        assert.match(image, /src="data:image\/png;base64,AA%7Cheight=9"/);
        assert.equal(html.match(/<(?!\/?p\b)[a-z]/g)?.length, 1, html);
      }),
      all,
    );
  });
});
