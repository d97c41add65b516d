import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  LIMITERS,
  occupancy,
  type Limiter,
  type Occupancy,
  type OccupancyInput,
} from '../../../src/core/occupancy/occupancy';
import { limitsOf, computeCapabilityNames } from '../../../src/core/hardware/computeCapability';

function of(input: OccupancyInput): Occupancy {
  const result = occupancy(input);
  assert.ok(result.ok);
  return result.occupancy;
}

/** Blocks a SM and limiters of `computeCapability: threads, registers, shared bytes`. */
function brief(
  computeCapability: string,
  threadsPerBlock: number,
  registersPerThread: number,
  sharedBytesPerBlock: number,
): [number, readonly Limiter[]] {
  const { blocksPerSm, limiters } = of({
    computeCapability,
    threadsPerBlock,
    registersPerThread,
    sharedBytesPerBlock,
  });
  return [blocksPerSm, limiters];
}

const anyInput = fc.record({
  computeCapability: fc.constantFrom(...computeCapabilityNames),
  threadsPerBlock: fc.integer({ min: 1, max: 1100 }),
  registersPerThread: fc.integer({ min: 0, max: 260 }),
  sharedBytesPerBlock: fc.integer({ min: 0, max: 240 * 1024 }),
});

describe('occupancy', () => {
  it("reproduces the tutorial's 32x32x32 shared tile on an RTX 3070 Laptop", () => {
    const tile = of({
      computeCapability: '8.6',
      threadsPerBlock: 1024,
      registersPerThread: 27,
      sharedBytesPerBlock: 8192,
    });
    assert.deepEqual(tile, {
      blocksPerSm: 1,
      activeWarps: 32,
      maxWarps: 48,
      occupancy: 32 / 48,
      limiters: ['threads'],
      // 32 registers a thread with rounding; 8 KiB and the driver's 1 KiB of 100 KiB.
      limits: { threads: 1, registers: 2, 'shared-memory': 11, blocks: 16 },
      registersPerBlockAllocated: 32 * 1024,
      sharedBytesAllocated: 9 * 1024,
      sharedBytesReserved: 1024,
    });
  });

  describe('on both sides of each limit', () => {
    it('threads of a block', () => {
      assert.deepEqual(brief('9.0', 1024, 32, 0), [2, ['threads', 'registers']]);
      assert.deepEqual(brief('9.0', 1025, 32, 0), [0, ['threads']]);
    });

    it('warps of an SM, whole ones', () => {
      assert.deepEqual(brief('8.6', 96, 8, 0), [16, ['threads', 'blocks']]);
      assert.deepEqual(brief('8.6', 97, 8, 0), [12, ['threads']]);
      assert.deepEqual(brief('8.6', 128, 8, 0), [12, ['threads']]);
      assert.deepEqual(brief('7.5', 1024, 8, 0), [1, ['threads']]);
    });

    it('blocks of an SM', () => {
      const most = { '7.0': 32, '7.5': 16, '8.0': 32, '8.6': 16, '8.9': 24, '9.0': 32, '12.0': 24 };
      for (const [computeCapability, blocks] of Object.entries(most)) {
        assert.deepEqual(brief(computeCapability, 32, 8, 0), [blocks, ['blocks']]);
      }
    });

    it('registers, rounded to 8 a thread', () => {
      assert.deepEqual(brief('9.0', 256, 64, 0), [4, ['registers']]);
      assert.deepEqual(brief('9.0', 256, 65, 0), [3, ['registers']]);
      assert.deepEqual(brief('9.0', 256, 72, 0), [3, ['registers']]);
    });

    it('registers of a scheduler, which warps of another cannot use', () => {
      // 21 warps of 96 registers fit the SM's 65,536 registers, but only 5 fit each scheduler's
      // 16,384.
      assert.deepEqual(brief('9.0', 32, 96, 0), [20, ['registers']]);
    });

    it('registers of a block, as the launch check counts them', () => {
      assert.deepEqual(brief('9.0', 1024, 64, 0), [1, ['registers']]);
      assert.deepEqual(brief('9.0', 1024, 65, 0), [0, ['registers']]);
      // 9 warps count as 12: 12 x 168 x 32 registers are 64,512, 12 x 176 x 32 are 67,584 of
      // 65,536.
      assert.deepEqual(brief('9.0', 288, 168, 0), [1, ['registers']]);
      assert.deepEqual(brief('9.0', 288, 169, 0), [0, ['registers']]);
    });

    it('registers of a thread', () => {
      assert.deepEqual(brief('9.0', 32, 255, 0), [8, ['registers']]);
      assert.deepEqual(brief('9.0', 32, 257, 0), [0, ['registers']]);
    });

    it('shared memory, with the reserve and rounding', () => {
      assert.deepEqual(brief('9.0', 32, 8, 75 * 1024), [3, ['shared-memory']]);
      assert.deepEqual(brief('9.0', 32, 8, 75 * 1024 + 1), [2, ['shared-memory']]);
      // Nothing is reserved before Ampere.
      assert.deepEqual(brief('7.0', 32, 8, 32 * 1024), [3, ['shared-memory']]);
      assert.deepEqual(brief('7.0', 32, 8, 32 * 1024 + 1), [2, ['shared-memory']]);
    });

    it('shared memory of a block: what it may opt in to', () => {
      for (const computeCapability of computeCapabilityNames) {
        const most = limitsOf(computeCapability).sharedBytesPerBlockOptIn;
        assert.deepEqual(brief(computeCapability, 32, 8, most), [1, ['shared-memory']]);
        assert.deepEqual(brief(computeCapability, 32, 8, most + 1), [0, ['shared-memory']]);
      }
    });
  });

  it('needs no rule for what one block may have: it may have all of an SM', () => {
    for (const sm of computeCapabilityNames.map(limitsOf)) {
      assert.equal(sm.registersPerBlock, sm.registersPerSm);
      assert.equal(
        sm.sharedBytesPerBlockOptIn + sm.sharedBytesReservedPerBlock,
        sm.sharedBytesPerSm,
      );
    }
  });

  it('leaves out the limit of a resource of which a block takes nothing', () => {
    const empty = of({
      computeCapability: '7.0',
      threadsPerBlock: 64,
      registersPerThread: 0,
      sharedBytesPerBlock: 0,
    });
    assert.deepEqual(empty.limits, { threads: 32, blocks: 32 });
    assert.deepEqual(empty.limiters, ['threads', 'blocks']);
  });

  it('names every limiter that alone would allow no more, and no other', () => {
    fc.assert(
      fc.property(anyInput, input => {
        const { blocksPerSm, limiters, limits } = of(input);
        assert.equal(blocksPerSm, Math.min(...Object.values(limits)));
        assert.deepEqual(
          limiters,
          LIMITERS.filter(limiter => limits[limiter] === blocksPerSm),
        );
        assert.ok(limiters.length > 0);
      }),
    );
  });

  it('never holds more than an SM has', () => {
    fc.assert(
      fc.property(anyInput, input => {
        const sm = limitsOf(input.computeCapability);
        const held = of(input);
        assert.ok(held.occupancy >= 0 && held.occupancy <= 1);
        assert.ok(held.activeWarps <= held.maxWarps);
        assert.ok(held.blocksPerSm * held.registersPerBlockAllocated <= sm.registersPerSm);
        assert.ok(held.blocksPerSm * held.sharedBytesAllocated <= sm.sharedBytesPerSm);
      }),
    );
  });

  for (const field of ['threadsPerBlock', 'registersPerThread', 'sharedBytesPerBlock'] as const) {
    it(`holds no more blocks when ${field} grows`, () => {
      fc.assert(
        fc.property(anyInput, fc.integer({ min: 1, max: 4096 }), (input, more) => {
          const larger = { ...input, [field]: input[field] + more };
          assert.ok(of(larger).blocksPerSm <= of(input).blocksPerSm);
        }),
      );
    });
  }

  it('reports the field and the legal values of invalid input', () => {
    const kernel: OccupancyInput = {
      computeCapability: '9.0',
      threadsPerBlock: 256,
      registersPerThread: 32,
      sharedBytesPerBlock: 0,
    };
    const wrong: readonly Partial<OccupancyInput>[] = [
      { computeCapability: '6.1' },
      { computeCapability: '' },
      { computeCapability: 'toString' },
      { threadsPerBlock: 0 },
      { threadsPerBlock: 1.5 },
      { threadsPerBlock: Number.NaN },
      { registersPerThread: -1 },
      { registersPerThread: Number.POSITIVE_INFINITY },
      { sharedBytesPerBlock: -1 },
      { sharedBytesPerBlock: 2 ** 60 },
    ];
    for (const change of wrong) {
      const result = occupancy({ ...kernel, ...change });
      assert.ok(!result.ok, JSON.stringify(change));
      assert.deepEqual([result.error.field], Object.keys(change));
      assert.match(result.error.message, /Expected one of 7\.0, 7\.2|expected an integer >= /);
    }
  });
});
