/** Compiles the kernels of a queue concurrently and in order, ahead of their measurements. */
import type { PlannedShape } from '../../core/audit/planned';
import type { Prepared } from '../../core/search/tune/bench';
import type { CompiledKernel } from '../cuda/runner/compileKernel';
import { prepareKernel, type OpenedGpus } from '../cuda/runner/gpus';

type Compiled = Prepared<CompiledKernel>;

export interface Compiling {
  /** Resolves when the kernel of a shape is compiled. */
  readonly of: (shape: PlannedShape) => Promise<Compiled>;
  /** Ends the compilers; kernels that were not compiled never resolve. */
  readonly end: () => Promise<void>;
}

export function compileAhead(
  queue: readonly PlannedShape[],
  opened: OpenedGpus,
  { workers, signal }: { readonly workers: number; readonly signal: AbortSignal },
): Compiling {
  const ending = new AbortController();
  const either = AbortSignal.any([signal, ending.signal]);
  const done = new Map<PlannedShape, (compiled: Compiled) => void>();
  const compiled = new Map(
    queue.map(one => [one, new Promise<Compiled>(resolve => done.set(one, resolve))]),
  );
  let next = 0;
  const work = async (): Promise<void> => {
    for (let one = queue[next++]; one !== undefined && !either.aborted; one = queue[next++])
      done.get(one)?.(await prepareKernel(one.kernel, opened, either));
  };
  const working = Promise.all(Array.from({ length: Math.max(1, workers) }, work));
  // A failure is reported by `of`, which waits for the same work.
  working.catch(() => undefined);
  return {
    of: async one => {
      const found = compiled.get(one);
      if (found === undefined) throw new Error('the shape is not in the queue');
      return await Promise.race([found, working.then(() => found)]);
    },
    end: async () => {
      ending.abort();
      await working.catch(() => undefined);
    },
  };
}
