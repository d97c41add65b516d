/**
 * Rooms of the core: no import cycle between them, and imports only of earlier rooms, types
 * included.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ESLint, Linter } from 'eslint';
import {
  checkRooms,
  importedNames,
  importsIn,
  isInOrder,
  reportText,
  sourceFiles,
} from '../../scripts/check/rooms';

const order = JSON.parse(
  readFileSync(path.join('scripts', 'check', 'rooms.json'), 'utf8'),
) as readonly string[];

describe('rooms of the core', () => {
  it('import only earlier rooms, without a cycle', () => {
    const core = path.join('src', 'core');
    const files = sourceFiles(core);
    const report = checkRooms(files, importsIn(core), order);
    assert.ok(isInOrder(report), reportText(files, report));
    assert.deepEqual([...report.counts.keys()], order);
    assert.ok(order.every(room => files.some(file => file.startsWith(`${room}/`))));
  });

  it('fail the check when two of them import each other', () => {
    const files = ['near/a.ts', 'far/b.ts', 'far/deep/c.ts'];
    const imports = [
      { from: 'far/b.ts', to: 'near/a' },
      { from: 'near/a.ts', to: 'far/deep/c' },
      { from: 'far/b.ts', to: 'far/deep/c' },
    ];
    const report = checkRooms(files, imports, ['near', 'far']);
    assert.equal(isInOrder(report), false);
    assert.deepEqual(report.cycles, [['near', 'far', 'near']]);
    assert.deepEqual(report.against, [{ from: 'near/a.ts', to: 'far/deep/c' }]);
    const text = reportText(files, report);
    assert.match(text, /2 imports between layers, 1 against the order, 1 cycles\./);
    assert.match(text, /Error: near\/a\.ts imports far\/deep\/c, but layer far is later/);
    assert.match(text, /Error: import cycle near -> far -> near\./);
  });

  it('fail the check when a file is in no room', () => {
    const report = checkRooms(['near/a.ts', 'loose.ts', 'other/b.ts'], [], ['near']);
    assert.deepEqual(report.outside, ['loose.ts', 'other/b.ts']);
    assert.equal(isInOrder(report), false);
  });

  it('count imports of types, exports, dynamic imports and import types', () => {
    const text = `
      import { a } from './a';
      import type { B } from './b';
      import { type C } from './c';
      export { d } from './d';
      export type * from './e';
      const f = await import('./f');
      type G = import('./g').G;
      const none = "import './none'";`;
    assert.deepEqual(
      importedNames('all.ts', text),
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(name => `./${name}`),
    );
  });

  it('have a lint zone each, which forbids later rooms', async () => {
    const eslint = new ESLint();
    const linter = new Linter();
    for (const [i, room] of order.slice(0, -1).entries()) {
      const file = `src/core/${room}/forbidden.ts`;
      // The rule of imports alone: it needs no types, and so no file on disk.
      const { rules } = (await eslint.calculateConfigForFile(file)) as Linter.Config;
      const rule = rules?.['no-restricted-imports'];
      assert.ok(rule !== undefined, file);
      const later = order[i + 1] ?? '';
      const found = linter.verify(
        `import { a } from '../${later}/any';\nimport 'node:fs';\nimport '../text/any';\n`,
        [{ rules: { 'no-restricted-imports': rule } }],
      );
      assert.deepEqual(
        found.map(({ line }) => line),
        [1, 2],
        `${file}: ${JSON.stringify(found)}`,
      );
      assert.match(found[0]?.message ?? '', /imports only earlier layers/);
    }
  }).timeout(120_000);
});
