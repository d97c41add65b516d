/**
 * Clusters: how many a GPU holds, both sides of what a GPC holds, and the comparison with the
 * runtime.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import * as v from 'valibot';
import {
  clusterReport,
  CLUSTER_SIZES,
  compareClusters,
  RECORDED_SIZES,
} from '../../../src/core/occupancy/clusters';
import { activeClusters } from '../../../src/core/hardware/gpcs';
import { deviceOf, devices } from '../../../src/core/hardware/devices';

const h200 = deviceOf('h200');

describe('clusters of blocks', () => {
  it('stay within a GPC: 15 of 8 blocks on an H200 with one block an SM, as cuBLAS launches them', () => {
    const report = clusterReport(h200, 1);
    assert.deepEqual(
      report?.counts.map(({ size, clusters, blocks }) => [size, clusters, blocks]),
      [
        [2, 66, 132],
        [4, 30, 120],
        [8, 15, 120],
        [16, 7, 112],
      ],
    );
    assert.equal(report.gpcs?.length, 12);
  });

  it('fit from the first SM on that a GPC has enough of', () => {
    assert.equal(activeClusters([7], 1, 8), 0);
    assert.equal(activeClusters([8], 1, 8), 1);
    assert.equal(activeClusters([15], 1, 8), 1);
    // Blocks of a cluster share no SM, and an SM holds 8 blocks of clusters.
    assert.equal(activeClusters([7], 2, 8), 0);
    assert.equal(activeClusters([12], 2, 8), 3);
    assert.equal(activeClusters([8], 8, 8), 8);
    assert.equal(activeClusters([8], 9, 8), 8);
  });

  it('are none before 9.0 and for a block that fits no SM', () => {
    assert.equal(clusterReport(deviceOf('a100-sxm-80gb'), 1), null);
    assert.equal(clusterReport(deviceOf('apple-m4'), 1), null);
    assert.equal(clusterReport(h200, 0), null);
    assert.notEqual(clusterReport(h200, 1), null);
  });

  it('are a bound where GPCs are not published, and say so', () => {
    const report = clusterReport(deviceOf('b200'), 1);
    assert.equal(report?.gpcs, null);
    assert.deepEqual(
      report.counts.map(({ clusters }) => clusters),
      [74, 37, 18, 9],
    );
  });

  it('run no more blocks than there are slots, and divide a device’s SMs among its GPCs', () => {
    for (const device of devices) {
      if (device.gpcs === undefined) continue;
      const { sms, most } = device.gpcs;
      assert.equal(
        sms.reduce((sum, one) => sum + one, 0),
        device.multiprocessors,
      );
      assert.ok(sms.every(one => one <= most));
    }
    fc.assert(
      fc.property(fc.constantFrom(...devices), fc.integer({ min: 1, max: 32 }), (device, held) => {
        for (const { size, blocks, clusters } of clusterReport(device, held)?.counts ?? []) {
          assert.ok(blocks <= device.multiprocessors * held && blocks === clusters * size);
        }
      }),
    );
  });
});

describe('clusters beside the runtime', () => {
  const recordOf = (gpcs: readonly number[], held: readonly number[]) =>
    held.map(blocksPerSm => ({
      specKey: `held ${blocksPerSm}`,
      blocksPerSm,
      clusters: RECORDED_SIZES.map(size => activeClusters(gpcs, blocksPerSm, size)),
    }));

  it('agree with every kernel of the record of an H200', () => {
    const record = v.parse(
      v.object({
        own: v.array(
          v.object({ specKey: v.string(), ours: v.number(), clusters: v.array(v.number()) }),
        ),
      }),
      JSON.parse(readFileSync('bench/h200-occupancy.json', 'utf8')),
    );
    const cases = record.own.map(row => ({ ...row, blocksPerSm: row.ours }));
    const { differing, possibleGpcs, cases: count } = compareClusters(h200, cases);
    assert.ok(count >= 190);
    assert.deepEqual(differing, []);
    // Clusters of 16 may tell these apart; the first is assumed.
    assert.deepEqual(
      possibleGpcs.map(gpcs => gpcs.join()),
      ['18,18,16,16,16,16,16,8,2,2,2,2', '18,16,16,16,16,16,16,10,2,2,2,2'],
    );
  });

  it('differ where it is not, in which sizes, and say which GPCs explain it', () => {
    const other = [18, 18, 16, 16, 16, 16, 16, 16];
    const { differing, possibleGpcs } = compareClusters(h200, recordOf(other, [1]));
    assert.deepEqual(
      differing.map(({ size, ours, runtime }) => [size, ours, runtime]),
      [
        [4, 30, 32],
        [8, 15, 16],
      ],
    );
    assert.ok(possibleGpcs.some(gpcs => gpcs.join() === other.join()));
    assert.ok(!possibleGpcs.some(gpcs => gpcs.join() === h200.gpcs?.sms.join()));
  });

  it('leave out what cannot be launched as clusters, and what fits no SM', () => {
    const cases = [
      { specKey: 'none', blocksPerSm: 0, clusters: [0, 0, 0] },
      { specKey: 'two only', blocksPerSm: 1, clusters: [66, 0, 0] },
    ];
    const { differing, cases: count } = compareClusters(h200, cases);
    assert.deepEqual([differing.length, count], [0, 1]);
    assert.deepEqual(compareClusters(h200, []).possibleGpcs, []);
    assert.equal(CLUSTER_SIZES.length, RECORDED_SIZES.length + 1);
  });
});
