import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lineDiff } from '../../src/core/text/lineDiff';
import { gutterOf, segmentsOf, touched } from '../../webview/listing';

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', '', '// x'), { maxLength: 12 })
  .map(lines => lines.join('\n'));
const side = (before: string, after: string, gone: 'added' | 'removed') =>
  lineDiff(before, after)
    .filter(({ kind }) => kind !== gone)
    .map(line => line.text)
    .join('\n');

describe('line diff', () => {
  it('contains both texts with their line numbers', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        assert.equal(side(before, after, 'added'), before);
        assert.equal(side(before, after, 'removed'), after);
        for (const line of lineDiff(before, after)) {
          if (line.before !== undefined)
            assert.equal(before.split('\n')[line.before - 1], line.text);
          if (line.after !== undefined) assert.equal(after.split('\n')[line.after - 1], line.text);
          assert.equal(line.kind === 'same', line.before !== undefined && line.after !== undefined);
        }
      }),
    );
  });

  it('is minimal', () => {
    const lines = lineDiff('a\nb\nc\nd', 'a\nx\nc\nd\ne');
    assert.deepEqual(
      lines.map(({ kind, text: of }) => `${kind} ${of}`),
      ['same a', 'removed b', 'added x', 'same c', 'same d', 'added e'],
    );
    assert.ok(lineDiff('x', 'x').every(({ kind }) => kind === 'same'));
  });

  it('is fast for long texts without common lines', () => {
    const long = (word: string) =>
      Array.from({ length: 20_000 }, (_, i) => `${word}${i}`).join('\n');
    const began = performance.now();
    assert.equal(lineDiff(long('a'), long('b')).length, 40_000);
    assert.ok(performance.now() - began < 5000);
  });
});

describe('listing', () => {
  it('highlights whole lines and preserves the text', () => {
    fc.assert(
      fc.property(text, fc.uniqueArray(fc.integer({ min: 1, max: 12 })), (source, lines) => {
        const segments = segmentsOf(source, new Set(lines));
        assert.equal(segments.map(part => part.text).join(''), source);
        assert.ok(segments.every(part => !part.changed || !part.text.includes('\n')));
      }),
    );
    const parts = segmentsOf('int a; // one\nint b;\n/* two\n */ c', new Set([1, 4]));
    assert.deepEqual(
      parts.filter(part => part.changed).map(part => [part.text, part.comment]),
      [
        ['int a; ', false],
        ['// one', true],
        [' */', true],
        [' c', false],
      ],
    );
  });

  it('ignores header lines that change with every edit', () => {
    const before = '// Compile: nvcc a.cu\n// @gemm {}\nint a;\nint gone;\n';
    const { lines, removed } = touched(before, '// Compile: nvcc b.cu\n// @gemm {1}\nint b;\n');
    assert.deepEqual([[...lines], removed], [[3], 2]);
    assert.equal(touched('x', 'x').lines.size, 0);
  });

  it('numbers lines and marks changed ones', () => {
    assert.equal(gutterOf('a\nb\n', new Set([2])), '1  \n2 +');
  });
});
