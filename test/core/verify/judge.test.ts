/** The judge: which evidence rejects a kernel, at both sides of each limit. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as v from 'valibot';
import { measurementSchema, type Verification } from '../../../src/core/measure/measurement';
import { resolve } from '../../../src/core/defaults/resolve';
import type { DType } from '../../../src/core/types/dtype';
import type { Evidence, LaunchEvidence } from '../../../src/core/verify/judge/evidence';
import { nameHostCode } from '../../../src/core/verify/judge/hostCode';
import { JUDGE_IDS, NOTE_IDS, rejects } from '../../../src/core/verify/judge/ids';
import { judge, withJudgement } from '../../../src/core/verify/judge/judge';
import { plausibleRms } from '../../../src/core/verify/judge/precision';
import { fillMatrix } from '../../../src/core/verify/inputs';
import { verifyResult } from '../../../src/core/verify/verify';
import { timed as timedRun } from '../../helpers/measurements';

const problemOf = (k: number, dtype: DType = 'f32', c: DType = dtype) =>
  resolve({
    problem: { m: 16, n: 16, k, a: { dtype }, b: { dtype }, c: { dtype: c } },
    schedule: { algorithm: 'naive' },
  }).problem;

const RIGHT: Verification = {
  reference: 'f64, every element',
  maxError: 1e-6,
  bound: 1e-4,
  mismatches: 0,
  samples: 256,
};
const problem = problemOf(64);
const idsOf = (evidence: Partial<Evidence>, first = RIGHT): readonly string[] =>
  judge({ problem }, 1, first, { launches: [], ...evidence }).findings.map(({ id }) => id);

/** The product of the inputs of two seeds, as a kernel would return it. */
function productOf(seedA: number, seedB: number): Float32Array<ArrayBuffer> {
  const [a, b] = [fillMatrix(problem, 'a', seedA), fillMatrix(problem, 'b', seedB)];
  const c = new Float32Array(256);
  for (let i = 0; i < 256; i++)
    for (let k = 0; k < 64; k++)
      c[i] = (c[i] ?? 0) + (a[(i >> 4) * 64 + k] ?? 0) * (b[k * 16 + (i & 15)] ?? 0);
  return c;
}
const launch = (c: Float32Array<ArrayBuffer>, more: Partial<LaunchEvidence> = {}): Evidence => ({
  launches: [
    {
      inputs: 'fresh',
      output: 'poisoned',
      seed: 5,
      earlierSeeds: [4, 3],
      verification: verifyResult(problem, 5, c),
      ...more,
    },
  ],
});

describe('the judge', () => {
  it('accepts a kernel without evidence against it', () => {
    assert.deepEqual(idsOf({}), []);
    assert.deepEqual(idsOf(launch(productOf(5, 5))), []);
  });

  it('names a result of earlier matrices by where it was kept', () => {
    assert.deepEqual(idsOf(launch(productOf(3, 3))), ['cached-result']);
    assert.deepEqual(idsOf(launch(productOf(4, 4), { output: 'previous' })), ['keeps-output']);
    assert.deepEqual(idsOf(launch(productOf(5, 3))), ['cached-operand']);
    assert.deepEqual(idsOf(launch(productOf(4, 5))), ['cached-operand']);
    assert.deepEqual(idsOf(launch(productOf(9, 9))), ['fixed-inputs']);
    assert.deepEqual(idsOf(launch(productOf(9, 9), { inputs: 'repeated' })), [
      'changes-between-launches',
    ]);
    assert.deepEqual(idsOf(launch(new Float32Array(256).fill(NaN))), ['skipped-launch']);
    assert.deepEqual(idsOf(launch(new Float32Array(256))), ['constant-output']);
  });

  it('rejects a kernel that is faster on inputs it has seen, if every pair agrees', () => {
    const repeats = (freshMs: readonly number[], repeatedMs: readonly number[]) =>
      idsOf({ repeats: { freshMs, repeatedMs } });
    assert.deepEqual(repeats([1.3, 1.3, 1.3, 1.3], [1, 1, 1, 1]), ['repeated-inputs-faster']);
    assert.deepEqual(repeats([1.2, 1.2, 1.2, 1.2], [1, 1, 1, 1]), []);
    assert.deepEqual(repeats([1.3, 1.3, 1.05, 1.3], [1, 1, 1, 1]), []);
    assert.deepEqual(repeats([1.3, 1.3, 1.3], [1, 1, 1]), []);
  });

  it('rejects work after the last event and work outside the events', () => {
    const completion = (eventMs: number, hostMs: number, drainMs: number) =>
      idsOf({ completion: { eventMs, hostMs, drainMs } });
    assert.deepEqual(completion(10, 10.1, 0.05), []);
    assert.deepEqual(completion(10, 14, 3.1), ['unfinished-work']);
    assert.deepEqual(completion(10, 13, 2.9), []);
    assert.deepEqual(completion(10, 14.1, 0), ['work-outside-timer']);
    assert.deepEqual(completion(10, 13.9, 0), []);
  });

  it('rejects a subject that reserves L2 for persisting accesses', () => {
    assert.deepEqual(idsOf({ l2: { persistingBytes: 0, windowBytes: 0 } }), []);
    assert.deepEqual(idsOf({ l2: { persistingBytes: 1, windowBytes: 0 } }), ['persisting-l2']);
    assert.deepEqual(idsOf({ l2: { persistingBytes: 0, windowBytes: 1 } }), ['persisting-l2']);
  });

  it('notes results that differ between launches, but only of hand-written kernels', () => {
    const evidence = { launches: [], bits: { compared: 256, differing: 3 } };
    assert.deepEqual(idsOf(evidence), ['not-deterministic']);
    assert.deepEqual(judge({ problem, isGenerated: true }, 1, RIGHT, evidence).findings, []);
  });

  it('rejects errors above those of the declared types, and none below', () => {
    const at = (error: number) => idsOf({}, { ...RIGHT, rms: { error, exact: 2.7 } });
    const most = plausibleRms(problem, 2.7);
    assert.ok(most !== undefined);
    assert.deepEqual(at(most * 0.99), []);
    assert.deepEqual(at(most * 1.01), ['low-precision']);
  });

  it('separates f32 accumulation from TF32 inputs up to K = 65,536', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 65_536 }), k => {
        const exact = Math.sqrt(k) / 3;
        const most = plausibleRms(problemOf(k), exact) ?? 0;
        // Sequential accumulation: u sqrt(K / 6); both inputs rounded to 11 bits: 2.9e-4.
        assert.ok(2 ** -24 * Math.sqrt(k / 6) * exact < most / 4);
        assert.ok(2.9e-4 * exact > most);
      }),
    );
  });

  it('has no limit for exact, f64 and 8-bit results', () => {
    const none = [problemOf(64, 'f64'), problemOf(64, 'e4m3', 'f32'), problemOf(64, 's32')];
    for (const one of none) assert.equal(plausibleRms(one, 1), undefined);
  });

  it('names host code that would change a benchmark, outside of comments', () => {
    const found = nameHostCode('// cudaStreamCreate(\n\nvoid f() { cudaStreamCreate(&s); }');
    assert.deepEqual([found?.id, found?.line], ['host-code-not-run', 3]);
    assert.equal(nameHostCode('/* cublasSgemm( */ __global__ void f() {}'), undefined);
  });

  it('removes times and baselines of a rejected kernel, and keeps those of a noted one', () => {
    const timed = timedRun({ gflops: 1 });
    const [rejected] = judge({ problem }, 1, RIGHT, {
      launches: [],
      l2: { persistingBytes: 1, windowBytes: 0 },
    }).findings;
    assert.ok(rejected && timed.timing);
    const run = withJudgement(timed, { findings: [rejected] });
    assert.deepEqual([run.outcome, run.timing, run.baseline], ['incorrect', undefined, undefined]);
    assert.ok(run.message?.includes(rejected.message));
    assert.ok(v.safeParse(measurementSchema, run).success);
    const note = withJudgement(timed, { findings: [{ id: 'not-deterministic', message: 'x' }] });
    assert.deepEqual([note.outcome, note.timing], ['correct', timed.timing]);
    assert.equal(withJudgement(timed, { findings: [] }), timed);
  });

  it('rejects by every id except those of notes', () => {
    for (const id of JUDGE_IDS)
      assert.equal(rejects({ id }), !NOTE_IDS.some(note => note === id), id);
    assert.equal(new Set(JUDGE_IDS).size, JUDGE_IDS.length);
  });

  it('reads findings of older records, whose id was their kind', () => {
    const old = { ...timedRun({ gflops: 1 }), findings: [{ kind: 'race', message: 'x', line: 2 }] };
    const read = v.parse(measurementSchema, old);
    assert.deepEqual(read.findings, [{ id: 'race', message: 'x', line: 2 }]);
  });
});
