/**
 * What a tune may choose from on Hopper's tensor cores, and in which order it meets what was
 * fastest on an H200.
 */
import assert from 'node:assert/strict';
import { plannerFor } from '../../../../src/core/plan/planner';
import { resolve } from '../../../../src/core/defaults/resolve';
import type { ResolvedSchedule, ResolvedSpec } from '../../../../src/core/spec/resolved';
import type { GemmSpec, Schedule } from '../../../../src/core/spec/schema';
import { distance, decisionsOf } from '../../../../src/core/search/tune/decisionDistance';
import { diverse, ordered, scorerFor, type Ordered } from '../../../../src/core/search/tune/order';
import { defaultSpace } from '../../../../src/core/search/tune/space';

type Problem = Partial<GemmSpec['problem']>;

const TN = { a: { dtype: 'bf16' }, b: { layout: 'col' } } as const satisfies Problem;
const specOf = (problem: Problem, schedule: Schedule = {}, device = 'h200'): ResolvedSpec =>
  resolve({
    problem: { m: 4096, n: 4096, k: 4096, ...TN, ...problem },
    schedule,
    device,
    targets: ['cuda'],
  });
const walk = (spec: ResolvedSpec): readonly ResolvedSchedule[] => [
  ...defaultSpace(spec, 'cuda').walk(),
];
const orderOf = (spec: ResolvedSpec): Promise<Ordered> =>
  ordered(defaultSpace(spec, 'cuda'), scorerFor(spec, 'cuda').score, {
    whole: false,
    pause: () => Promise.resolve(true),
  });

/** Tile, kernel schedule, cluster and stages as text. */
const told = ({ block, kernelSchedule, cluster, stages }: ResolvedSchedule): string =>
  `${block?.m ?? 0}x${block?.n ?? 0} ${kernelSchedule ?? ''} ${cluster?.m ?? 0}x${cluster?.n ?? 0} s${stages ?? 0}`;

describe('the space of a tune on Hopper', () => {
  it("is wgmma's alone where warp groups multiply the problem's types and layouts, else mma's", () => {
    const algorithms = (spec: ResolvedSpec) => [...new Set(walk(spec).map(one => one.algorithm))];
    for (const dtype of ['bf16', 'f16', 'tf32', 'e4m3', 'e5m2'] as const) {
      assert.deepEqual(algorithms(specOf({ a: { dtype } })), ['wgmma']);
    }
    assert.deepEqual(algorithms(specOf({ b: { layout: 'row' } })), ['wgmma']);
    // What a kernel before would transpose, unless another algorithm is named.
    const turned = { a: { dtype: 'tf32' }, b: { layout: 'row' } } as const;
    assert.deepEqual(algorithms(specOf(turned, { algorithm: 'mma' })), ['mma']);
    assert.deepEqual(algorithms(specOf(turned)), ['wgmma']);
    assert.deepEqual(algorithms(specOf(turned, { algorithm: 'wgmma' })), ['wgmma']);
    assert.deepEqual(algorithms(specOf({ c: { layout: 'col' } })), ['wgmma']);
    assert.deepEqual(algorithms(specOf({ a: { dtype: 's8' } })), ['mma']);
    assert.deepEqual(algorithms(specOf({}, {}, 'a100-sxm-80gb')), ['mma']);
  });

  it('has kernels that begin while the one before ends, whatever the schedule said', () => {
    for (const schedule of [{}, { algorithm: 'wgmma', launch: 'serial' }] as const) {
      assert.ok(walk(specOf({}, schedule)).every(({ launch }) => launch === 'programmatic'));
    }
  });

  it('has f32 only as its schedule splits it', () => {
    const f32 = { a: { dtype: 'f32' } } as const;
    assert.ok(walk(specOf(f32)).every(({ algorithm }) => algorithm !== 'wgmma'));
    const split = walk(specOf(f32, { algorithm: 'wgmma', split: 'bf16x6' }));
    assert.ok(split.length > 100);
    assert.ok(split.every(one => one.algorithm === 'wgmma' && one.split === 'bf16x6'));
  });

  it('is legal for the most part, each member once, with variants that are legal too', () => {
    const problems: readonly Problem[] = [
      {},
      { b: { layout: 'row' } },
      { a: { dtype: 'e4m3' } },
      { m: 16 },
      { m: 100, n: 20 },
      { m: 256, n: 8192, k: 8192 },
      { m: 3, n: 5, k: 7 },
      { m: 64, batch: 3 },
    ] as const;
    for (const problem of problems) {
      const spec = specOf(problem);
      const made = defaultSpace(spec, 'cuda');
      const planOf = plannerFor(spec, 'cuda');
      const members = walk(spec);
      const legal = members.filter(one => planOf(one) !== null);
      const what = JSON.stringify([problem, members.length, legal.length]);
      assert.ok(legal.length > members.length / 2, what);
      assert.equal(new Set(members.map(one => JSON.stringify(one))).size, members.length, what);
      for (const one of legal.filter((_, i) => i % 37 === 0)) {
        const variants = made.variants(one);
        assert.equal(variants.length, made.variantCount(one));
        assert.deepEqual(variants[0], one);
        assert.ok(variants.every(variant => planOf(variant) !== null));
      }
    }
  });

  it('has parts of K where tiles are few, and no tiles or clusters that C has no use for', () => {
    assert.ok(walk(specOf({})).every(({ splitK }) => splitK === undefined));
    const parts = walk(specOf({ m: 64, k: 14_336 })).map(
      ({ splitK = 1, splitKReduction = 'cluster' }) => `${splitK} ${splitKReduction}`,
    );
    assert.deepEqual([...new Set(parts)].sort(), [
      '1 cluster',
      '2 cluster',
      '4 cluster',
      '4 two-pass',
      '8 two-pass',
    ]);
    const all = walk(specOf({ m: 16 }));
    const few = all.filter(({ operandOrder = 'ab' }) => operandOrder === 'ab');
    assert.ok(few.every(({ block, cluster }) => block?.m === 64 && cluster?.m === 1));
    assert.ok(few.some(({ cluster }) => cluster?.n === 4));
    assert.ok(few.every(({ raster }) => raster?.group === 4));
    const swapped = all.filter(({ operandOrder }) => operandOrder === 'ba');
    assert.ok(walk(specOf({ m: 4096 })).some(({ operandOrder }) => operandOrder === 'ba'));
    assert.ok(swapped.every(({ cluster }) => cluster?.m === 1));
    assert.deepEqual([...new Set(swapped.map(({ block }) => block?.m))], [16, 24, 32]);
    assert.ok(
      swapped.some(({ block, splitK, stages }) => block?.n === 64 && splitK === 2 && stages === 16),
    );
    const narrow = walk(specOf({ n: 40 })).filter(
      ({ operandOrder = 'ab' }) => operandOrder === 'ab',
    );
    assert.ok(narrow.length > 0 && narrow.every(({ block }) => (block?.n ?? 0) <= 48));
  });

  it('has neighbours in every direction', () => {
    const made = defaultSpace(specOf({}), 'cuda');
    const centre = walk(specOf({})).find(one => told(one) === '128x128 pingpong 1x1 s6');
    assert.ok(centre !== undefined);
    const of = decisionsOf(centre);
    const near = [...made.neighbours(centre)].map(decisionsOf);
    assert.ok(near.every(one => distance(one, of) === 1));
    const changed = new Set(near.map(one => one.findIndex((text, at) => text !== of[at])));
    assert.deepEqual(
      ['block.n', 'kernelSchedule', 'raster.group', 'cluster.m'].filter(
        path => ![...changed].some(at => of[at]?.includes(path)),
      ),
      [],
    );
  });
});

/**
 * The fastest, or within 2 % of it, of what was raced beside the best of cuBLASLt's algorithms
 * (bench/h200-wgmma.jsonl).
 */
const FASTEST: readonly (readonly [m: number, n: number, k: number, told: string])[] = [
  [2048, 2048, 2048, '128x128 pingpong 1x1 s6'],
  [4096, 4096, 4096, '128x128 pingpong 1x1 s6'],
  [6144, 6144, 6144, '128x112 pingpong 1x1 s7'],
  [8192, 8192, 8192, '128x192 pingpong 1x1 s5'],
  [16_384, 16_384, 16_384, '128x128 pingpong 1x1 s6'],
  [2048, 28_672, 4096, '128x160 pingpong 1x1 s5'],
  [64, 28_672, 8192, '64x224 cooperative 1x1 s6'],
  [128, 28_672, 4096, '128x112 pingpong 1x1 s7'],
  [256, 10_240, 8192, '128x160 cooperative 1x1 s5'],
  [512, 28_672, 8192, '128x128 pingpong 1x1 s6'],
  [2048, 8192, 8192, '128x128 pingpong 1x1 s6'],
  [8192, 28_672, 8192, '128x192 pingpong 1x1 s5'],
];
/**
 * Share of the legal schedules. The races took turns of 5 ms at a shared clock, while the order is
 * that of kernels at their own clocks.
 */
const EARLY = 0.05;
/** That are measured by rank, of the usual budget. */
const RANKED = 50;

describe('the order of a tune on Hopper', () => {
  for (const [m, n, k, expected] of FASTEST) {
    it(`has ${expected} of ${m} x ${n} x ${k} early, or what differs from it in two decisions`, async () => {
      const { scored: all, space } = await orderOf(specOf({ m, n, k }));
      // The benchmarks precede swap-AB for many rows.
      const scored = all.filter(({ schedule }) => schedule.operandOrder === undefined);
      const rank = scored.findIndex(({ schedule }) => told(schedule) === expected);
      assert.ok(rank >= 0 && rank < EARLY * space.legal, `${rank} of ${space.legal}`);
      const best = scored[rank];
      assert.ok(best !== undefined);
      const tried = diverse(scored, RANKED).map(({ schedule }) => decisionsOf(schedule));
      assert.ok(tried.some(one => distance(one, decisionsOf(best.schedule)) <= 2));
    });
  }

  it('is that of the time model, and what it does not know comes after', () => {
    const spec = specOf({});
    const { order, score } = scorerFor(spec, 'cuda');
    assert.equal(order.by, 'model');
    const group = specOf({}, { algorithm: 'wgmma' }).schedule;
    const mma = specOf({}, { algorithm: 'mma' }).schedule;
    const naive = specOf({}, { algorithm: 'naive' }).schedule;
    const found = score([naive, mma, group]);
    assert.ok((found[0]?.predictedTflops ?? 0) > 400);
    assert.deepEqual(
      found.map(({ schedule }) => schedule.algorithm),
      ['wgmma', 'mma', 'naive'],
    );
  });
});
