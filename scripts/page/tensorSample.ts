/** Tensor-core spec. Its page has a section with charts that no other sample shows. */
import type { GemmSpec } from '../../src/core/spec/schema';

export const TENSOR_SPEC: GemmSpec = {
  problem: { m: 4096, n: 4096, k: 1024, a: { dtype: 'bf16' }, b: { layout: 'col' } },
  schedule: { algorithm: 'wgmma', block: { m: 128, n: 128, k: 64 }, cluster: { m: 2, n: 1 } },
};
