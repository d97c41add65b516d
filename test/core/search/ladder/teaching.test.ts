/**
 * Rungs that are named after a fix begin with the fault: wavefronts per request of every site, as
 * `analyze` has them.
 */
import assert from 'node:assert/strict';
import { analyze } from '../../../../src/core/report/analyze';
import type { Analysis } from '../../../../src/core/report/analysis';
import { emit } from '../../../../src/core/kernel/emit';
import { fitRungs } from '../../../../src/core/search/ladder/ladderSteps';
import { plan } from '../../../../src/core/plan/planner';
import { resolve } from '../../../../src/core/defaults/resolve';
import type { GemmSpec, Target } from '../../../../src/core/spec/schema';

const problem = { m: 1024, n: 1024, k: 1024 };

/** Rungs in order, each with the wavefronts and the conflicts of a site; 0 where it has none. */
const sitesOf = (target: Target, site: string) =>
  fitRungs({ problem }, target).map(hold => {
    assert.ok(hold.ok);
    const { sharedMemory } = analyze(hold.kernel, { device: 'h200' });
    const found = sharedMemory.find(one => one.site === site);
    return {
      number: hold.number,
      rung: hold.rung,
      wavefronts: found?.wavefrontsPerRequest ?? 0,
      conflicts: found?.conflictsPerRequest ?? 0,
    };
  });

describe('a rung that removes bank conflicts', () => {
  const CASES: readonly (readonly [Target, number, string, number, number])[] = [
    ['cuda', 8, 'As fragment load', 2, 1],
    ['cuda', 11, 'As store', 2, 1],
    ['cuda', 13, 'As store', 4, 1],
    ['cuda', 15, 'As store', 9, 2],
    ['wgsl', 8, 'As fragment load', 2, 1],
    ['wgsl', 11, 'As store', 32, 4],
    ['wgsl', 13, 'As store', 32, 2],
    ['wgsl', 15, 'As store', 32, 4],
  ];
  for (const [target, number, site, before, after] of CASES) {
    it(`begins with ${before} wavefronts per ${site} and leaves no conflict: rung ${number}, ${target}`, () => {
      const sites = sitesOf(target, site);
      const [was, is] = [sites[number - 2], sites[number - 1]];
      assert.match(is?.rung.change ?? '', /conflicts/);
      assert.deepEqual([was?.wavefronts, is?.wavefronts], [before, after]);
      assert.ok((was?.conflicts ?? 0) > 0);
      assert.equal(is?.conflicts, 0);
    });
  }

  it('changes padding or swizzle and nothing else', () => {
    for (const [target, number] of CASES) {
      const holds = fitRungs({ problem }, target);
      const [was, is] = [holds[number - 2], holds[number - 1]].map(hold => {
        assert.ok(hold?.ok);
        const entries = Object.entries(hold.kernel.spec.schedule);
        return entries.filter(([field]) => field !== 'padding' && field !== 'swizzle');
      });
      assert.deepEqual(was, is, `rung ${number}, ${target}`);
    }
  });
});

describe('the second and third rung', () => {
  const analysisOf = (spec: GemmSpec, target: Target): Analysis => {
    const planned = plan(resolve(spec), target);
    assert.ok(planned.ok);
    return analyze(emit(planned.plan), { device: 'rtx-3070-laptop' });
  };

  it('have the block orders of their seed: columns of tiles, then rows, from blockIdx.x', () => {
    for (const [target, block] of [
      ['cuda', 'blockIdx'],
      ['wgsl', 'block'],
    ] as const) {
      const [, swap, remap] = fitRungs({ problem: { m: 512, n: 2048, k: 64 } }, target);
      assert.ok(swap?.ok && remap?.ok);
      assert.deepEqual([swap.kernel.grid.x, swap.kernel.grid.y], [64, 16]);
      assert.deepEqual([remap.kernel.grid.x, remap.kernel.grid.y], [16, 64]);
      assert.match(swap.kernel.source, new RegExp(`row.* = .*${block}.*y`));
      assert.match(remap.kernel.source, new RegExp(`row.* = .*${block}.*x`));
      assert.match(remap.kernel.source, new RegExp(`col.* = .*${block}.*y`));
    }
    const [, , cuda] = fitRungs({ problem }, 'cuda');
    assert.ok(cuda?.ok);
    assert.match(cuda.kernel.source, /const int row = blockIdx\.x \* BM \+ threadIdx\.x \/ BN;/);
    assert.match(cuda.kernel.source, /const int col = blockIdx\.y \* BN \+ threadIdx\.x % BN;/);
  });

  it('have equal sectors, occupancy and waves on the GPU of the seed', () => {
    const [one, other] = fitRungs({ problem: { m: 2048, n: 2048, k: 2048 } }, 'cuda')
      .slice(1, 3)
      .map(hold => {
        assert.ok(hold.ok);
        const { globalMemory, occupancy, waves } = analysisOf(hold.kernel.spec as GemmSpec, 'cuda');
        return {
          occupancy: occupancy?.occupancy,
          waves,
          sectors: globalMemory.map(site => [site.site, site.sectorsPerRequest, site.requests]),
        };
      });
    assert.deepEqual(one, other);
  });
});
