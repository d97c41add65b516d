/** Tuning for energy: which schedules are measured, ranked and tied. */
import assert from 'node:assert/strict';
import {
  ENERGY_FINALISTS,
  ENERGY_PERCENT,
  standingByEnergy,
} from '../../../../src/core/search/tune/energy';
import { transientStore } from '../../../../src/core/search/tune/bench';
import type { TuneTime } from '../../../../src/core/search/tune/events';
import { fakeBench, hashed } from './fakeBench';
import { play, timeOf } from './playing';

const entry = (joules?: number, medianMs = 1) => ({
  time: {
    medianMs,
    tflops: 1,
    errorPercent: 0,
    timerPercent: 0,
    gpu: 'fake',
    ...(joules === undefined ? {} : { joules }),
  } satisfies TuneTime,
});
const joulesOf = (specKey: string): number => 1 + hashed(`energy ${specKey}`);

describe('tuning for energy', () => {
  it('ranks the least energy first, whatever its time', () => {
    const [cheap, fast, unknown] = [entry(1, 9), entry(2, 1), entry(undefined, 0.5)];
    const { winner, ties, others } = standingByEnergy([fast, unknown, cheap]);
    assert.deepEqual([winner, ties, others], [cheap, [cheap], [fast, unknown]]);
  });

  it('ties energies that differ by less than both errors, and no others', () => {
    const limit = (1 + ENERGY_PERCENT / 100) / (1 - ENERGY_PERCENT / 100);
    const [least, within, beyond] = [entry(1), entry(limit * 0.999), entry(limit * 1.001)];
    const { ties, others } = standingByEnergy([beyond, within, least]);
    assert.deepEqual([ties, others], [[least, within], [beyond]]);
  });

  it('has no winner without energies', () => {
    assert.deepEqual(standingByEnergy([entry()]), { winner: null, ties: [], others: [entry()] });
  });

  it('measures the energy of the fastest schedules, and takes the least', async () => {
    const bench = fakeBench({
      timeOf: ({ specKey }) => timeOf(specKey),
      joulesOf: ({ specKey }) => joulesOf(specKey),
    });
    const summary = await play(bench, { schedules: 40, objective: 'energy' });
    const full = bench.asked.filter(({ effort }) => effort === 'full');
    assert.ok(full.length >= ENERGY_FINALISTS);
    const least = Math.min(...full.map(({ specKey }) => joulesOf(specKey)));
    assert.equal(summary.winner?.joules, least);
    assert.equal(summary.objective, 'energy');
  });

  it('gives no winner but the reason where the driver counts no energy', async () => {
    const bench = fakeBench({
      timeOf: ({ specKey }) => timeOf(specKey),
      joulesOf: () => 'The driver does not count the energy of this GPU.',
    });
    const summary = await play(bench, { schedules: 20, objective: 'energy' });
    assert.equal(summary.winner, null);
    assert.ok(summary.notes.some(note => /driver does not count.*--objective time/.test(note)));
  });

  it('measures again what an earlier run timed without its energy', async () => {
    const store = transientStore();
    const time = ({ specKey }: { readonly specKey: string }) => timeOf(specKey);
    await play(fakeBench({ timeOf: time }), { schedules: 20 }, {}, store);
    const bench = fakeBench({ timeOf: time, joulesOf: ({ specKey }) => joulesOf(specKey) });
    const summary = await play(bench, { schedules: 20, objective: 'energy' }, {}, store);
    assert.ok(summary.winner?.joules);
    assert.deepEqual(new Set(bench.asked.map(({ effort }) => effort)).has('quick'), false);
  });
});
