import assert from 'node:assert/strict';
import type { Ranked } from '../../src/core/search/rank/rank';
import { resolve } from '../../src/core/defaults/resolve';
import type { GemmSpec, Schedule } from '../../src/core/spec/schema';
import { similarText } from '../../webview/similarSchedules';

const spec: GemmSpec = { problem: { m: 1024, n: 1024, k: 1024 } };
const ranked = (schedule: Schedule): Ranked => ({
  schedule: resolve({ ...spec, schedule }).schedule,
  tflops: 1,
  milliseconds: 1,
  blocksPerSm: 1,
});
const first = ranked({ algorithm: 'warp-tile' });

describe('schedules with nearly the same predicted time', () => {
  it('are counted, with the fields that differ', () => {
    const alike = [ranked({ algorithm: 'warp-tile', vector: 2 })];
    assert.deepEqual(similarText({ ...first, alike }, spec), [
      'Schedules with nearly the same predicted time: 1 more. They differ in vector.',
    ]);
  });

  it('are counted only, if no field to list differs', () => {
    const { schedule } = first;
    const alike = [{ ...first, schedule: { ...schedule, padding: { a: 0, b: 0 } } }];
    assert.deepEqual(similarText({ ...first, alike }, spec), [
      'Schedules with nearly the same predicted time: 1 more.',
    ]);
    assert.deepEqual(similarText({ ...first, alike: [] }, spec), []);
  });
});
