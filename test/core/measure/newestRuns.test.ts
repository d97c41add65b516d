/** Which run of a spec stands for each backend. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BACKENDS, type Measurement } from '../../../src/core/measure/measurement';
import { isOfSpec, newestRuns, shownRun } from '../../../src/core/measure/newestRuns';
import { resolve } from '../../../src/core/defaults/resolve';
import { timed } from '../../helpers/measurements';

const resolved = resolve({ problem: { m: 64, n: 64, k: 64 } });
const [PRESENT, OLD] = ['a'.repeat(64), 'b'.repeat(64)];
const isPresent = (hash: string): boolean => hash === PRESENT;
const run = (over: Partial<Measurement>): Measurement => ({
  ...timed({ gflops: 1, specKey: 's', sourceHash: PRESENT, resolved }),
  ...over,
});

describe('the newest runs of a spec', () => {
  it('are one for each backend, the newest last', () => {
    const runs = [
      run({ backend: 'webgpu', at: '1' }),
      run({ backend: 'cuda', at: '2' }),
      run({ backend: 'webgpu', at: '3' }),
    ];
    const found = newestRuns(runs.filter(isOfSpec('s')), isPresent);
    assert.deepEqual(
      found.map(({ run: { backend, at }, stale }) => [backend, at, stale]),
      [
        ['cuda', '2', false],
        ['webgpu', '3', false],
      ],
    );
  });

  it('are of the present text where it ran, and else stale', () => {
    const older = run({ at: '1' });
    const edited = run({ at: '2', sourceHash: OLD });
    assert.deepEqual(newestRuns([older, edited], isPresent), [{ run: older, stale: false }]);
    assert.deepEqual(newestRuns([edited], isPresent), [{ run: edited, stale: true }]);
    const unnamed = { ...edited };
    delete unnamed.sourceHash;
    assert.deepEqual(newestRuns([unnamed], isPresent), [{ run: unnamed, stale: true }]);
  });

  it('keep a timed run over later verifications of the same source, but not over failures', () => {
    const { timing, ...verified } = run({ at: '2' });
    assert.ok(timing);
    const timedRun = run({ at: '1' });
    assert.deepEqual(newestRuns([timedRun, verified], isPresent), [
      { run: timedRun, stale: false },
    ]);
    const failed: Measurement = { ...verified, outcome: 'incorrect' };
    assert.deepEqual(newestRuns([timedRun, failed], isPresent), [{ run: failed, stale: false }]);
    const edited = { ...verified, sourceHash: PRESENT };
    assert.deepEqual(newestRuns([run({ sourceHash: OLD }), edited], isPresent), [
      { run: edited, stale: false },
    ]);
  });

  it('are represented by a failure, else by the newest timed run, else by the newest run', () => {
    const { timing, ...simulated } = run({ at: '2', backend: 'simulate' });
    assert.ok(timing);
    const timedRun = run({ at: '1' });
    const shown = (...runs: Measurement[]) => shownRun(newestRuns(runs, isPresent));
    assert.equal(shown(timedRun, simulated), timedRun);
    assert.equal(shown(simulated), simulated);
    assert.equal(shown(), undefined);
    const failed: Measurement = { ...simulated, outcome: 'timeout' };
    assert.equal(shown(timedRun, failed), failed);
  });

  it('are never of another spec or of a hand-written kernel', () => {
    const others = [run({ specKey: 'other' }), run({ resolved: null })];
    assert.deepEqual(others.filter(isOfSpec('s')), []);
  });

  it('hold for any history: one for each backend that ran, stale only without a present one', () => {
    const made = fc.record({
      backend: fc.constantFrom(...BACKENDS),
      sourceHash: fc.constantFrom(PRESENT, OLD),
      specKey: fc.constantFrom('s', 't'),
    });
    fc.assert(
      fc.property(fc.array(made), histories => {
        const runs = histories.map(run);
        const mine = runs.filter(({ specKey }) => specKey === 's');
        const found = newestRuns(runs.filter(isOfSpec('s')), isPresent);
        assert.deepEqual(
          new Set(found.map(one => one.run.backend)),
          new Set(mine.map(({ backend }) => backend)),
        );
        for (const { run: one, stale } of found) {
          const same = mine.filter(({ backend }) => backend === one.backend);
          const present = same.filter(({ sourceHash }) => sourceHash === PRESENT);
          assert.equal(stale, present.length === 0);
          assert.equal(one, (stale ? same : present).at(-1));
        }
      }),
    );
  });
});
