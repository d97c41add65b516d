import assert from 'node:assert/strict';
import { emit } from '../../../../src/core/kernel/emit';
import { plan } from '../../../../src/core/plan/planner';
import { specKey } from '../../../../src/core/plan/specKey';
import { resolve } from '../../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../../src/core/spec/schema';

type Problem = GemmSpec['problem'];
type Schedule = NonNullable<GemmSpec['schedule']>;

const BF16 = { dtype: 'bf16' } as const;
const specOf = (schedule: Schedule = {}, problem: Partial<Problem> = {}): GemmSpec => ({
  problem: { m: 16, n: 4096, k: 4096, a: BF16, b: { layout: 'col' }, ...problem },
  schedule: {
    algorithm: 'wgmma',
    operandOrder: 'ba',
    block: { m: 16, n: 64, k: 64 },
    launch: 'prefetch',
    ...schedule,
  },
  device: 'h200',
  targets: ['cuda'],
});
const planned = (spec: GemmSpec) => plan(resolve(spec), 'cuda');
function sourceOf(spec: GemmSpec): string {
  const found = planned(spec);
  assert.ok(found.ok, JSON.stringify(found));
  return emit(found.plan).source;
}

describe('weight prefetch', () => {
  it('loads 64 KiB of weights before it waits for the previous kernel', () => {
    const source = sourceOf(specOf());
    // A tile of 64 rows of 64 elements of 2 bytes has 8 KiB.
    assert.match(source, /constexpr int PREFETCHED = 8;.*tiles of A/);
    const body = source.slice(source.indexOf('const TileScheduler tiles('));
    const at = ['tmaPrefetch(mapA', 'waitForPriorGrid()', 'tmaLoad(', 'launchDependents()'].map(
      text => body.indexOf(text),
    );
    assert.ok(!at.includes(-1), at.join());
    assert.deepEqual(
      at,
      at.toSorted((one, other) => one - other),
    );
    assert.doesNotMatch(source, /tmaPrefetch\(mapB/);
  });

  it('loads fewer tiles if they are larger', () => {
    const wide = { operandOrder: 'ab', block: { m: 64, n: 256, k: 64 }, stages: 2 } as const;
    assert.match(sourceOf(specOf(wide)), /PREFETCHED = 2;.*tiles of B/);
    const tall = {
      block: { m: 16, n: 384, k: 64 },
      consumers: 3,
      kernelSchedule: 'cooperative',
      stages: 4,
    } as const;
    assert.match(sourceOf(specOf(tall, { b: { layout: 'row' } })), /PREFETCHED = 1;/);
  });

  it('starts at the slice of K of its block', () => {
    const start = /for \(int k = firstIteration \* BK; k < \(firstIteration \+ min\(PREFETCHED/;
    assert.match(sourceOf(specOf({ splitK: 4 })), start);
    assert.match(sourceOf(specOf({ splitK: 4, splitKReduction: 'two-pass' })), start);
    assert.doesNotMatch(sourceOf(specOf()), start);
  });

  it('loads the operand with the longer side of C', () => {
    const thin = { m: 4096, n: 16 };
    const source = sourceOf(specOf({ operandOrder: 'ab', block: { m: 64, n: 16, k: 64 } }, thin));
    assert.match(source, /tmaPrefetch\(mapA/);
    const unswapped = sourceOf(specOf({ operandOrder: 'ab', block: { m: 64, n: 64, k: 64 } }));
    assert.match(unswapped, /tmaPrefetch\(mapB/);
  });

  it('has a key of its own', () => {
    assert.match(specKey(resolve(specOf())), /-prefetch/);
    assert.match(specKey(resolve(specOf({ launch: 'programmatic' }))), /-pdl/);
  });

  const REFUSED: Readonly<Record<string, GemmSpec>> = {
    'warp specialization': specOf({ kernelSchedule: 'tma' }),
    'FP32 emulation': specOf({ split: 'bf16x3' }, { a: { dtype: 'f32' } }),
    gate: specOf(
      { operandOrder: 'ab', block: { m: 64, n: 64, k: 64 } },
      { epilogue: [{ op: 'gate' }] },
    ),
    repacking: specOf({}, { k: 4097 }),
  };
  for (const [needed, spec] of Object.entries(REFUSED))
    it(`is refused, with the programmatic launch instead: ${needed}`, () => {
      const found = planned(spec);
      assert.ok(!found.ok);
      const [violation] = found.violations.filter(({ path }) => path === 'schedule.launch');
      assert.ok(violation, JSON.stringify(found.violations));
      assert.match(violation.message, new RegExp(needed));
      assert.equal(violation.nearest, 'programmatic');
      const instead = { ...spec, schedule: { ...spec.schedule, launch: 'programmatic' as const } };
      assert.ok(planned(instead).ok, JSON.stringify(planned(instead)));
    });

  it('is the default of layers with few rows, except if a copy precedes', () => {
    const layer = { m: 8, n: 8192, k: 3584, a: BF16, b: { layout: 'col' } } as const;
    const launchOf = (problem: Problem): unknown =>
      resolve({ problem, device: 'h200', targets: ['cuda'] }).schedule.launch;
    assert.equal(launchOf(layer), 'prefetch');
    assert.equal(launchOf({ ...layer, k: 3585 }), 'programmatic');
    assert.equal(launchOf({ ...layer, m: 1000 }), 'programmatic');
  });
});
