/** The words of the field, as hovers explain them. */
import assert from 'node:assert/strict';
import { emit } from '../../../src/core/kernel/emit';
import { namesElsewhere, termOfPath, termOfWord, TERMS } from '../../../src/core/text/glossary';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';

describe('the glossary', () => {
  it('explains every tile name of our kernels and of its tutorials', () => {
    for (const name of [
      'BM',
      'BN',
      'BK',
      'WM',
      'WN',
      'TM',
      'TN',
      'As',
      'Bs',
      'THREADS',
      'BLOCK_SIZE_M',
      'MWG',
    ]) {
      assert.ok(termOfWord(name), name);
    }
    assert.equal(termOfWord('bm'), undefined);
    const planned = plan(resolve({ problem: { m: 64, n: 64, k: 64 } }), 'cuda');
    assert.ok(planned.ok);
    const constants = [...emit(planned.plan).source.matchAll(/^constexpr int (\w+)/gm)].map(
      match => match[1],
    );
    for (const name of constants) assert.ok(termOfWord(name ?? ''), name);
  });

  it('explains the keys of a spec, and gives each term once', () => {
    assert.equal(termOfPath('schedule.block.m')?.name, 'BM');
    assert.equal(termOfPath('schedule.padding')?.name, 'padding');
    assert.equal(termOfPath('schedule.raster')?.name, 'raster');
    for (const path of ['schedule', 'schedule.block', 'problem', 'problem.m'])
      assert.equal(termOfPath(path), undefined, path);
    const names = TERMS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    assert.equal(new Set(names).size, names.length);
    for (const term of TERMS) assert.ok(namesElsewhere(term).length > 0, term.name);
  });
});
