/** The access analysis against a trace of every access of every block. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { requestedSites, warpAccesses } from '../../../src/core/memory/accesses';
import { analyze } from '../../../src/core/report/analyze';
import { ALL_LANES, createMemo, activeLanes } from '../../../src/core/memory/lanes';
import { isWithoutConflicts, requestsOf } from '../../../src/core/memory/requests';
import { sectorsOf, wavefrontsOf } from '../../../src/core/memory/requestCost';
import type { LoweredKernel } from '../../../src/core/kernel/kernel';
import type { Counter } from '../../../src/core/kernel/ir/affine';
import type {
  BinaryOp,
  Expr,
  GlobalElement,
  SharedElement,
  Statement,
} from '../../../src/core/kernel/ir/ir';
import {
  add,
  blockIdx,
  constant,
  int,
  mod,
  parameter,
  threadIdx,
  variable,
} from '../../../src/core/kernel/ir/expr';
import { plan } from '../../../src/core/plan/planner';
import { check } from '../../../src/core/defaults/check';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec, Target } from '../../../src/core/spec/schema';
import {
  fragmentSpecs,
  gemvSpecs,
  matrixSpecs,
  registerTileSpecs,
  specs,
} from '../../helpers/specs';
import { tracedAccesses, type TracedSite } from '../../helpers/tracedAccesses';
import { kernelFor } from '../../helpers/kernels';
import { isEnough, runs } from '../../helpers/depth';

function kernelOf(spec: GemmSpec, target: Target = 'cuda'): LoweredKernel | null {
  return plan(resolve(spec), target).ok ? kernelFor(spec, target) : null;
}

const rounded = (value: number) => Math.round(value * 1e9) / 1e9;

const told = ({ site, op, cost, ideal, conflicts, requests }: Omit<TracedSite, 'laneStride'>) => [
  site,
  op,
  rounded(cost),
  rounded(ideal),
  rounded(conflicts),
  requests,
];

function agree(kernel: LoweredKernel, context: string): void {
  const { global, shared } = warpAccesses(kernel);
  const found = [
    ...global.map(site => ({
      ...site,
      cost: site.sectorsPerRequest,
      ideal: site.idealSectors,
      conflicts: 0,
    })),
    ...shared.map(site => ({
      ...site,
      cost: site.wavefrontsPerRequest,
      ideal: site.idealWavefronts,
      conflicts: site.conflictsPerRequest,
    })),
  ];
  const traced = tracedAccesses(kernel);
  assert.deepEqual(found.map(told).sort(), traced.map(told).sort(), context);
  for (const { site, laneStride } of global)
    assert.equal(laneStride, traced.find(other => other.site === site)?.laneStride, site);
}

describe('access analysis', () => {
  for (const [of, drawn, numRuns, target] of [
    ['kernels', specs, 300, 'cuda'],
    ['register-tile', registerTileSpecs, 60, 'cuda'],
    ['gemv', gemvSpecs, 60, 'cuda'],
    ['gemv in WGSL', gemvSpecs, 30, 'wgsl'],
    ['mma', matrixSpecs, 100, 'wgsl'],
    ['mma on tensor cores', fragmentSpecs, 120, 'cuda'],
  ] as const)
    it(`is the mean over all accesses of all blocks that the simulator makes: ${of}`, function () {
      this.timeout(120_000);
      let legal = 0;
      fc.assert(
        fc.property(drawn, given => {
          // Parts of K shift no access; the trace follows the kernel that multiplies over all of
          // it.
          const spec = { ...given, schedule: { ...given.schedule, splitK: 1 } };
          const kernel = kernelOf(spec, target);
          if (kernel === null) return;
          legal++;
          agree(kernel, JSON.stringify(check({ ...spec, targets: [target] }).resolved));
        }),
        { ...runs(numRuns), seed: 20261121 },
      );
      assert.ok(isEnough(legal, numRuns / 4), `only ${legal} of ${numRuns} drawn specs were legal`);
    });

  it('keeps the loads of a pipeline that has more stages than K has tiles', () => {
    for (const k of [1, 16, 24, 32, 48, 64]) {
      const kernel = kernelOf({
        problem: { m: 64, n: 64, k },
        schedule: {
          algorithm: 'pipelined',
          block: { m: 64, n: 64, k: 16 },
          warp: { m: 32, n: 16 },
          thread: { m: 4, n: 4 },
          vector: 1,
          stages: 4,
        },
      });
      assert.ok(kernel !== null);
      agree(kernel, `k = ${k}`);
      const loads = warpAccesses(kernel).global.filter(({ op }) => op === 'load');
      assert.deepEqual(
        loads.map(({ operand }) => operand),
        ['a', 'b'],
        `k = ${k}`,
      );
    }
  });

  it('counts the cost of a leading dimension that is not a multiple of a sector', () => {
    const loads = (ld: number) => {
      const kernel = kernelOf({
        problem: { m: 256, n: 256, k: 256, b: { ld } },
        schedule: {
          algorithm: 'thread-tile-2d',
          block: { m: 64, n: 64, k: 8 },
          thread: { m: 4, n: 4 },
        },
      });
      assert.ok(kernel !== null);
      return warpAccesses(kernel).global.find(({ site }) => site === 'B tile load');
    };
    assert.equal(loads(256)?.sectorsPerRequest, 4);
    assert.equal(loads(264)?.sectorsPerRequest, 4);
    // Rows begin at each of the eight elements of a sector in turn, and only one of them needs no
    // fifth sector.
    assert.equal(loads(257)?.sectorsPerRequest, 4.875);
    assert.equal(loads(260)?.sectorsPerRequest, 4.5);
  });

  it('reports misaligned rows in a note, and aligned rows not', () => {
    const said = (ld: number) => {
      const schedule = { algorithm: 'coalesced', block: { m: 8, n: 32 } } as const;
      const kernel = kernelOf({ problem: { m: 512, n: 512, k: 512, b: { ld } }, schedule });
      assert.ok(kernel !== null);
      return analyze(kernel, { device: 'h200' }).notes.filter(({ text }) => text.includes('ldb'));
    };
    assert.deepEqual(
      said(513).map(({ text }) => text),
      [
        'B load: 4.9 sectors per load request (ideal 4). With ldb = 513, rows are not aligned to 32-byte sectors; use a multiple of 8.',
      ],
    );
    assert.deepEqual(said(520), []);
  });

  it('costs no request less than its ideal where a swizzle moves all lanes back', () => {
    const spec: GemmSpec = {
      problem: { m: 1, n: 1, k: 2, a: { dtype: 'f16' } },
      schedule: { algorithm: 'vectorized', block: { m: 8 }, swizzle: 'xor' },
    };
    const found = warpAccesses(kernelFor(spec, 'wgsl')).shared.find(
      ({ site }) => site === 'As fragment load',
    );
    assert.deepEqual([found?.wavefrontsPerRequest, found?.idealWavefronts], [1, 1]);
  });

  it('asks the same of lanes that are moved by whole sectors or rounds of all banks, back too', () => {
    const elements = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 32 });
    const bytes = fc.constantFrom(1, 2, 4, 8, 16);
    fc.assert(
      fc.property(elements, bytes, fc.nat(3), (lanes, width, back) => {
        const here = Float64Array.from(lanes);
        const there = here.map(element => element - (back * 128) / width);
        assert.equal(
          wavefrontsOf(there, { bytes: width, op: 'load' })(0),
          wavefrontsOf(here, { bytes: width, op: 'load' })(0),
        );
        assert.equal(
          sectorsOf(there, { bytes: width, op: 'load' })(0),
          sectorsOf(here, { bytes: width, op: 'load' })(0),
        );
      }),
    );
  });

  it('does not walk the problem: the largest answers as a small one does', () => {
    const accesses = (size: number) => {
      const kernel = kernelOf({
        problem: { m: size, n: size, k: size },
        schedule: { algorithm: 'shared-tile', block: { m: 32, n: 32, k: 32 } },
      });
      assert.ok(kernel !== null);
      return warpAccesses(kernel);
    };
    const [large, small] = [accesses(2 ** 20), accesses(2 ** 10)];
    const costs = ({ global, shared }: typeof large) =>
      [...global, ...shared].map(site => {
        assert.ok(site.requests > 0);
        const wide = 'joined' in site ? site.joined.wavefrontsPerRequest : undefined;
        return { ...site, requests: 0, joined: wide };
      });
    assert.deepEqual(costs(large), costs(small));
  });

  it('finds a site without conflicts as the means over its requests do', () => {
    let [free, hindered] = [0, 0];
    fc.assert(
      fc.property(specs, fc.nat(9), (spec, padding) => {
        const kernel = kernelOf(spec);
        const sites = kernel === null ? [] : requestedSites(kernel);
        for (const asked of sites.filter(({ access }) => access.space === 'shared')) {
          const padded = { ...asked, row: asked.row + padding };
          const requests = requestsOf(padded, createMemo());
          const expected = requests !== null && requests.cost <= requests.unhindered;
          assert.equal(isWithoutConflicts(padded, createMemo()), expected);
          if (expected) free++;
          else hindered++;
        }
      }),
      { ...runs(200), seed: 20261122 },
    );
    assert.ok(
      isEnough(free, 20) && isEnough(hindered, 20),
      `${free} without, ${hindered} with conflicts`,
    );
  }).timeout(60_000);

  it('tells apart values of counters that are more together than a double counts', () => {
    const [one, other, last] = [2 ** 30, 2 ** 30, 3].map((count): Counter => ({
      kind: 'counter',
      count,
    })) as [Counter, Counter, Counter];
    const factors = [
      [one, 0],
      [other, 0],
      [last, 1],
    ] as const;
    const isZero = { constant: -1, terms: factors.map(([atom, factor]) => ({ atom, factor })) };
    const known = createMemo();
    const at = (value: number) => {
      const most = 2 ** 30 - 1;
      const point = new Map([one, other].map(counter => [counter, most])).set(last, value);
      return activeLanes([isZero], point, known);
    };
    assert.deepEqual([at(0), at(1), at(2)], [ALL_LANES, 0, 0]);
  });

  const expressions: fc.Arbitrary<Expr> = fc.letrec<{ expr: Expr }>(tie => ({
    expr: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<Expr>(
        threadIdx('x'),
        threadIdx('y'),
        blockIdx('x'),
        blockIdx('y'),
        variable('u'),
        variable('v'),
        variable('w'),
        constant('BM'),
      ),
      fc.integer({ min: 0, max: 40 }).map(int),
      fc
        .tuple(fc.constantFrom<BinaryOp>('+', '+', '*', '^', 'min'), tie('expr'), tie('expr'))
        .map(([op, left, right]): Expr => ({ op, left, right })),
      fc
        .tuple(fc.constantFrom<BinaryOp>('/', '%'), tie('expr'), fc.constantFrom(1, 2, 3, 4, 8, 32))
        .map(([op, left, right]): Expr => ({ op, left, right: int(right) })),
      fc
        .tuple(tie('expr'), fc.integer({ min: 0, max: 4 }))
        .map(([left, right]): Expr => ({ op: '<<', left, right: int(right) })),
    ),
  })).expr;

  it('holds for whatever addresses later algorithms may have: swizzles, divisions, lanes out of step', function () {
    this.timeout(120_000);
    const base = kernelOf({
      problem: { m: 48, n: 48, k: 8, a: { ld: 11 } },
      schedule: { algorithm: 'shared-tile', block: { m: 16, n: 16, k: 4 } },
    });
    assert.ok(base !== null);
    const arbitrary = fc.record({
      outer: expressions,
      inner: expressions,
      bound: expressions,
      of: expressions,
      from: fc.constantFrom(int(0), mod(threadIdx('x'), int(4)), add(int(1), threadIdx('y'))),
      to: fc.integer({ min: 1, max: 7 }),
      step: fc.constantFrom(1, 2),
      limit: fc.integer({ min: 1, max: 60 }),
      block: fc.constantFrom({ x: 16, y: 4, z: 1 }, { x: 8, y: 6, z: 1 }, { x: 3, y: 5, z: 1 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ outer, inner, bound, of, from, to, step, limit, block }) => {
        const place = { op: 'register', name: 'r', index: [] } as const;
        const element: GlobalElement = {
          op: 'global',
          site: { name: 'global', operand: 'a' },
          outer,
          inner,
          stride: parameter('lda'),
        };
        const cell: SharedElement = {
          op: 'shared',
          site: { name: 'shared', operand: 'a' },
          array: 'As',
          outer,
          inner,
        };
        const condition = [{ left: bound, right: int(limit) }];
        const inside: readonly Statement[] = [
          { op: 'let', name: 'w', value: withoutW(of) },
          { op: 'assign', place, value: element },
          { op: 'if', condition, body: [{ op: 'assign', place: cell, value: { op: 'zero' } }] },
        ];
        const loop = (index: string, rest: readonly Statement[], start: Expr): Statement => ({
          op: 'for',
          index,
          from: start,
          to: int(to),
          step: int(step),
          unroll: false,
          body: rest,
        });
        const body: readonly Statement[] = [
          { op: 'registers', name: 'r', dtype: 'f32', shape: [], zeroed: true },
          loop('u', [loop('v', inside, from)], int(0)),
        ];
        agree({ ...base, block, ir: { ...base.ir, body } }, '');
      }),
      { ...runs(300), seed: 20261121 },
    );
  });
});

const withoutW = (expr: Expr): Expr => {
  if (expr.op === 'variable') return expr.name === 'w' ? int(1) : expr;
  if (!('left' in expr)) return expr;
  return { ...expr, left: withoutW(expr.left), right: withoutW(expr.right) };
};
