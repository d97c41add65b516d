/**
 * `register-tile`: what its text and its plan promise, beside the random specs that run it (draws,
 * properties).
 */
import assert from 'node:assert/strict';
import { uncachedBytes } from '../../../src/core/plan/traffic';
import { emit } from '../../../src/core/kernel/emit';
import type { LoweredKernel } from '../../../src/core/kernel/kernel';
import { add, int, mod } from '../../../src/core/kernel/ir/expr';
import type { Expr, KernelIr, RegisterElement, Statement } from '../../../src/core/kernel/ir/ir';
import type { Violation } from '../../../src/core/plan/plan';
import { plan } from '../../../src/core/plan/planner';
import { compile } from '../../../src/core/simulate/compile';
import { makeThreads } from '../../../src/core/simulate/threads';
import type { Access, Memory } from '../../../src/core/simulate/memory';
import { simulateBackend } from '../../../src/core/simulate/backend';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec, Target } from '../../../src/core/spec/schema';
import { diverse, ordered, scorerFor } from '../../../src/core/search/tune/order';
import { defaultSpace } from '../../../src/core/search/tune/space';
import { requirements } from '../../../src/webgpu/limits';
import { CONTEXT } from '../../helpers/context';
import { loweredOf } from '../../helpers/kernels';

const QUADS: NonNullable<GemmSpec['schedule']> = {
  algorithm: 'register-tile',
  sharing: 'quad',
  vector: 4,
  block: { m: 64, n: 32, k: 4 },
  thread: { m: 4, n: 4 },
};
const problem = { m: 64, n: 64, k: 32 };

const planned = (spec: GemmSpec, target: Target) => plan(resolve(spec), target);

function kernelOf(spec: GemmSpec, target: Target): LoweredKernel {
  const found = planned(spec, target);
  assert.ok(found.ok, JSON.stringify(found));
  return loweredOf(emit(found.plan));
}

function violation(spec: GemmSpec): Violation {
  const found = planned(spec, 'wgsl');
  assert.ok(!found.ok && found.violations.length === 1, JSON.stringify(found));
  return found.violations[0]!;
}

/** The same, but that the first lane of a quad gives all that is handed around. */
const alwaysFirst = (ir: KernelIr): KernelIr =>
  JSON.parse(JSON.stringify(ir), (_, of: unknown) =>
    typeof of === 'object' && of !== null && 'op' in of && of.op === 'quadBroadcast'
      ? { ...of, lane: int(0) }
      : of,
  ) as KernelIr;

describe('register-tile', () => {
  it('has no shared memory and no barrier, and unrolls k in WGSL', () => {
    for (const target of ['cuda', 'wgsl'] as const) {
      const { source, sharedBytes } = kernelOf({ problem, schedule: QUADS }, target);
      assert.equal(sharedBytes, 0);
      assert.doesNotMatch(source, /__shared__|var<workgroup>|syncthreads|Barrier\(/);
    }
    const { source } = kernelOf({ problem, schedule: QUADS }, 'wgsl');
    assert.equal(source.match(/ = fma\(/g)?.length, 4 * 4);
    assert.equal(source.match(/ = A\[/g)?.length, 4);
    assert.equal(source.match(/quadBroadcast\(own\d, [0-3]\)/g)?.length, 4 * 4);
  });

  it('broadcasts A in uniform control flow, without bounds checks before', () => {
    const odd = { m: 61, n: 59, k: 31 };
    const { source } = kernelOf({ problem: odd, schedule: QUADS }, 'wgsl');
    const broadcasts = source.split('\n').filter(line => line.includes('quadBroadcast('));
    assert.equal(broadcasts.length, 4 * 4);
    // In the function, in the loop over K: in no test.
    for (const line of broadcasts) assert.match(line, /^ {4}\S/);
    assert.match(source, /= A\[min\(row.*, params\.M - 1\) \* params\.lda/);
    const { source: cuda } = kernelOf({ problem: odd, schedule: QUADS }, 'cuda');
    assert.match(cuda, /a\[m\] = __shfl_sync\(ALL_LANES, own\[m\], j, QUAD\);/);
  });

  it('declares that it requires subgroups, and rejects adapters without them', () => {
    const kernel = kernelOf({ problem, schedule: QUADS }, 'wgsl');
    assert.match(kernel.source, /^enable subgroups;$/m);
    assert.match(kernel.source, /Requires the feature subgroups/);
    const limits = new Proxy({}, { get: () => 2 ** 31 }) as GPUSupportedLimits;
    const without = requirements(kernel, { limits, features: new Set<string>(), info: {} });
    assert.ok(!without.ok && without.message.includes('enables subgroups'));
    const having = requirements(kernel, { limits, features: new Set(['subgroups']), info: {} });
    assert.ok(having.ok && [...(having.descriptor.requiredFeatures ?? [])].includes('subgroups'));
    const alone = kernelOf({ problem, schedule: { ...QUADS, sharing: 'none' } }, 'wgsl');
    assert.doesNotMatch(alone.source, /subgroups/);
  });

  it('shares only if a quad has common rows and consecutive k', () => {
    const col = { ...problem, a: { layout: 'col' } } as const;
    const cases: readonly GemmSpec[] = [
      { problem: col, schedule: QUADS },
      { problem, schedule: { ...QUADS, block: { m: 64, n: 8, k: 4 } } },
      { problem, schedule: { ...QUADS, block: { m: 64, n: 32, k: 6 } } },
    ];
    for (const spec of cases) {
      const { rule, path, nearest } = violation(spec);
      assert.deepEqual([rule, path, nearest], ['sharing', 'schedule.sharing', 'none']);
    }
    const other = violation({ problem, schedule: { algorithm: 'vectorized', sharing: 'quad' } });
    assert.equal(other.rule, 'unused-field');
  });

  it('limits the unrolled code', () => {
    const long = { ...QUADS, block: { ...QUADS.block, k: 512 } };
    const { rule, path, nearest } = violation({ problem, schedule: long });
    assert.deepEqual([rule, path, nearest], ['unrolling', 'schedule.block.k', 85]);
  });

  it('reads a quarter of A with quads, except in the K remainder', () => {
    const bytes = (k: number, sharing: 'none' | 'quad') => {
      const found = planned(
        { problem: { ...problem, k }, schedule: { ...QUADS, sharing } },
        'cuda',
      );
      assert.ok(found.ok);
      return uncachedBytes(found.plan);
    };
    // 64 rows, for each of 16 columns of threads.
    const ofA = (depths: number) => 64 * 16 * depths * 4;
    assert.equal(bytes(32, 'none') - bytes(32, 'quad'), ofA(32 - 8));
    assert.equal(bytes(35, 'none') - bytes(35, 'quad'), ofA(32 - 8));
  });

  it('is simulated lane by lane: another lane of the quad gives another result', async () => {
    const kernel = kernelOf({ problem: { m: 8, n: 16, k: 8 }, schedule: QUADS }, 'wgsl');
    const outcome = async (runnable: LoweredKernel) =>
      (await simulateBackend.run({ runnable, mode: 'verify', seed: 3 }, CONTEXT)).outcome;
    assert.equal(await outcome(kernel), 'correct');
    assert.equal(await outcome({ ...kernel, ir: alwaysFirst(kernel.ir) }), 'incorrect');
  });

  it('reads all values of a broadcast before one is written', () => {
    const x: Expr = { op: 'threadIdx', axis: 'x' };
    const v: RegisterElement = { op: 'register', name: 'v', index: [] };
    const site = { name: 'A load', operand: 'a' } as const;
    const loaded = { op: 'global', site, outer: int(0), stride: int(0), inner: x } as const;
    const next = mod(add(x, int(1)), int(4));
    const body: readonly Statement[] = [
      { op: 'registers', name: 'v', dtype: 'f32', shape: [], zeroed: true },
      { op: 'assign', place: v, value: loaded },
      { op: 'assign', place: v, value: { op: 'quadBroadcast', value: v, lane: next } },
    ];
    const { ir } = kernelOf({ problem, schedule: QUADS }, 'cuda');
    // Element i of A is i.
    const memory = () => ({ load: ({ index }: Access) => index }) as Memory;
    const program = compile({ ...ir, body }, { parameters: {}, memory });
    const threads = makeThreads({ x: 8, y: 1, z: 1 }, program);
    Array.from(program.run({ x: 0, y: 0, z: 0 }, threads));
    const held = threads.map(({ registers }) => registers[0]);
    assert.deepEqual(held, [1, 2, 3, 0, 5, 6, 7, 4]);
  });

  it('is in the WGSL tuning space, with quads for a row-major A, and tried early', async () => {
    const shared = (layout: 'row' | 'col') => {
      const spec = resolve({ problem: { m: 512, n: 512, k: 512, a: { layout } } });
      return [...defaultSpace(spec, 'wgsl').walk()].filter(
        ({ algorithm, sharing }) => algorithm === 'register-tile' && sharing === 'quad',
      );
    };
    assert.ok(shared('row').some(({ thread }) => thread?.m === 16 && thread.n === 8));
    assert.equal(shared('col').length, 0);
    const spec = resolve({ problem: { m: 512, n: 512, k: 512 } });
    const { score } = scorerFor(spec, 'wgsl');
    const walking = { whole: false, pause: () => Promise.resolve(true) };
    const { scored } = await ordered(defaultSpace(spec, 'wgsl'), score, walking);
    const early = diverse(scored, 30).filter(({ schedule }) => schedule.sharing === 'quad');
    assert.ok(early.length > 0);
  });
});
