/**
 * The prose lint: each banned wording is found where people read it, and the field's wording
 * passes.
 */
import assert from 'node:assert/strict';
import { MAX_WORDS, proseFindings, proseOf } from '../../scripts/check/prose';
import { PROSE_PATTERNS } from '../../scripts/check/prosePatterns';

const idsOf = (file: string, text: string): readonly string[] => [
  ...new Set(proseFindings(file, text).map(({ id }) => id)),
];

/** A banned sentence per pattern, and the same statement in the field's words. */
const PAIRS: readonly (readonly [id: string, banned: string, allowed: string])[] = [
  ['distributive-article', 'It uses 64 registers a thread.', 'It uses 64 registers per thread.'],
  ['distributive-of', 'It stores columns of C a block.', 'It stores columns of C per block.'],
  ['of-opening', 'Of the tiles half are staged.', 'Half of the tiles are staged.'],
  ['is-no', 'The name is no number.', 'There is no number in the name.'],
  ['headless', 'Whoever reads this waits.', 'The reader of the buffer waits.'],
  ['relative-opening', 'What the kernel stores.', 'What limits this kernel'],
  ['personification', 'The file says its type.', 'The file states its type.'],
  ['dialect', 'The dearest request is shown.', 'The worst-case request is shown.'],
  ['sums', 'The thread keeps partial sums.', 'The thread keeps accumulators.'],
  ['distributive-none', 'Use neither of these types.', 'It must be one of these types.'],
];

describe('the prose lint', () => {
  for (const [id, banned, allowed] of PAIRS) {
    it(`finds ${id} in comments, strings, shaders and Markdown`, () => {
      for (const [file, text] of [
        ['a.ts', `/** ${banned} */\nexport const a = 1;`],
        ['a.ts', `export const a = '${banned}';`],
        ['a.cu', `// ${banned}\nint a;`],
        ['a.wgsl', `/* ${banned} */`],
        ['a.md', `# Title\n\n${banned}\n`],
        ['a.json', `{ "a": "${banned}" }`],
      ] as const)
        assert.deepEqual(idsOf(file, text), [id], `${file}: ${text}`);
    });

    it(`accepts the standard wording instead of ${id}`, () => {
      assert.deepEqual(idsOf('a.ts', `/** ${allowed} */`), []);
    });
  }

  it('has an example for every pattern', () => {
    assert.deepEqual(PAIRS.map(([id]) => id).sort(), PROSE_PATTERNS.map(({ id }) => id).sort());
  });

  it('finds sentences beyond the word limit, and none at the limit', () => {
    const sentence = (words: number): string => `${'word '.repeat(words - 1)}word.`;
    assert.deepEqual(idsOf('a.md', sentence(MAX_WORDS)), []);
    assert.deepEqual(idsOf('a.md', sentence(MAX_WORDS + 1)), ['long-sentence']);
  });

  it('ignores code in Markdown, code spans and annotations', () => {
    assert.deepEqual(idsOf('a.md', '```\nOf a thread anew\n```\n\nThe field `anew` is old.\n'), []);
    assert.deepEqual(idsOf('a.cu', '// @gemm {"turned":true}\n'), []);
  });

  it('reads consecutive line comments as one sentence, and reports the first line', () => {
    const [finding] = proseFindings(
      'a.ts',
      'const a = 1;\n// It uses 64 registers\n// a thread.\n',
    );
    assert.equal(finding?.line, 2);
    assert.deepEqual(
      proseOf('a.ts', '// It uses 64 registers\n// a thread.\nconst a = 1;')?.map(
        ({ text }) => text,
      ),
      ['It uses 64 registers a thread.'],
    );
  });

  it('skips files without prose', () => {
    assert.equal(proseOf('a.png', ''), null);
  });
});
