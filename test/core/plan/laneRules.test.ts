import assert from 'node:assert/strict';
import { lanePlanIn } from '../../../src/core/plan/family';
import { emit } from '../../../src/core/kernel/emit';
import { isCompact } from '../../../src/core/layout/coverage';
import { parseThreadLayout } from '../../../src/core/plan/threadLayout';
import type { LanePlan, Violation } from '../../../src/core/plan/plan';
import { laneAt, positionOfLane } from '../../../src/core/plan/simt/lanes';
import { plan } from '../../../src/core/plan/planner';
import { applyOverrides, decodeSpec } from '../../../src/core/spec/decode';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec, Target } from '../../../src/core/spec/schema';

const BASE = { problem: { m: 1024, n: 1024, k: 1024 } };

function planned(assignments: readonly string[], target: Target = 'cuda') {
  const overridden = applyOverrides(BASE, assignments);
  assert.ok(overridden.ok);
  const decoded = decodeSpec(overridden.value);
  assert.ok(decoded.ok, JSON.stringify(decoded));
  return plan(resolve(decoded.spec), target);
}

function violations(assignments: readonly string[], target?: Target): readonly Violation[] {
  const result = planned(assignments, target);
  return result.ok ? [] : result.violations;
}

function violation(assignments: readonly string[], target?: Target): Violation {
  const all = violations(assignments, target);
  assert.equal(all.length, 1, JSON.stringify(all));
  return all[0]!;
}

function lanes(assignments: readonly string[], target?: Target): LanePlan {
  const result = planned(assignments, target);
  assert.ok(result.ok, JSON.stringify(result));
  return lanePlanIn(result.plan) ?? assert.fail();
}

const vectorized = ['schedule.algorithm=vectorized'];
const warps = ['schedule.algorithm=warp-tile'];
const pipelined = ['schedule.algorithm=pipelined'];

describe('plan of laned algorithms: both sides of every limit', () => {
  it('is legal by default for both targets', () => {
    for (const of of [vectorized, warps, pipelined]) {
      assert.deepEqual(violations(of), []);
      assert.deepEqual(violations(of, 'wgsl'), []);
    }
  });

  it('requires 32 lanes per warp', () => {
    const over = violation([...warps, 'schedule.warp={"m":64,"n":64}']);
    assert.deepEqual([over.rule, over.path, over.nearest], ['warp-lanes', 'schedule.warp.n', 32]);
    assert.equal(over.message, '(64 / 8) x (64 / 8) = 64 lanes; a warp has 32.');
    assert.deepEqual(violations([...warps, 'schedule.warp={"m":32,"n":64}']), []);
  });

  it('requires warp tiles to divide block tiles, and thread tiles to divide warp tiles', () => {
    const block = violation([...warps, 'schedule.block.m=96']);
    assert.deepEqual(
      [block.rule, block.path, block.nearest],
      ['warp-tile', 'schedule.block.m', 128],
    );
    const thread = violation([...warps, 'schedule.thread.m=5']);
    assert.deepEqual([thread.rule, thread.path], ['thread-tile', 'schedule.thread.m']);
    assert.equal(thread.nearest, 8);
  });

  it('limits accesses to 16 bytes and WGSL vectors to 4 elements', () => {
    assert.deepEqual(violations([...vectorized, 'schedule.vector=4']), []);
    const wide = violation([...vectorized, 'schedule.vector=8']);
    assert.deepEqual([wide.rule, wide.nearest], ['vector', 4]);
    assert.match(wide.message, /8 elements of f32 are 32 B; the widest access is 16 B/);
    const f64 = ['problem.a.dtype=f64', ...vectorized];
    assert.deepEqual(violations([...f64, 'schedule.vector=2']), []);
    assert.equal(violation([...f64, 'schedule.vector=4']).nearest, 2);
  });

  it('allows 2 to 5 stages, and 2 without asynchronous copies', () => {
    const stages = (count: number, ...rest: string[]) => [
      ...pipelined,
      `schedule.stages=${count}`,
      ...rest,
    ];
    for (const legal of [2, 5]) assert.deepEqual(violations(stages(legal)), []);
    assert.equal(violation(stages(1)).nearest, 2);
    assert.equal(violation(stages(6)).nearest, 5);
    assert.equal(lanes(stages(3)).copies, 'asynchronous');
    const wgsl = violations(stages(3), 'wgsl').filter(({ rule }) => rule === 'stages');
    assert.match(wgsl[0]?.message ?? '', /WGSL has no asynchronous copies/);
    assert.equal(wgsl[0]?.nearest, 2);
    assert.equal(lanes(stages(2), 'wgsl').copies, 'registers');
    assert.equal(lanes(stages(2, 'device=t4')).copies, 'registers');
    assert.match(violation(stages(3, 'device=t4')).message, /t4 has no asynchronous copies/);
    assert.equal(lanes(stages(3, 'device=a100-sxm-80gb')).copies, 'asynchronous');
    assert.equal(violation([...warps, 'schedule.stages=2']).rule, 'unused-field');
  });

  it('multiplies shared memory by the stages, as stated in the message', () => {
    const deep = (k: number) => violations([...pipelined, `schedule.block.k=${k}`], 'wgsl');
    assert.deepEqual(deep(8), []);
    assert.equal(
      deep(9)[0]?.message,
      "2 stages x (9 x 128 + 9 x 128) x 4 B = 18,432 B of shared memory > 16,384 B (WebGPU's default limits).",
    );
  });

  it('requires a transposed tile without padding and two groups for a swizzle', () => {
    const xor = [...warps, 'schedule.swizzle=xor'];
    assert.equal(lanes(xor).a.swizzle, 8);
    assert.equal(lanes(xor).b.swizzle, 1);
    const straight = violation([...xor, 'problem.a.layout=col']);
    assert.deepEqual([straight.rule, straight.nearest], ['swizzle', 'none']);
    assert.match(straight.message, /only to operands that are transposed/);
    assert.match(
      violation([...xor, 'schedule.padding.a=4']).message,
      /padding.a = 4 and XOR swizzle both remove/,
    );
    assert.deepEqual(violations([...xor, 'schedule.padding.b=4']), []);
    const narrow = (m: number) =>
      violations([
        'schedule.algorithm=vectorized',
        'schedule.swizzle=xor',
        'schedule.thread.m=4',
        `schedule.block.m=${m}`,
      ]);
    assert.deepEqual(narrow(8), []);
    assert.match(narrow(4)[0]?.message ?? '', /a multiple of 8 elements; got 4/);
  });

  it('requires thread layouts of equal size that divide the tile and contain every thread once', () => {
    const layout = ['schedule.algorithm=layout'];
    const at = (operand: string, text: string) => [
      ...layout,
      `schedule.threadLayout.${operand}=${text}`,
    ];
    for (const target of ['cuda', 'wgsl'] as const)
      assert.deepEqual(violations(layout, target), []);
    assert.deepEqual(violations(at('a', '(128,2):(1,128)')), []);
    assert.deepEqual(violations(at('a', '(32,8):(8,1)')), []);
    assert.deepEqual(parseThreadLayout('(_256, _1):(_1, _0)'), { shape: [256, 1], stride: [1, 0] });
    assert.ok(isCompact({ shape: [256, 1], stride: [1, 0] }), 'a mode of one has any stride');
    const twice = violation(at('a', '(32,8):(1,16)'));
    assert.deepEqual(
      [twice.rule, twice.path, twice.nearest],
      ['thread-layout', 'schedule.threadLayout.a', '(32,8):(1,32)'],
    );
    assert.match(
      violation(at('b', '(16,16):(1,16)')).message,
      /block.k = 8 is not a multiple of 16/,
    );
    assert.match(violation(at('a', '(16,8):(1,16)')).message, /has 128, the layout of C has 256/);
    assert.equal(violations(at('c', 'CuTe'))[0]?.nearest, '(16,16):(1,16)');
    assert.equal(violation([...layout, 'schedule.thread.m=8']).rule, 'unused-field');
    assert.equal(violation([...warps, 'schedule.threadLayout.a=(1,1):(1,1)']).rule, 'unused-field');
  });

  it('stages C in shared memory where its rows are not aligned to the groups of a thread', () => {
    const scratchOf = (...assignments: string[]) => lanes([...pipelined, ...assignments]).scratch;
    assert.equal(scratchOf(), undefined);
    assert.equal(scratchOf('problem.n=1020'), undefined);
    const staged = scratchOf('problem.n=1022') ?? assert.fail();
    const { storeWidth, warp } = lanes([...pipelined, 'problem.n=1022']);
    assert.equal(storeWidth, 1);
    // Lines start in different halves of the 32 banks.
    assert.equal((warp.n + staged.padding) % 32, 16);
    assert.ok(scratchOf('problem.c.ld=1025'));
    // Groups of one element are not scattered, and atomic additions are not staged.
    assert.equal(scratchOf('problem.n=1022', 'schedule.vector=1'), undefined);
    const atomic = ['schedule.splitK=4', 'schedule.splitKReduction=atomic'];
    assert.equal(scratchOf('problem.n=1022', ...atomic), undefined);
    assert.ok(scratchOf('problem.n=1022', 'schedule.splitK=4'));
  });

  it('widens accesses as far as leading dimensions, sizes and paddings stay aligned', () => {
    const widths = (...assignments: string[]) => {
      const { a, b, storeWidth } = lanes([...vectorized, ...assignments]);
      return [a.width, b.width, storeWidth, a.fragment, b.fragment];
    };
    assert.deepEqual(widths(), [4, 4, 4, 4, 4]);
    assert.deepEqual(widths('problem.a.ld=1026'), [2, 4, 4, 4, 4]);
    assert.deepEqual(widths('problem.a.ld=1025'), [1, 4, 4, 4, 4]);
    assert.deepEqual(widths('problem.n=1022'), [4, 2, 2, 4, 4]);
    assert.deepEqual(widths('problem.k=1030'), [2, 4, 4, 4, 4]);
    assert.deepEqual(widths('schedule.padding.a=2'), [4, 4, 4, 2, 4]);
    assert.deepEqual(widths('schedule.padding.b=1'), [4, 1, 4, 4, 1]);
    assert.deepEqual(widths('schedule.vector=2'), [2, 2, 2, 2, 2]);
    assert.deepEqual(widths('schedule.block.m=96', 'schedule.thread.m=6'), [4, 4, 4, 2, 4]);
    // An asynchronous copy that transposes moves one element.
    assert.equal(lanes(pipelined).a.width, 1);
    assert.equal(lanes([...pipelined, 'problem.a.layout=col']).a.width, 4);
  });
});

describe('double-buffered fragments', () => {
  const spec = (more: object, problem: object = {}): GemmSpec => ({
    problem: { m: 256, n: 256, k: 256, ...problem },
    schedule: {
      algorithm: 'pipelined',
      block: { m: 64, n: 128, k: 16 },
      warp: { m: 32, n: 64 },
      thread: { m: 8, n: 8 },
      stages: 3,
      fragments: 2,
      ...more,
    },
  });
  const broken = (given: GemmSpec, target: 'cuda' | 'wgsl' = 'cuda'): readonly string[] => {
    const planned = plan(resolve(given), target);
    const found = planned.ok ? [] : planned.violations.map(({ rule, path }) => `${rule} ${path}`);
    return found.filter(one => one.includes('fragments') || one.includes('traversal'));
  };
  const refused = ['fragments schedule.fragments'];

  it('require asynchronous copies, an even number of k-steps, and a full tile to copy again', () => {
    assert.deepEqual(broken(spec({})), []);
    assert.deepEqual(broken(spec({ stages: 2 }), 'wgsl'), refused);
    assert.deepEqual(broken(spec({ block: { m: 64, n: 128, k: 15 } }, { k: 255 })), refused);
    assert.deepEqual(broken(spec({}, { k: 16 })), []);
    assert.deepEqual(broken(spec({}, { k: 15 })), refused);
    assert.deepEqual(broken(spec({}, { k: 17 })), []);
    assert.deepEqual(broken(spec({ splitK: 2 }, { k: 64 })), []);
    assert.deepEqual(broken(spec({ splitK: 2 }, { k: 65 })), []);
    assert.deepEqual(broken({ ...spec({ stages: 2 }), device: 't4' }), refused);
  });

  it('take alpha, and traverse all accumulators once in serpentine order', () => {
    for (const traversal of ['row', 'col', 'col-pairs'] as const) {
      const planned = plan(resolve(spec({ traversal })), 'cuda');
      assert.ok(planned.ok);
      const kernel = emit(planned.plan);
      assert.ok(kernel.source.includes('float alpha'), kernel.source);
      assert.ok(kernel.arguments.flat().includes('alpha'));
    }
    const inWgsl = (traversal: 'row' | 'col' | 'col-pairs') =>
      broken(spec({ fragments: 1, traversal, stages: 2 }), 'wgsl');
    assert.deepEqual([inWgsl('row'), inWgsl('col')], [[], []]);
    assert.deepEqual(inWgsl('col-pairs'), ['traversal schedule.traversal']);
    const three = {
      thread: { m: 8, n: 3 },
      warp: { m: 32, n: 24 },
      block: { m: 64, n: 48, k: 16 },
    };
    assert.deepEqual(broken(spec({ ...three, traversal: 'col-pairs' })), [
      'traversal schedule.traversal',
    ]);
    assert.deepEqual(broken(spec({ ...three, traversal: 'col' })), []);
  });

  it('maps each lane in a quad to a position and back', () => {
    for (const [m, n] of [
      [4, 8],
      [8, 4],
      [2, 16],
      [16, 2],
    ] as const) {
      for (const quads of [true, false]) {
        const lanes = { lanes: { m, n }, quads };
        const places = new Set<string>();
        for (let lane = 0; lane < 32; lane++) {
          const at = positionOfLane(lane, lanes);
          assert.equal(laneAt(at.m, at.n, lanes), lane);
          assert.ok(at.m < m && at.n < n, JSON.stringify({ lane, at, lanes }));
          places.add(`${at.m} ${at.n}`);
        }
        assert.equal(places.size, 32);
      }
    }
  });
});
