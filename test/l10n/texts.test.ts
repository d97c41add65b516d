/**
 * Texts of the product are literals whose placeholders have arguments; texts of the manifest are in
 * package.nls.json.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { placeholders, textsOf, textsOfProduct } from '../../scripts/l10n/texts';

type Bundle = Readonly<Record<string, string>>;
const read = (file: string): Bundle => JSON.parse(readFileSync(file, 'utf8')) as Bundle;

const { texts, unreadable } = textsOfProduct('.');

describe('texts', () => {
  it('are literals, and get the arguments that they name', () => {
    assert.deepEqual(unreadable, []);
    for (const { text, at, given } of texts) {
      const named = placeholders(text);
      if (given === null) continue;
      assert.deepEqual(
        named,
        Array.from({ length: given }, (_, i) => String(i)),
        `${at}: ${text}`,
      );
    }
  });

  it('are never given bare to a notification', () => {
    for (const name of readdirSync('src/extension', { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const text = readFileSync(path.join('src/extension', name), 'utf8');
      const bare =
        /show(?:Information|Warning|Error)Message\(\s*(?:'|`(?!GEMM Explorer: \$)[^`$]*[a-z]{3})/.exec(
          text,
        );
      assert.equal(bare?.[0], undefined, name);
    }
  });

  it('are found in calls of t alone, with their place and the number of arguments', () => {
    const source = `import { t } from '@vscode/l10n';
      const a = t('one {0}', 1);
      const b = <p title={t(\`two\`)}>{other.t('no')}</p>;
      const c = t(name);
      const d = t('three {n}', { n: 1 });
      const e = fill(t('four {0} {1}'), 1, 2);`;
    assert.deepEqual(textsOf('x.tsx', source), {
      texts: [
        { text: 'one {0}', at: 'x.tsx:2', given: 1 },
        { text: 'two', at: 'x.tsx:3', given: 0 },
        { text: 'three {n}', at: 'x.tsx:5', given: null },
        { text: 'four {0} {1}', at: 'x.tsx:6', given: 2 },
      ],
      unreadable: ['x.tsx:4'],
    });
    assert.deepEqual(textsOf('x.ts', "const a = t('not ours');"), { texts: [], unreadable: [] });
  });
});

describe('texts of the manifest', () => {
  const english = read('package.nls.json');
  const manifest = readFileSync('package.json', 'utf8');

  it('are the ones that package.json names', () => {
    const named = [...manifest.matchAll(/"%([^"%]+)%"/g)].map(([, key]) => key);
    assert.deepEqual(Object.keys(english).sort(), [...new Set(named)].sort());
  });

  it('are not left bare in package.json', () => {
    const bare = [
      ...manifest.matchAll(/"(?:title|description|markdownDescription|displayName)": "([^"]+)"/g),
    ];
    assert.deepEqual(
      bare.map(([, text]) => text).filter(text => !/^(%.+%|GEMM Explorer)$/.test(text ?? '')),
      [],
    );
  });
});
