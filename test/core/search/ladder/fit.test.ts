/** The schedule of a rung for a target and an adapter, and the limits that it requests. */
import assert from 'node:assert/strict';
import { fitRungs, type RungFit } from '../../../../src/core/search/ladder/ladderSteps';
import { LADDER } from '../../../../src/core/search/ladder/rungs';
import type { GemmSpec } from '../../../../src/core/spec/schema';

const problem = { m: 256, n: 256, k: 256 };
const adapter = (invocations: number, workgroupStorageBytes: number) => ({
  invocations,
  workgroupStorageBytes,
  owner: 'this adapter',
});
const kernelOf = (hold: RungFit | undefined) => {
  assert.ok(hold?.ok);
  return hold.kernel;
};
const blockOf = (hold: RungFit | undefined) => kernelOf(hold).spec.schedule.block;

describe('a rung on an adapter', () => {
  it('reports 16 x 16 blocks if a workgroup has 256 invocations', () => {
    const holds = fitRungs({ problem }, 'wgsl', adapter(256, 32_768));
    for (const hold of holds) {
      assert.ok(hold.ok, hold.rung.change);
      const { threads } = hold.kernel.plan;
      assert.ok(threads <= 256, hold.rung.change);
      assert.equal(hold.adapted !== null, hold.number <= 5, hold.rung.change);
    }
    for (const hold of holds.slice(0, 4)) {
      const { m, n } = blockOf(hold) ?? {};
      assert.deepEqual([m, n], [16, 16]);
    }
    const [first] = holds;
    assert.equal(
      first?.ok === true ? first.adapted : null,
      'Block tile reduced to 16 x 16 because the default tile exceeds the limits: 1,024 threads per block > 256 (this adapter).',
    );
  });

  it('keeps its block tile if the limits permit it', () => {
    for (const holds of [
      fitRungs({ problem }, 'wgsl', adapter(1024, 32_768)),
      fitRungs({ problem }, 'wgsl'),
      fitRungs({ problem }, 'cuda'),
      fitRungs({ problem, targets: ['cuda', 'wgsl'] }, 'cuda'),
      fitRungs({ problem, targets: ['cuda', 'wgsl'] }, 'wgsl'),
    ]) {
      assert.ok(holds.every(hold => hold.ok && hold.adapted === null));
      for (const hold of holds.slice(0, 4)) {
        const { m, n } = blockOf(hold) ?? {};
        assert.deepEqual([m, n], [32, 32]);
      }
    }
    const short = fitRungs({ problem }, 'wgsl', adapter(1023, 32_768));
    assert.equal(blockOf(short[0])?.m, 16);
  });

  it('requests storage without invocations, and no more than its kernel needs', () => {
    const all = fitRungs({ problem }, 'wgsl', adapter(256, 32_768));
    const limits = all.map(hold => kernelOf(hold).spec.webgpuLimits);
    assert.ok(limits.some(one => one === undefined) && limits.some(one => one !== undefined));
    for (const [i, hold] of all.entries()) {
      const { sharedBytes } = kernelOf(hold);
      const expected =
        sharedBytes <= 16_384
          ? undefined
          : { invocations: 256, workgroupStorageBytes: sharedBytes };
      assert.deepEqual(limits[i], expected, hold.rung.change);
    }
  });

  it('is rejected with a reason if one byte of storage is missing', () => {
    const most = Math.max(...fitRungs({ problem }, 'wgsl').map(hold => kernelOf(hold).sharedBytes));
    assert.ok(fitRungs({ problem }, 'wgsl', adapter(256, most)).every(({ ok }) => ok));
    const out = fitRungs({ problem }, 'wgsl', adapter(256, most - 1)).filter(({ ok }) => !ok);
    assert.equal(out.length, 1);
    const [hold] = out;
    assert.deepEqual(hold?.ok === false ? hold.violations.map(({ message }) => message) : [], [
      '32,768 B of shared memory > 32,767 B (this adapter).',
    ]);
  });

  it('respects the limits of the spec on any adapter', () => {
    const spec: GemmSpec = { problem, webgpuLimits: { invocations: 512 } };
    const holds = fitRungs(spec, 'wgsl', adapter(1024, 65_536));
    for (const hold of holds)
      if (hold.ok) {
        assert.equal(hold.kernel.spec.webgpuLimits?.invocations, 512);
        assert.ok(hold.kernel.plan.threads <= 512 && hold.kernel.sharedBytes <= 16_384);
      }
    assert.equal(blockOf(holds[0])?.m, 16);
    assert.deepEqual(
      holds.filter(({ ok }) => !ok).map(({ rung }) => rung.algorithm),
      ['warp-tile', 'pipelined', 'pipelined'],
    );
  });

  it('has a smaller schedule if its own exceeds WebGPU’s invocations', () => {
    const holds = fitRungs({ problem }, 'wgsl');
    for (const { change, small, targets } of LADDER) {
      if (targets?.includes('wgsl') === false) continue;
      const hold = holds.find(({ rung }) => rung.change === change);
      assert.equal(small !== undefined, kernelOf(hold).plan.threads > 256, change);
    }
  });
});
