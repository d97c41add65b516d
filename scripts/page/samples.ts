/** Sample messages and measurements for page states and tests. */
import { mapMaker } from '../../src/core/verify/wrongMap';
import { sourceHashOf } from '../../src/core/text/hash';
import { emit } from '../../src/core/kernel/emit';
import { plan } from '../../src/core/plan/planner';
import type { Measurement } from '../../src/core/measure/measurement';
import { resolve } from '../../src/core/defaults/resolve';
import type { GemmSpec, Schedule } from '../../src/core/spec/schema';
import type { ToWebview } from '../../src/protocol';
import { specKey } from '../../src/core/plan/specKey';

export type Show = Extract<ToWebview, { type: 'show' }>;

let revision = 0;
/**
 * Returns the order fields of a new `show` from an extension that has received every edit of the
 * page.
 */
export const newest = (): Pick<Show, 'revision' | 'since' | 'edit'> => {
  revision += 1;
  return { revision, since: 1, edit: Number.MAX_SAFE_INTEGER };
};

export const SPEC: GemmSpec = {
  problem: { m: 256, n: 256, k: 256 },
  schedule: { algorithm: 'thread-tile-2d' },
};

/** Epilogue of which two operands are not legal: the type of the bias, and the residual's ld. */
export const FUSED_SPEC: GemmSpec = {
  ...SPEC,
  problem: {
    ...SPEC.problem,
    epilogue: [
      { op: 'bias', along: 'n', dtype: 'f64' },
      { op: 'gelu' },
      { op: 'residual', layout: 'row', ld: 128 },
    ],
  },
};

export const show = (over: Partial<Show> = {}): Show => ({
  type: 'show',
  ...newest(),
  spec: SPEC,
  name: 'first.gemm.json',
  trusted: true,
  backends: [{ id: 'cuda', available: false, note: 'nvcc was not found.' }],
  runs: [],
  ...over,
});

export const withSchedule = (schedule: Schedule): GemmSpec => ({
  problem: { m: 1024, n: 1024, k: 1024 },
  schedule,
});

const compiledText = () => {
  const planned = plan(resolve(SPEC), 'cuda');
  if (!planned.ok) throw new Error('The sample spec is not legal for CUDA.');
  const kernel = emit(planned.plan);
  const { entry } = kernel;
  return { sourceHash: sourceHashOf(kernel), entry, arch: 'sm_90', compiler: 'nvcc 13.0.88' };
};

export const COMPILED: Extract<ToWebview, { type: 'compiled' }> = {
  type: 'compiled',
  ...compiledText(),
  registers: 96,
  sharedBytes: 8192,
  spillStores: 0,
  spillLoads: 0,
};

export const INSPECTED: Extract<ToWebview, { type: 'inspected' }> = {
  type: 'inspected',
  ...compiledText(),
  language: 'ptx',
  counts: [
    { kind: 'fma', whole: 520, loop: 512 },
    { kind: 'shared-load', whole: 130, loop: 128 },
    { kind: 'integer', whole: 90, loop: 20 },
    { kind: 'barrier', whole: 3, loop: 2 },
  ],
  loop: {
    total: 662,
    conditional: 0,
    unrolled: 1,
    fmaPerSharedLoad: 4,
    sharedBytesPerFma: 2,
    globalBytesPerFma: 0.125,
    rows: [
      { kind: 'fma', compiled: 512, model: 512, why: '' },
      {
        kind: 'shared-load',
        compiled: 128,
        model: 256,
        why: 'The compiler merges adjacent accesses.',
      },
    ],
  },
  limits: ['The listing is truncated; instructions after the cut are not counted.'],
};

/** Facts about the compiled code of a kernel that was not generated. */
export const compiledOwn = ({
  sourceHash,
  entry,
}: NonNullable<Show['own']>): Extract<ToWebview, { type: 'compiled' }> => ({
  ...COMPILED,
  sourceHash,
  entry,
  registers: 32,
  accesses: {
    global: [
      { site: 'A[row * K + k], line 12', widthBytes: 4, cost: 16, ideal: 2 },
      { site: 'C[row * N + column], line 20', widthBytes: 4, cost: 4, ideal: 4 },
    ],
    shared: [{ site: 'As[k][row], line 15', widthBytes: 4, cost: 1, ideal: 1 }],
    notes: [
      {
        level: 'advice',
        text: 'A[row * K + k], line 12: uncoalesced load, 16 sectors per request (ideal 2).',
      },
    ],
  },
});

export const ILLEGAL = show({
  spec: {
    problem: { m: 256, n: 256, k: 256, a: { ld: 100 } },
    schedule: { algorithm: 'shared-tile', block: { m: 64, n: 64, k: 16 } },
  },
});

export function run(over: Partial<Measurement> = {}, spec: GemmSpec = SPEC): Measurement {
  const resolved = resolve(spec);
  const planned = plan(resolved, 'cuda');
  if (!planned.ok) throw new Error('The sample spec is not legal for CUDA.');
  return {
    specKey: specKey(resolved),
    kernelKey: 'nvcc 12.8 sm_90',
    sourceHash: sourceHashOf(emit(planned.plan)),
    resolved,
    backend: 'cuda',
    device: { name: 'NVIDIA H200', adapter: 'NVIDIA H200', driver: '570.86', where: 'cli' },
    outcome: 'correct',
    verification: {
      reference: 'f64, every element',
      maxError: 1.5e-5,
      bound: 4e-5,
      mismatches: 0,
      samples: 65_536,
    },
    ...over,
  };
}

export const WRONG_SPEC: GemmSpec = {
  problem: { m: 512, n: 512, k: 64 },
  schedule: {
    algorithm: 'warp-tile',
    block: { m: 64, n: 128, k: 8 },
    warp: { m: 32, n: 64 },
    thread: { m: 8, n: 8 },
    vector: 4,
  },
};

/**
 * Returns a measurement with an incorrect result in one warp of each block, for one column of
 * tiles.
 */
export function wrongRun(): Measurement {
  const { resolved } = run({}, WRONG_SPEC);
  if (resolved === null) throw new Error('The sample run has no spec.');
  const maker = mapMaker(resolved.problem, { m: 64, n: 128 });
  for (let row = 0; row < 512; row++)
    for (let column = 128; column < 256; column++)
      if (row % 64 >= 32 && column < 192)
        maker.element({ product: 0, row, column, actual: row / 7, expected: 1, old: null });
  const wrong = maker.map();
  const verification = { ...run().verification, mismatches: 16_384 };
  return run(
    {
      outcome: 'incorrect',
      verification: { ...verification, ...(wrong === undefined ? {} : { wrong }) },
    },
    WRONG_SPEC,
  );
}

export const timed = (medianMs: number, spec: GemmSpec = SPEC): Measurement => {
  const { m, n, k } = spec.problem;
  return run(
    {
      timing: {
        timer: 'cuda-events',
        quantumNs: 500,
        warmUp: 3,
        samples: 20,
        batch: 50,
        medianMs,
        iqrMs: medianMs / 50,
        minMs: medianMs * 0.98,
        errorPercent: 0.05,
        gflops: (2 * m * n * k) / medianMs / 1e6,
        cache: 'warm',
        inputs: 'uniform [-1, 1)',
      },
      baseline: { name: 'cuBLAS', medianMs: 0.012, gflops: 2796, ratio: 0.6, errorPercent: 0.1 },
      ceilings: { gflops: 51_000, bandwidthGBps: 4100, how: 'micro-benchmarks' },
    },
    spec,
  );
};

export function own(origin: 'edited' | 'hand-written'): NonNullable<Show['own']> {
  const { specKey: key } = run();
  return {
    name: `mine.${origin === 'edited' ? 'cu' : 'wgsl'}`,
    entry: 'sgemm_mine',
    origin,
    sourceHash: '5'.repeat(64),
    specKey: key,
    threads: 256,
    dynamicSharedBytes: 0,
    spec: SPEC,
  };
}
