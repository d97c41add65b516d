/** Measurements as backends make them, for what is shown of them. */
import type { Measurement } from '../../src/core/measure/measurement';

export interface Made {
  readonly gflops: number;
  readonly specKey?: string;
  readonly sourceHash?: string;
  readonly resolved?: Measurement['resolved'];
  readonly name?: string;
  readonly where?: string;
  readonly at?: string;
  readonly ceilings?: Measurement['ceilings'];
}

/** A correct, timed run. */
export const timed = (made: Made): Measurement => ({
  specKey: made.specKey ?? 'k',
  kernelKey: 'x',
  backend: 'cuda',
  outcome: 'correct',
  resolved: made.resolved ?? null,
  ...(made.sourceHash === undefined ? {} : { sourceHash: made.sourceHash }),
  ...(made.at === undefined ? {} : { at: made.at }),
  verification: { reference: 'f64', maxError: 0, bound: 1, mismatches: 0, samples: 16 },
  device: {
    name: made.name ?? 'NVIDIA H200',
    adapter: 'compute capability 9.0',
    driver: '1',
    where: made.where ?? 'extension host',
  },
  timing: {
    timer: 'cuda-events',
    quantumNs: 500,
    warmUp: 3,
    samples: 10,
    batch: 4,
    medianMs: 1,
    iqrMs: 0.01,
    minMs: 0.99,
    gflops: made.gflops,
    errorPercent: 0.05,
    cache: 'warm',
    inputs: 'uniform [-1, 1)',
  },
  ...(made.ceilings === undefined ? {} : { ceilings: made.ceilings }),
});
