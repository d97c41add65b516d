/** Compiles kernels with limited concurrency, each distinct source once. */
import type { Runnable } from '../../../src/core/kernel/kernel';
import type { RunnerContext } from '../../../src/host/cuda/runner/requests';
import { compileWithNvcc } from '../../../src/host/cuda/runner/compileKernel';

export type CompiledOrNot = Awaited<ReturnType<typeof compileWithNvcc>>;

/**
 * Sources are compared without the comment lines at column 0, because these contain the problem
 * shape.
 */
export function compilerOf(
  asking: RunnerContext,
  workers: number,
): (kernel: Runnable) => Promise<CompiledOrNot> {
  const known = new Map<string, Promise<CompiledOrNot>>();
  const waiting: (() => void)[] = [];
  let free = workers;
  const turn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else await new Promise<void>(next => waiting.push(next));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
  return kernel => {
    const source = kernel.source.replace(/^\/\/.*\n/gm, '');
    const done = known.get(source) ?? turn(() => compileWithNvcc({ ...kernel, source }, asking));
    known.set(source, done);
    return done;
  };
}
