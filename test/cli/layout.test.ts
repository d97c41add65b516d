/** `layout`: what programs and people get of CuTe's algebra. */
import assert from 'node:assert/strict';
import { cli, jsonOf } from './cli';

describe('layout', () => {
  it('answers a layout as one JSON value', async () => {
    const ran = await cli(['layout', '((2,2),2):((1,4),2)', '--json']);
    assert.equal(ran.code, 0);
    assert.deepEqual(jsonOf(ran), {
      expression: '((2,2),2):((1,4),2)',
      layout: '((2,2),2):((1,4),2)',
      shape: [[2, 2], 2],
      stride: [[1, 4], 2],
      size: 8,
      cosize: 8,
      rank: 2,
      depth: 2,
      offset: 0,
      coverage: 'compact',
      table: [
        [0, 2],
        [1, 3],
        [4, 6],
        [5, 7],
      ],
    });
  });

  it('answers operations, and prints tables for people', async () => {
    const composed = await cli(['layout', 'compose((8,8):(1,8), (4,2):(2,1))']);
    assert.equal(composed.code, 0);
    assert.match(composed.stdout, /^\(4,2\):\(2,1\)\nsize 8, cosize 8/);
    const size = await cli(['layout', 'size((8,8))', '--json']);
    assert.deepEqual(jsonOf(size), { expression: 'size((8,8))', value: 64 });
  });

  it('marks what is wrong, with exit code 2', async () => {
    const { code, stdout, stderr } = await cli(['layout', 'size((8,8)', '--json']);
    assert.equal(code, 2);
    assert.match(stderr, /^Column 11: Expected "," .*\n\n {2}size\(\(8,8\)\n {12}\^\n$/);
    assert.match(stdout, /"message":"Column 11:/);
    assert.equal((await cli(['layout'])).code, 2);
  });
});
