import { strict as assert } from 'node:assert';
import type { TuneEvent, TuneTime } from '../../../../src/core/search/tune/events';
import { after, NOT_STARTED, tiedWithBest } from '../../../../src/core/search/tune/state';

const tried = (specKey: string): TuneEvent => ({
  type: 'tried',
  candidate: {
    specKey,
    schedule: { algorithm: 'naive' },
    predictedTflops: null,
    from: 'rank',
  },
});
const time = (medianMs: number, errorPercent = 1): TuneTime => ({
  medianMs,
  errorPercent,
  tflops: 1 / medianMs,
  timerPercent: 0,
  gpu: 'one',
});
const measured = (
  specKey: string,
  medianMs: number,
  effort: 'quick' | 'full' = 'quick',
): TuneEvent => ({ type: 'measured', specKey, effort, time: time(medianMs), kept: false });

describe('state of a tune', () => {
  it('has the fastest as its best, and what cannot be told from it as its ties', () => {
    const state = after(
      NOT_STARTED,
      ...['a', 'b', 'c'].map(tried),
      measured('a', 1.01),
      measured('b', 1),
      measured('c', 2),
    );
    assert.equal(state.best, 'b');
    assert.deepEqual(
      tiedWithBest(state).map(({ specKey }) => specKey),
      ['a', 'b'],
    );
    assert.equal(state.measurements, 3);
  });

  it('believes the full protocol more than a quick time', () => {
    const state = after(
      NOT_STARTED,
      ...['a', 'b'].map(tried),
      measured('a', 1),
      measured('b', 0.9),
      measured('a', 1.1, 'full'),
    );
    assert.equal(state.best, 'a');
  });

  it('forgets a best that failed later', () => {
    const failed = { type: 'failed', specKey: 'b', outcome: 'incorrect', why: 'wrong' } as const;
    const state = after(
      NOT_STARTED,
      ...['a', 'b'].map(tried),
      measured('a', 2),
      measured('b', 1),
      failed,
    );
    assert.equal(state.best, 'a');
    assert.equal(state.candidates.get('b')?.why, 'wrong');
  });

  it('is the same whether events come one by one or at once, and leaves the old state as it was', () => {
    const events = [tried('a'), tried('b'), measured('a', 2), measured('b', 1)];
    const once = after(NOT_STARTED, ...events);
    const single = events.reduce((state, event) => after(state, event), NOT_STARTED);
    assert.deepEqual(single, once);
    assert.equal(NOT_STARTED.candidates.size, 0);
  });
});
