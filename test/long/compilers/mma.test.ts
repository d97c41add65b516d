/**
 * What nvcc makes of `mma` as a spec gets it that names no more: no register spills, on any GPU, of
 * any type.
 */
import assert from 'node:assert/strict';
import { instructionsOn } from '../../../src/core/plan/instructions';
import { SPLITS } from '../../../src/core/plan/fp32Emulation';
import type { DType } from '../../../src/core/types/dtype';
import { compileCubin } from '../../../src/host/nvcc';
import { findNvcc } from '../../../src/host/toolchain';
import { kernelFor } from '../../helpers/kernels';
import { SPLIT_NAMES, type Split } from '../../helpers/splitSpecs';
import { sampled } from '../../helpers/depth';

const nvcc = await findNvcc();
const suffix = nvcc.ok ? '' : ' (skipped: no nvcc)';

const DEVICES = {
  t4: 'sm_75',
  'a100-sxm-80gb': 'sm_80',
  'rtx-4090': 'sm_89',
  h200: 'sm_90',
  b200: 'sm_100',
} as const;

interface Kind {
  readonly dtype: DType;
  readonly split?: Split;
}

/** Types of A and B, and what f32 is split into. */
const KINDS: readonly Kind[] = [
  ...(['f16', 'bf16', 'tf32', 's8', 'e4m3', 'e5m2'] as const).map(dtype => ({ dtype })),
  ...SPLIT_NAMES.map(split => ({ dtype: 'f32' as const, split })),
];

describe('Compiled mma', () => {
  for (const { dtype, split } of sampled(KINDS))
    it(`spills nothing by default: ${split ?? dtype}${suffix}`, async function () {
      if (!nvcc.ok) return this.skip();
      this.timeout(240_000);
      const element = split === undefined ? dtype : SPLITS[split].dtype;
      for (const [device, arch] of Object.entries(DEVICES)) {
        if (instructionsOn(element, device).length === 0) continue;
        const { source } = kernelFor(
          {
            problem: { m: 4096, n: 4096, k: 4096, a: { dtype }, b: { layout: 'col' } },
            schedule: { algorithm: 'mma', ...(split === undefined ? {} : { split }) },
            device,
            targets: ['cuda'],
          },
          'cuda',
        );
        const compiled = await compileCubin(source, { nvcc: nvcc.nvcc, arch });
        assert.ok(compiled.ok, JSON.stringify(compiled));
        for (const { spillStores, spillLoads } of compiled.kernels)
          assert.deepEqual([spillStores, spillLoads], [0, 0], `${split ?? dtype} ${arch}`);
      }
    });
});
