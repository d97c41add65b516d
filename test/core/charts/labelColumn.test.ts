/** Where the labels of points above each other stand. */
import assert from 'node:assert/strict';
import { spread } from '../../../src/core/charts/labelColumn';

describe('a column of labels', () => {
  const room = { top: 0, bottom: 60 };

  it('leaves what has room, and moves what has none, in order and a line apart', () => {
    assert.deepEqual(spread([10, 40], room), [10, 40]);
    assert.deepEqual(spread([10, 10, 11], room), [10, 25, 40]);
  });

  it('stays between top and bottom while they hold it', () => {
    assert.deepEqual(spread([-20, -10], room), [0, 15]);
    assert.deepEqual(spread([58, 59, 60], room), [30, 45, 60]);
    assert.deepEqual(spread([60, 60, 60, 60, 60], room), [0, 15, 30, 45, 60]);
  });
});
