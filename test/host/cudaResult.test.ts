/** What a program printed, as a Measurement: identity of the text, and errors beside every time. */
import assert from 'node:assert/strict';
import * as v from 'valibot';
import { hashText } from '../../src/core/emit/hash';
import { measurementSchema } from '../../src/core/measure/measurement';
import { measurementOf, reporter } from '../../src/host/cuda/result';
import type { ProcessResult } from '../../src/host/process';
import { handWritten } from './cudaSupport';

const runnable = handWritten({});
const batches = { warmUp: 1, batch: 10, batchMs: [2, 2, 2] };
const printed = {
  ...{ schema: 2, type: 'result', outcome: 'correct', message: '' },
  verification: { reference: 'f64', maxError: 0, bound: 1, mismatches: 0, samples: 9 },
  timing: { ...batches, timer: 'cuda-events', quantumNs: 1000, cache: 'cold' },
  baseline: { ...batches, batchMs: [1, 1, 1], name: 'cuBLAS' },
};
const answer: ProcessResult = {
  ...{ code: 0, signal: null, stdout: JSON.stringify(printed), stderr: '' },
  ...{ timedOut: false, aborted: false, truncated: false },
};

describe('the result of the CUDA program', () => {
  const device = { name: 'GPU', adapter: 'compute capability 9.0', driver: '1', where: 'cli' };
  const request = { runnable, mode: 'time', seed: 1 } as const;
  const measurement = measurementOf(request, answer, reporter(runnable, 'cli'), { device });

  it('names the text that was run', () => {
    assert.equal(measurement.sourceHash, hashText(runnable.source));
    assert.ok(v.is(measurementSchema, JSON.parse(JSON.stringify(measurement))));
  });

  it("has the timer's error of the baseline too", () => {
    assert.ok(Math.abs((measurement.timing?.errorPercent ?? 0) - 0.05) < 1e-12);
    assert.ok(Math.abs((measurement.baseline?.errorPercent ?? 0) - 0.1) < 1e-12);
  });
});
