/** Coalesced runs: a call during a run leads to one more run. */
import assert from 'node:assert/strict';
import { coalesced } from '../../../src/extension/shared/coalesced';

describe('coalesced', () => {
  it('runs once more for any number of calls during a run', async () => {
    let runs = 0;
    let release: () => void = () => undefined;
    const start = coalesced(async () => {
      runs++;
      if (runs === 1) await new Promise<void>(resolve => (release = resolve));
    });
    const all = [start(), start(), start()];
    release();
    await Promise.all(all);
    assert.equal(runs, 2);
  });

  it('runs again for a call at the end of a run', async () => {
    let runs = 0;
    const start = coalesced(async () => {
      await Promise.resolve();
      runs++;
      if (runs === 1) void start();
    });
    await start();
    assert.equal(runs, 2);
    await start();
    assert.equal(runs, 3);
  });

  it('runs again for each call between the last run and its promise', async () => {
    for (let delay = 0; delay < 6; delay++) {
      let runs = 0;
      const start = coalesced(() => {
        runs++;
        return Promise.resolve();
      });
      const first = start();
      for (let i = 0; i < delay; i++) await Promise.resolve();
      const before = runs;
      await Promise.all([first, start()]);
      assert.ok(runs > before, `after ${delay} microtasks`);
    }
  });

  it('runs again after a failure', async () => {
    let runs = 0;
    const start = coalesced(() => {
      runs++;
      return runs === 1 ? Promise.reject(new Error('unreadable')) : Promise.resolve();
    });
    await assert.rejects(start(), /unreadable/);
    await start();
    assert.equal(runs, 2);
  });
});
