/**
 * Occupancy of a compiled kernel that no comment describes: at the block that is known, and over
 * all of them.
 */
import assert from 'node:assert/strict';
import { bareOccupancy } from '../../../src/core/occupancy/bareOccupancy';
import { occupancy } from '../../../src/core/occupancy/occupancy';

const PLAIN = '__global__ void f(float *a) { a[0] = 1; }\n';
const BOUND = PLAIN.replace('void f', 'void __launch_bounds__(THREADS) f');

const of = (
  text: string,
  more: Partial<Parameters<typeof bareOccupancy>[0]> = {},
): ReturnType<typeof bareOccupancy> =>
  bareOccupancy({
    text,
    entry: 'f',
    resources: { registers: 40, sharedBytes: 8192 },
    computeCapability: '9.0',
    ...more,
  });

describe('Occupancy without a comment', () => {
  it('is unknown where nothing says the block: all sizes, and the best of them', () => {
    const { block, sizes, best, registers } = of(PLAIN);
    assert.equal(block, null);
    assert.deepEqual(registers, { value: 40, unit: 'registers', from: 'compiler' });
    for (const size of sizes) {
      const result = occupancy({
        computeCapability: '9.0',
        threadsPerBlock: size.threads,
        registersPerThread: 40,
        sharedBytesPerBlock: 8192,
      });
      assert.ok(result.ok);
      assert.equal(size.occupancy, result.occupancy.occupancy);
    }
    const most = Math.max(...sizes.map(({ activeWarps }) => activeWarps));
    assert.deepEqual(
      best,
      sizes.filter(({ activeWarps }) => activeWarps === most).map(({ threads }) => threads),
    );
  });

  it('uses __launch_bounds__ with macros and constants resolved, and offers no larger block', () => {
    const { block, sizes } = of(`#define THREADS (16 * 16)\n${BOUND}`);
    assert.deepEqual([block?.threads, block?.from], [256, 'launch bounds']);
    assert.equal(sizes.at(-1)?.threads, 256);
    // The constant has no definition.
    assert.equal(of(BOUND).block, null);
  });

  it('uses the given block, and reports that a launch beyond the bounds fails', () => {
    const text = `const int THREADS = 128;\n${BOUND}`;
    assert.equal(of(text, { threads: 128 }).notes.length, 1);
    assert.match(
      of(text, { threads: 129 }).notes[0] ?? '',
      /129 threads exceed __launch_bounds__\(128\)/,
    );
    // Above the maximum block size: no block fits.
    assert.equal(of(PLAIN, { threads: 1024 }).block?.blocksPerSm, 1);
    assert.equal(of(PLAIN, { threads: 1025 }).block?.blocksPerSm, 0);
  });

  it('reports that dynamic shared memory is not counted unless given', () => {
    const text = `extern __shared__ float tile[];\n${PLAIN}`;
    assert.match(of(text).notes[0] ?? '', /dynamic shared memory/i);
    const given = of(text, { dynamicSharedBytes: 65_536 });
    assert.equal(given.sharedBytes.value, 73_728);
    assert.equal(given.notes.length, 1);
    assert.ok(given.sizes.every(({ blocksPerSm }) => blocksPerSm <= 3));
  });
});
