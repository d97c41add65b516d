/**
 * Long products in parts: that they are the whole, how many submits there are, and what is refused.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emit } from '../../src/core/kernel/emit';
import type { Runnable } from '../../src/core/kernel/kernel';
import { plan } from '../../src/core/plan/planner';
import { DTYPE_BYTES } from '../../src/core/types/dtype';
import { resolve } from '../../src/core/defaults/resolve';
import type { OperandName, ResolvedProblem } from '../../src/core/spec/resolved';
import { fillMatrix } from '../../src/core/verify/inputs';
import { doubleExtent, isWhole, partsOf, smallestPart } from '../../src/webgpu/parts';
import { runOnWebgpu } from '../../src/webgpu/run';
import { fakeGpu, type FakeDispatch, type FakeOptions } from './fakeGpu';
import { CORRECT, problemOf, runnableOf } from './fixtures';
import { runs } from '../helpers/depth';

const layout = fc.constantFrom('row' as const, 'col' as const);
const size = fc.integer({ min: 1, max: 140 });
const problems = fc
  .record({
    m: size,
    n: size,
    batch: fc.integer({ min: 1, max: 3 }),
    dtype: fc.constantFrom('f32' as const, 'f16' as const, 's8' as const),
    a: layout,
    b: layout,
    c: layout,
    shared: fc.boolean(),
  })
  .map(
    ({ m, n, batch, dtype, a, b, c, shared }) =>
      resolve({
        problem: {
          m,
          n,
          k: 7,
          batch,
          a: { dtype, layout: a, ...(shared ? { batchStride: 0 } : {}) },
          b: { dtype, layout: b },
          c: { layout: c },
        },
      }).problem,
  );

type At = readonly [row: number, column: number, entry: number];

/** Byte of an element of a matrix, from where it begins. */
function byteOf(problem: ResolvedProblem, operand: OperandName, [row, column, entry]: At): number {
  const { dtype, layout: major, ld, batchStride } = problem[operand];
  const element = major === 'row' ? row * ld + column : column * ld + row;
  return DTYPE_BYTES[dtype] * (entry * batchStride + element);
}

function elementsOf({ m, n, batch }: ResolvedProblem): readonly At[] {
  const all: At[] = [];
  for (let e = 0; e < batch; e++)
    for (let r = 0; r < m; r++) for (let c = 0; c < n; c++) all.push([r, c, e]);
  return all;
}

describe('Parts of a problem', () => {
  it('write each element of C once, at legal binding offsets', () => {
    const tiles = fc.record({ m: fc.constantFrom(8, 16, 96), n: fc.constantFrom(16, 64) });
    fc.assert(
      fc.property(problems, tiles, fc.integer({ min: 0, max: 6 }), (problem, tile, doublings) => {
        let extent = smallestPart(problem, tile, 256);
        for (let i = 0; i < doublings; i++) extent = doubleExtent(extent, problem);
        const parts = partsOf(problem, extent);
        assert.equal(isWhole(extent, problem), parts.length === 1);
        const left = new Map(elementsOf(problem).map(at => [byteOf(problem, 'c', at), at]));
        for (const { problem: part, offsets } of parts) {
          for (const offset of Object.values(offsets)) assert.equal(offset % 256, 0);
          // Guards are only for the product's own ends, so a part begins and ends with whole tiles.
          const begin = left.get(offsets.c) ?? assert.fail('written twice, or outside');
          assert.deepEqual([begin[0] % tile.m, begin[1] % tile.n], [0, 0]);
          assert.ok(begin[0] + part.m === problem.m || part.m % tile.m === 0);
          assert.ok(begin[1] + part.n === problem.n || part.n % tile.n === 0);
          for (const at of elementsOf(part)) {
            const byte = offsets.c + byteOf(part, 'c', at);
            const [row, column, entry] = left.get(byte) ?? assert.fail('written twice, or outside');
            left.delete(byte);
            const [a, b] = [
              byteOf(part, 'a', [at[0], 0, at[2]]),
              byteOf(part, 'b', [0, at[1], at[2]]),
            ];
            assert.equal(offsets.a + a, byteOf(problem, 'a', [row, 0, entry]));
            assert.equal(offsets.b + b, byteOf(problem, 'b', [0, column, entry]));
          }
        }
        assert.equal(left.size, 0);
      }),
      { ...runs(60) },
    );
  });
});

const quiet = () => ({ abort: new AbortController().signal, progress: () => undefined });

const SIZE = 256;
const SEED = 3;

function generated(): Runnable {
  const schedule = { algorithm: 'coalesced', block: { m: 16, n: 16 } } as const;
  const planned = plan(
    resolve({ problem: { m: SIZE, n: SIZE, k: SIZE, beta: 0 }, schedule }),
    'wgsl',
  );
  assert.ok(planned.ok, JSON.stringify(planned));
  return emit(planned.plan);
}

/** The kernel above: tiles of 16 x 16, everything row-major and packed. */
function multiplying(problem: ResolvedProblem): (dispatch: FakeDispatch) => void {
  const [a, b] = [fillMatrix(problem, 'a', SEED), fillMatrix(problem, 'b', SEED)];
  const c = new Float32Array(SIZE * SIZE);
  for (let r = 0; r < SIZE; r++)
    for (let k = 0; k < SIZE; k++)
      for (let j = 0; j < SIZE; j++) c[r * SIZE + j]! += a[r * SIZE + k]! * b[k * SIZE + j]!;
  return ({ bindings, grid }) => {
    const [left, right, out] = bindings.map(({ offset = 0 }) => offset / 4);
    const [row, column] = [Math.floor(left! / SIZE), right!];
    assert.equal(out, row * SIZE + column);
    const into = new Float32Array(bindings[2]!.buffer.data);
    for (let r = row; r < row + 16 * grid.y; r++)
      for (let j = column; j < column + 16 * grid.x; j++) into[r * SIZE + j] = c[r * SIZE + j]!;
  };
}

describe('Long launches', () => {
  const runnable = generated();
  const kernel = multiplying(runnable.problem);

  async function run(options: FakeOptions, of: Runnable = runnable) {
    const fake = fakeGpu({ kernel, submitMs: 20, ...options });
    const request = { runnable: of, mode: 'time', seed: SEED } as const;
    return { ...fake, measurement: await runOnWebgpu(fake.env, request, quiet()) };
  }
  /** 256 tiles; 0.5 ms each are 128 ms. */
  const slow = (groups: number): number => groups * 0.5;

  it('are split into submits below the limit and timed as a whole', async () => {
    const { measurement, log } = await run({ launchMs: slow });
    assert.equal(measurement.outcome, 'correct', measurement.message);
    const timing = measurement.timing!;
    assert.equal(timing.submits, 8);
    assert.equal(timing.batch, 1);
    assert.ok(Math.abs(timing.medianMs - 128) < 0.1, `${timing.medianMs}`);
    assert.ok(Math.max(...log.submits) <= 20.1, `${Math.max(...log.submits)} ms`);
  });

  it('sum the timer errors of all submits', async () => {
    const stamp = (ns: number): number => Math.floor(ns / 65_536) * 65_536;
    const { timing } = (await run({ launchMs: slow, stamp })).measurement;
    assert.ok(Math.abs(timing!.errorPercent - (100 * 8 * 0.065536) / timing!.medianMs) < 1e-6);
    assert.ok((100 * Math.abs(timing!.medianMs - 128)) / 128 <= timing!.errorPercent);
  });

  it('are not split if parts show that they are short', async () => {
    const { measurement, log } = await run({ launchMs: groups => groups * 0.05 });
    assert.equal(measurement.outcome, 'correct', measurement.message);
    assert.equal(measurement.timing!.submits, undefined);
    assert.ok(log.submits[0]! < 2 && log.submits[1]! < 4, 'the first are parts');
    const short = await run({ launchMs: groups => groups * 0.05, submitMs: 2000 });
    assert.equal(short.measurement.timing!.submits, undefined);
    assert.ok(short.log.submits[0]! > 12, 'known to be harmless: at once');
  });

  it('are not split because of compilation in the first launch', async () => {
    let launches = 0;
    const launchMs = (groups: number): number => groups * 0.05 + (launches++ === 0 ? 500 : 0);
    const { measurement } = await run({ launchMs });
    assert.equal(measurement.timing!.submits, undefined);
  });

  it('verify the output of the launch itself, not of its predecessors', async () => {
    let launches = 0;
    const onlyFirst = (dispatch: FakeDispatch): void => {
      if (launches++ < 6) kernel(dispatch);
    };
    const { measurement } = await run({ launchMs: groups => groups * 0.05, kernel: onlyFirst });
    assert.equal(measurement.outcome, 'incorrect');
    assert.equal(measurement.verification.mismatches, SIZE * SIZE);
  });

  it('are rejected with the predicted time after less than two parts', async () => {
    const { measurement, log } = await run({ launchMs: groups => groups * 120 });
    assert.equal(measurement.outcome, 'constraint');
    assert.match(measurement.message!, /predicted to take 31 s .*64 submits of 0.48 s.*smaller/s);
    assert.equal(log.launches, 2);
    assert.ok(log.destroyed);
  });

  it('are rejected for hand-written kernels only on adapters known to be too slow', async () => {
    const written = runnableOf(CORRECT, problemOf(SIZE, SIZE, SIZE));
    const whole = await run({ launchMs: slow, kernel: 'right' }, written);
    assert.equal(whole.measurement.outcome, 'correct', whole.measurement.message);
    assert.equal(whole.measurement.timing!.submits, undefined);
    const fake = fakeGpu({ submitMs: 20 });
    fake.env.ceilings.set('fake fake-1 A fake GPU f32', { gflops: 0.001, how: 'test' });
    const refused = await runOnWebgpu(
      fake.env,
      { runnable: written, mode: 'verify', seed: SEED },
      quiet(),
    );
    assert.equal(refused.outcome, 'constraint');
    assert.match(refused.message!, /at least 34 s at this adapter's ceiling of 0.001 GFLOP\/s/);
    assert.equal(fake.log.launches, 0);
  });
});
