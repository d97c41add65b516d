/** Requests on the matrix: the lanes of an actual request, as the interpreter executes it. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { WARP_LANES } from '../../../src/core/hardware/warp';
import { parametersOf } from '../../../src/core/kernel/ir/arguments';
import { loweredLaunches, type Kernel } from '../../../src/core/kernel/kernel';
import { warpAccesses } from '../../../src/core/memory/accesses';
import { drawnRequest } from '../../../src/core/memory/drawnRequest';
import { placedRequest, warpsOf, type PlacedRequest } from '../../../src/core/memory/placedRequest';
import { LINE_BYTES } from '../../../src/core/memory/requestCost';
import { operandOf, type ResolvedOperand } from '../../../src/core/spec/resolved';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { compile } from '../../../src/core/simulate/compile';
import { makeThreads } from '../../../src/core/simulate/threads';
import { indexOf } from '../../../src/core/trace/position';
import { recordingMemory } from '../../../src/core/trace/recordingMemory';
import { cube, kernelOf, legal } from '../../helpers/cudaKernels';
import { isEnough, runs } from '../../helpers/depth';
import { fragmentSpecs, gemvSpecs, registerTileSpecs, specs } from '../../helpers/specs';

const place = (kernel: Kernel, site: string, warp?: number): PlacedRequest => {
  const placed = placedRequest(kernel, { site, op: 'load' }, warp ?? null);
  assert.ok(placed !== null, site);
  return placed;
};

/** Elements of each lane of each warp: `site op block warp lane element`. */
function accessesOf(kernel: Kernel): ReadonlySet<string> {
  const all = new Set<string>();
  for (const launch of loweredLaunches(kernel)) {
    let block = 0;
    const memory = recordingMemory(({ site, op, thread, index, lane }) => {
      if (lane > 0) return;
      const [warp, at] = [Math.floor(thread.index / WARP_LANES), thread.index % WARP_LANES];
      all.add(`${site.name} ${op} ${launch.entry} ${block} ${warp} ${at} ${index}`);
    });
    const program = compile(launch.ir, {
      parameters: parametersOf(kernel.problem),
      memory: () => ({ ...memory, storeLater: () => undefined }),
    });
    const threads = makeThreads(launch.block, program);
    for (let z = 0; z < launch.grid.z; z++)
      for (let y = 0; y < launch.grid.y; y++)
        for (let x = 0; x < launch.grid.x; x++, block++) {
          const run = program.run({ x, y, z }, threads);
          while (run.next().done !== true);
        }
  }
  return all;
}

/** Whether a warp of some block accesses all elements of the request. */
function isExecuted(kernel: Kernel, { request, lanes }: PlacedRequest): boolean {
  const all = accessesOf(kernel);
  return loweredLaunches(kernel).some(({ entry, grid, block: { x, y, z } }) =>
    Array.from({ length: grid.x * grid.y * grid.z }, (_, block) => block).some(block =>
      Array.from({ length: Math.ceil((x * y * z) / WARP_LANES) }, (_, warp) => warp).some(warp =>
        lanes.every(
          (lane, at) =>
            lane === null ||
            all.has(
              `${request.site} ${request.op} ${entry} ${block} ${warp} ${at} ${lane.element}`,
            ),
        ),
      ),
    ),
  );
}

const isInside = ({ problem }: Kernel, { request: { operand }, lanes, width }: PlacedRequest) => {
  if (operand === 'workspace') return false;
  const { rows, columns, layout } = operandOf(problem, operand);
  const isByRow = layout === 'row';
  return lanes.every(
    lane =>
      lane === null ||
      (lane.row + (isByRow ? 1 : width) <= rows && lane.column + (isByRow ? width : 1) <= columns),
  );
};

/**
 * The kernel for full tiles and packed matrices, because threads outside of C execute no access;
 * null if it is illegal.
 */
function ofFullTiles(spec: GemmSpec): Kernel | null {
  const kernel = kernelOf(spec);
  if (kernel === null) return null;
  const { problem, plan } = kernel;
  const multiple = (size: number, tile: number): number => Math.ceil(size / tile) * tile;
  const packed = ({ dtype, layout }: ResolvedOperand) => ({ dtype, layout });
  return kernelOf({
    ...spec,
    problem: {
      ...spec.problem,
      m: multiple(problem.m, plan.tile.m),
      n: multiple(problem.n, plan.tile.n),
      a: packed(problem.a),
      b: packed(problem.b),
      c: packed(problem.c),
    },
  });
}

describe('requests placed on the matrix', () => {
  for (const [name, drawn] of Object.entries({
    specs,
    fragmentSpecs,
    gemvSpecs,
    registerTileSpecs,
  }))
    it(`have the addresses of the drawn request, and their rows and columns (${name})`, function () {
      this.timeout(300_000);
      let sites = 0;
      fc.assert(
        fc.property(drawn, spec => {
          const kernel = kernelOf(spec);
          if (kernel === null) return;
          const { problem } = kernel;
          for (const site of warpAccesses(kernel).global) {
            const placed = placedRequest(kernel, site);
            const request = drawnRequest(kernel, site);
            assert.ok(placed !== null && request !== null, site.site);
            assert.deepEqual(placed.request, request);
            const { operand, widthBytes, addresses } = request;
            const bytes = widthBytes / placed.width;
            const moved = placed.lanes.map((lane, i) =>
              lane === null ? null : lane.element * bytes - (addresses[i] ?? NaN),
            );
            assert.deepEqual(
              moved.map(by => by === null),
              addresses.map(address => address === null),
            );
            const [by = NaN] = moved.filter(found => found !== null);
            assert.equal(Math.abs(by % LINE_BYTES), 0, site.site);
            assert.ok(
              moved.every(found => found === null || found === by),
              site.site,
            );
            sites++;
            if (operand === 'workspace') continue;
            assert.ok(Number.isInteger(placed.entry) && placed.entry < problem.batch);
            const start = placed.entry * operandOf(problem, operand).batchStride;
            for (const lane of placed.lanes)
              if (lane !== null)
                assert.equal(start + indexOf(problem, operand, lane), lane.element, site.site);
          }
        }),
        { ...runs(150, 20), seed: 20261128 },
      );
      assert.ok(isEnough(sites, 100), `${sites} sites`);
    });

  it('have the elements of an execution', function () {
    this.timeout(300_000);
    let executed = 0;
    fc.assert(
      fc.property(fc.oneof(specs, fragmentSpecs, gemvSpecs, registerTileSpecs), spec => {
        const kernel = ofFullTiles(spec);
        if (kernel === null) return;
        for (const site of warpAccesses(kernel).global) {
          const placed = placedRequest(kernel, site);
          assert.ok(placed !== null);
          if (!isInside(kernel, placed)) continue;
          assert.ok(isExecuted(kernel, placed), `${kernel.specKey}: ${site.site}`);
          executed++;
        }
      }),
      { ...runs(200, 30), seed: 20261128 },
    );
    assert.ok(isEnough(executed, 50), `${executed} executed requests`);
  });

  it('map the lanes of a naive kernel to rows, and of a coalesced kernel to columns', () => {
    const naive = legal({
      problem: cube(1024),
      schedule: { algorithm: 'naive', block: { m: 32, n: 32 } },
    });
    const coalesced = legal({
      problem: cube(1024),
      schedule: { algorithm: 'coalesced', block: { m: 32, n: 32 } },
    });
    const positions = (placed: PlacedRequest) =>
      placed.lanes.map(lane => [lane?.row, lane?.column]);
    const lanes = Array.from({ length: WARP_LANES }, (_, lane) => lane);
    assert.deepEqual(
      positions(place(naive, 'A load')),
      lanes.map(lane => [lane, 0]),
    );
    assert.deepEqual(
      positions(place(naive, 'B load')),
      lanes.map(() => [0, 0]),
    );
    assert.deepEqual(
      positions(place(coalesced, 'A load')),
      lanes.map(() => [0, 0]),
    );
    assert.deepEqual(
      positions(place(coalesced, 'B load')),
      lanes.map(lane => [0, lane]),
    );
  });

  it('show the request of a chosen warp', () => {
    const kernel = legal({
      problem: cube(1024),
      schedule: { algorithm: 'coalesced', block: { m: 32, n: 32 } },
    });
    assert.equal(warpsOf(kernel, { site: 'A load', op: 'load' }), 32);
    assert.deepEqual(place(kernel, 'A load', 5).lanes[0], { row: 5, column: 0, element: 5 * 1024 });
    assert.equal(placedRequest(kernel, { site: 'A load', op: 'load' }, 32), null);
    assert.equal(placedRequest(kernel, { site: 'A load', op: 'load' }, -1), null);
    assert.equal(placedRequest(kernel, { site: 'X load', op: 'load' }), null);
    assert.equal(warpsOf(kernel, { site: 'X load', op: 'load' }), 0);
  });

  it('cost for the worst warp what the worst-case request costs', () => {
    fc.assert(
      fc.property(specs, spec => {
        const kernel = kernelOf(spec);
        if (kernel === null) return;
        for (const site of warpAccesses(kernel).global) {
          const costs = Array.from({ length: warpsOf(kernel, site) }, (_, warp) =>
            placedRequest(kernel, site, warp),
          ).flatMap(placed => (placed === null ? [] : [placed.request.cost]));
          const worst = drawnRequest(kernel, site)?.cost ?? NaN;
          assert.ok(
            costs.includes(worst),
            `${kernel.specKey} ${site.site}: ${worst} of ${costs.join()}`,
          );
        }
      }),
      runs(100, 20),
    );
  });
});
