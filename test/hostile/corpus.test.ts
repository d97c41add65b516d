/** The malicious corpus itself: how much there is of it, and that it is the same each time. */
import assert from 'node:assert/strict';
import { corpus, sample } from './corpus/corpus';
import { CATEGORIES, type HostileFile } from './corpus/entry';

const TRAPS = { authority: '127.0.0.1:9', canaries: '/tmp/gemm-hostile-abcdef/root/outside' };
const categories = (files: readonly HostileFile[]): readonly string[] =>
  [...new Set(files.map(({ category }) => category))].sort();

describe('the malicious corpus', () => {
  const files = corpus(TRAPS);

  it('has at least 200 files, and some of every category', () => {
    assert.ok(files.length >= 200, String(files.length));
    assert.deepEqual(categories(files), [...CATEGORIES].sort());
  });

  it('is the same for the same seed, and another for another', () => {
    assert.deepEqual(corpus(TRAPS), files);
    assert.notDeepEqual(corpus(TRAPS, 23), files);
  });

  it('has files of every category in its sample', () => {
    const taken = sample(TRAPS);
    assert.equal(taken.length, 14);
    assert.deepEqual(categories(taken), [...CATEGORIES].sort());
    assert.deepEqual([...new Set(taken.flatMap(({ reproduces = [] }) => reproduces))].sort(), [
      'H1',
      'L8',
      'M1',
      'M2',
    ]);
  });

  it('has names that are unique and that a file system takes', () => {
    const ids = files.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const fixed = files.filter(({ turn }) => turn !== true).map(({ path }) => path);
    assert.equal(new Set(fixed).size, fixed.length);
    for (const { path } of files) {
      assert.ok(!path.includes('\0') && !path.startsWith('/'), path);
      for (const part of path.split('/')) {
        assert.ok(Buffer.byteLength(part) <= 255, `${Buffer.byteLength(part)} bytes: ${part}`);
        assert.ok(!['', '.', '..'].includes(part), path);
      }
    }
  });
});
