import assert from 'node:assert/strict';
import fc from 'fast-check';
import { carveOutsOf, chosenCarveOut } from '../../../src/core/occupancy/carveOuts';
import { occupancy } from '../../../src/core/occupancy/occupancy';
import { computeCapabilityNames, limitsOf } from '../../../src/core/hardware/computeCapability';

const kernel = { computeCapability: '9.0', threadsPerBlock: 128, registersPerThread: 32 };

describe('carve-outs of shared memory', () => {
  it('hold what fits, and leave the rest of the 256 KiB of an H200 to L1', () => {
    const of = carveOutsOf({ ...kernel, sharedBytesPerBlock: 31 * 1024 });
    assert.deepEqual(of[0], { sharedKiB: 32, l1KiB: 224, blocksPerSm: 1 });
    assert.deepEqual(of.at(-1), { sharedKiB: 228, l1KiB: 28, blocksPerSm: 7 });
  });

  it('begin with the one that holds a block: 32 KiB with the driver’s reserve, 64 KiB for a byte more', () => {
    const first = (bytes: number) =>
      carveOutsOf({ ...kernel, sharedBytesPerBlock: bytes })[0]?.sharedKiB;
    assert.equal(first(31 * 1024), 32);
    assert.equal(first(31 * 1024 + 1), 64);
  });

  it('are chosen by what holds all blocks: a byte more a block takes the next one', () => {
    const chosen = (bytes: number) =>
      chosenCarveOut(carveOutsOf({ ...kernel, threadsPerBlock: 1024, sharedBytesPerBlock: bytes }));
    assert.deepEqual(chosen(31 * 1024), { sharedKiB: 64, l1KiB: 192, blocksPerSm: 2 });
    assert.equal(chosen(31 * 1024 + 1)?.sharedKiB, 100);
    assert.equal(chosen(227 * 1024 + 1), null);
  });

  it('are none for a block that fits no SM', () => {
    assert.deepEqual(carveOutsOf({ ...kernel, sharedBytesPerBlock: 227 * 1024 + 1 }), []);
    assert.equal(carveOutsOf({ ...kernel, sharedBytesPerBlock: 227 * 1024 }).length, 1);
  });

  it('are refused beyond 0 and 100 percent', () => {
    for (const carveOutPercent of [-1, 101, 0.5, NaN]) {
      const result = occupancy({ ...kernel, sharedBytesPerBlock: 0, carveOutPercent });
      assert.ok(!result.ok && result.error.field === 'carveOutPercent');
    }
    for (const carveOutPercent of [0, 100]) {
      assert.ok(occupancy({ ...kernel, sharedBytesPerBlock: 0, carveOutPercent }).ok);
    }
  });

  it('end with what occupancy says without a preference', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...computeCapabilityNames),
        fc.integer({ min: 1, max: 1100 }),
        fc.integer({ min: 0, max: 260 }),
        fc.integer({ min: 0, max: 240 * 1024 }),
        (computeCapability, threadsPerBlock, registersPerThread, sharedBytesPerBlock) => {
          const input = {
            computeCapability,
            threadsPerBlock,
            registersPerThread,
            sharedBytesPerBlock,
          };
          const result = occupancy(input);
          assert.ok(result.ok);
          const all = carveOutsOf(input);
          const { blocksPerSm } = result.occupancy;
          assert.equal(all.at(-1)?.blocksPerSm ?? 0, blocksPerSm);
          const { sharedBytesPerSm } = limitsOf(computeCapability);
          if (blocksPerSm > 0) assert.equal(all.at(-1)?.sharedKiB, sharedBytesPerSm / 1024);
        },
      ),
    );
  });
});
