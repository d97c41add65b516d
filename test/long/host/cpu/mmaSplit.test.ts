/**
 * f32 by splitting on the CPU: the emitted text makes the pieces and multiplies them as its inline
 * PTX says.
 */
import assert from 'node:assert/strict';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { SPLIT_NAMES, splitSpec } from '../../../helpers/splitSpecs';
import { cudaKernel, edited, hasCxx, runAll, runOne } from '../../../host/cpu/support';

const LAYOUTS = ['row', 'col'] as const;

const SPECS: Readonly<Record<string, GemmSpec>> = {
  ...Object.fromEntries(
    SPLIT_NAMES.flatMap(split =>
      LAYOUTS.flatMap(a =>
        LAYOUTS.map(b => [
          `${split}, ${a} ${b}, odd`,
          splitSpec(split, { m: 33, n: 47, k: 61, a: { layout: a }, b: { layout: b } }),
        ]),
      ),
    ),
  ),
  // Of so few products what is left out is more than what their sum may lose.
  ...Object.fromEntries(SPLIT_NAMES.map(split => [`${split}, 2 deep`, splitSpec(split, { k: 2 })])),
  'bf16x6, by 8': splitSpec('bf16x6', {}, { mma: { m: 16, n: 8, k: 8 } }),
  'tf32x3, by 4': splitSpec('tf32x3', {}, { mma: { m: 16, n: 8, k: 4 } }),
  'bf16x9, two buffers, parts of K': splitSpec(
    'bf16x9',
    { k: 200, c: { dtype: 'f16' }, alpha: 2, beta: 1 },
    { fragments: 2, splitK: 2 },
  ),
  'bf16x3, padded, batches': splitSpec(
    'bf16x3',
    { m: 40, batch: 2, c: { layout: 'col' } },
    { swizzle: 'none', padding: { a: 4, b: 4 } },
  ),
  'tf32x3, by default': {
    problem: { m: 140, n: 132, k: 96, b: { layout: 'col' } },
    schedule: { algorithm: 'mma', split: 'tf32x3' },
  },
};

(hasCxx ? describe : describe.skip)(
  'f32 by splitting on the CPU (needs g++ or clang++)',
  function () {
    this.timeout(240_000);

    it('is right for every split, layout, edge and pipeline', async () => {
      const kernels = Object.entries(SPECS);
      const measurements = await runAll(kernels.map(([, spec]) => cudaKernel(spec)));
      assert.deepEqual(
        measurements.map(({ outcome, message = '' }, i) => [kernels[i]?.[0], outcome, message]),
        kernels.map(([name]) => [name, 'correct', '']),
      );
    });

    it('detects a remainder that is not reduced, and a product of wrong terms', async () => {
      const kernel = cudaKernel(splitSpec('bf16x6', { k: 2 }));
      for (const [from, to] of [
        [/remainder\[1\] -= __high2float\(terms\);/, ''],
        [/termsA\[0\], termsB\[n\]\[1\]/, 'termsA[0], termsB[n][2]'],
      ] as const)
        assert.equal((await runOne(edited(kernel, from, to))).outcome, 'incorrect', to);
    });
  },
);
