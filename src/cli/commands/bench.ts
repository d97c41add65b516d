/** `bench SPEC|FILE --backend B`: verifies a kernel, then times it. */
import { command, device, set, specOrFileArgument, target } from '../command';
import { measure } from '../measure';
import { lacking, unusable } from '../result';

export const benchCommand = command({
  name: 'bench',
  description: 'Verify a kernel, then time it; a wrong result is never timed',
  args: {
    spec: specOrFileArgument,
    backend: {
      type: 'enum',
      options: ['webgpu' as const, 'cuda' as const],
      description: 'Where to run it; none is ever swapped for another',
    },
    baseline: {
      type: 'enum',
      options: ['cublas' as const, 'cublaslt' as const, 'none' as const],
      description: 'Library to time beside it (cuda only)',
    },
    set,
    device,
    target,
  },
  run: (options, context) => {
    const { backend, baseline } = options;
    if (backend === undefined) throw unusable('bench needs --backend webgpu or cuda.');
    if (baseline === 'cublaslt') {
      throw lacking('--baseline cublaslt is not in this version of GEMM Explorer; cublas is.');
    }
    if (baseline === 'cublas' && backend !== 'cuda') {
      throw unusable(`--baseline cublas is timed by the cuda backend; ${backend} has no baseline.`);
    }
    const { spec, set, device, target } = options;
    return measure(
      spec,
      { set, device, target, backend, mode: 'time', ...(baseline && { baseline }) },
      context,
    );
  },
});
