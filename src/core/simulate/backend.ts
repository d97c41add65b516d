/** The simulate backend: a reference without a GPU that detects races and invalid accesses. */
import { kernelKey } from '../kernel/emit';
import { recoverGenerated } from '../kernel/generatedKernel';
import type { Kernel } from '../kernel/kernel';
import { sourceHashOf } from '../text/hash';
import type { Backend, RunContext, RunRequest } from '../measure/backend';
import { MAX_FINDINGS, NOT_VERIFIED, type Measurement, type Outcome } from '../measure/measurement';
import { epilogueData, fillMatrix, poisonMatrix, tooLargeText } from '../verify/inputs';
import { checkedOf } from '../verify/bound';
import { verifyResult } from '../verify/verify';
import { mapTile } from '../verify/wrongMap';
import { blockCount, execute } from './execute';
import { MAX_EXECUTED_FMAS, SIMULATE_DEVICE, MAX_PROBLEM_FMAS } from './limit';
import type { Finding } from './memory';

/** Minimum number of milliseconds between yields: less than the duration of a frame. */
const SLICE_MS = 10;

export interface Pace {
  /** Returns the time in milliseconds since an arbitrary origin. */
  readonly now: () => number;
  readonly pause: () => Promise<void>;
}

/** Never yields, because its clock is constant. For callers without other work. */
const UNBROKEN: Pace = { now: () => 0, pause: () => Promise.resolve() };

export function createSimulateBackend(pace: Pace): Backend {
  return {
    id: 'simulate',
    probe: () => Promise.resolve({ available: true, device: SIMULATE_DEVICE }),
    run: (request, context) => run(request, context, pace),
  };
}

export const simulateBackend: Backend = createSimulateBackend(UNBROKEN);

async function run(
  request: RunRequest,
  context: RunContext,
  { now, pause }: Pace,
): Promise<Measurement> {
  const { runnable, seed } = request;
  const finish = (outcome: Outcome, rest: Partial<Measurement> = {}): Measurement => ({
    specKey: runnable.specKey,
    kernelKey: kernelKey({
      source: runnable.source,
      architecture: 'ir',
      compiler: 'simulate',
      flags: [],
    }),
    sourceHash: sourceHashOf(runnable),
    resolved: runnable.spec ?? null,
    backend: 'simulate',
    device: SIMULATE_DEVICE,
    outcome,
    verification: NOT_VERIFIED,
    ...rest,
  });
  if (request.mode === 'time') {
    return finish('constraint', {
      message: 'simulate does not measure times. Fix: use webgpu or cuda.',
    });
  }
  const kernel = recoverGenerated(runnable);
  if (kernel === null) {
    const message =
      'simulate executes the loop IR of a generated kernel, but this source was edited or hand-written. Fix: use the cpu backend, which executes the source and reports its lines.';
    return finish('constraint', { message });
  }
  const refusal = limitText(kernel);
  if (refusal !== undefined) return finish('constraint', { message: refusal });
  const { problem } = kernel;
  const c = problem.beta === 0 ? poisonMatrix(problem) : fillMatrix(problem, 'c', seed);
  const matrices = {
    a: fillMatrix(problem, 'a', seed),
    b: fillMatrix(problem, 'b', seed),
    c,
    epilogue: epilogueData(problem, seed),
  };
  let findings: readonly Finding[] = [];
  const blocks = blockCount(kernel);
  let resumed = now();
  for (const done of execute(kernel, matrices)) {
    ({ findings } = done);
    if (now() - resumed < SLICE_MS) continue;
    context.progress({ stage: 'simulate', fraction: done.blocks / blocks });
    await pause();
    if (context.abort.aborted) return finish('cancelled', { message: 'Cancelled.' });
    resumed = now();
  }
  const [first] = findings;
  if (first !== undefined) {
    const message = `${first.kind}: ${first.message}`;
    const result = findings
      .slice(0, MAX_FINDINGS)
      .map(({ kind, ...rest }) => ({ id: kind, ...rest }));
    return finish('incorrect', { message, findings: result });
  }
  const verification = verifyResult(checkedOf(kernel), seed, c, { tile: mapTile(kernel) });
  return finish(verification.mismatches === 0 ? 'correct' : 'incorrect', { verification });
}

function limitText({ problem, plan: { tile, grid } }: Kernel): string | undefined {
  const { m, n, k, batch } = problem;
  const smaller = 'Fix: choose a smaller problem.';
  if (m * n * k * batch > MAX_PROBLEM_FMAS) {
    return `${m} x ${n} x ${k} exceeds the limit of simulate (m n k batch <= ${MAX_PROBLEM_FMAS}). ${smaller}`;
  }
  const blocks = grid.x * grid.y * grid.z;
  const executed = blocks * tile.m * tile.n * k;
  if (executed > MAX_EXECUTED_FMAS) {
    return `${blocks} blocks of ${tile.m} x ${tile.n} over K = ${k} execute ${executed} FMAs, including those outside the matrices; the limit of simulate is ${MAX_EXECUTED_FMAS}. Fix: choose smaller tiles or a smaller problem.`;
  }
  return tooLargeText(problem);
}
