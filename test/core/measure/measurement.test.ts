/** The measurement's contract: what is decoded, and what is not believed. */
import assert from 'node:assert/strict';
import * as v from 'valibot';
import {
  measurementSchema,
  NOT_VERIFIED,
  type Measurement,
} from '../../../src/core/measure/measurement';
import { resolve } from '../../../src/core/defaults/resolve';
import { ALGORITHMS } from '../../../src/core/spec/schema';

const timing: NonNullable<Measurement['timing']> = {
  timer: 'cuda-events',
  quantumNs: 1,
  warmUp: 1,
  samples: 3,
  cache: 'warm',
  medianMs: 1,
  iqrMs: 0,
  minMs: 1,
  gflops: 1,
  errorPercent: 0.5,
  inputs: 'uniform [-1, 1)',
};
const correct: Measurement = {
  specKey: 'k',
  kernelKey: 'x',
  sourceHash: 'a'.repeat(64),
  backend: 'cuda',
  resolved: resolve({ problem: { m: 100, n: 7, k: 3 } }),
  device: { name: 'GPU', adapter: 'a', driver: '1', where: 'cli' },
  outcome: 'correct',
  verification: { reference: 'f64', maxError: 0, bound: 1, mismatches: 0, samples: 700 },
  timing,
};
const accepts = (value: unknown): boolean => v.is(measurementSchema, value);

describe('a measurement', () => {
  it('comes back as it went, whatever its spec is', () => {
    const specs = [
      resolve({ problem: { m: 8, n: 8, k: 8, a: { layout: 'col', ld: 9 } }, webgpuLimits: {} }),
      ...ALGORITHMS.map(algorithm =>
        resolve({ problem: { m: 64, n: 64, k: 64 }, schedule: { algorithm } }),
      ),
    ];
    for (const resolved of [null, ...specs]) {
      const measurement = { ...correct, resolved };
      const json: unknown = JSON.parse(JSON.stringify(measurement));
      assert.deepEqual(v.parse(measurementSchema, json), json);
    }
  });

  it('may be of an older version, without the hash of its text', () => {
    const old = { ...correct };
    delete old.sourceHash;
    assert.ok(accepts(old));
    assert.ok(!accepts({ ...correct, sourceHash: '../x' }));
  });

  it('is timed only when it is correct', () => {
    const wrong = { ...correct.verification, mismatches: 1 };
    assert.ok(!accepts({ ...correct, outcome: 'incorrect' }));
    assert.ok(!accepts({ ...correct, verification: wrong }));
    assert.ok(
      accepts({ ...correct, outcome: 'incorrect', verification: wrong, timing: undefined }),
    );
  });

  it('is correct only when something was compared', () => {
    assert.ok(!accepts({ ...correct, verification: NOT_VERIFIED }));
    assert.ok(!accepts({ ...correct, timing: undefined, verification: NOT_VERIFIED }));
  });

  it('has a resolved spec or none', () => {
    for (const resolved of [[], {}, { problem: { m: 1 } }, { ...correct.resolved, device: 5 }]) {
      assert.ok(!accepts({ ...correct, resolved }));
    }
  });
});
