/** The simulate backend: a reference that needs no GPU, and a detector of races and bad accesses. */
import { kernelKey } from '../emit/emit';
import { generatedKernel } from '../emit/generatedKernel';
import { sourceHashOf } from '../emit/sourceHash';
import type { Backend, RunContext, RunRequest } from '../measure/backend';
import { NOT_VERIFIED, type Measurement, type Outcome } from '../measure/measurement';
import { fillMatrix, poisonMatrix } from '../verify/inputs';
import { verifyResult } from '../verify/verify';
import { execute } from './execute';
import type { Finding } from './memory';

/** Multiply-adds that simulate takes on: about ten seconds. */
export const SIMULATE_LIMIT = 2 ** 24;

/** Blocks between two looks at the abort signal and the event loop. */
const BLOCKS_BETWEEN_PAUSES = 16;

/** `pause` lets the caller's event loop run; called every few blocks. */
export function createSimulateBackend(pause: () => Promise<void>): Backend {
  return {
    id: 'simulate',
    probe: () => Promise.resolve({ available: true, device: DEVICE }),
    run: (request, context) => run(request, context, pause),
  };
}

export const simulateBackend: Backend = createSimulateBackend(() => Promise.resolve());

const DEVICE = {
  name: 'simulate',
  adapter: 'loop IR interpreter',
  driver: '',
  where: 'core',
} as const;

async function run(
  request: RunRequest,
  context: RunContext,
  pause: () => Promise<void>,
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
    device: DEVICE,
    outcome,
    verification: NOT_VERIFIED,
    ...rest,
  });
  if (request.mode === 'time') {
    return finish('constraint', {
      message: 'simulate verifies; it does not time. Use webgpu or cuda.',
    });
  }
  const kernel = generatedKernel(runnable);
  if (kernel === null) {
    const message =
      'simulate executes the loop IR of a generated kernel; this text was edited or written by hand.';
    return finish('constraint', { message });
  }
  const { m, n, k } = kernel.problem;
  if (m * n * k > SIMULATE_LIMIT) {
    const message = `${m} x ${n} x ${k} is more than simulate takes on (m n k <= ${SIMULATE_LIMIT}): choose smaller sizes.`;
    return finish('constraint', { message });
  }
  const { problem } = kernel;
  const c = problem.beta === 0 ? poisonMatrix(problem) : fillMatrix(problem, 'c', seed);
  const matrices = { a: fillMatrix(problem, 'a', seed), b: fillMatrix(problem, 'b', seed), c };
  let findings: readonly Finding[] = [];
  const blocks = kernel.grid.x * kernel.grid.y;
  let done = 0;
  for (findings of execute(kernel, matrices)) {
    done++;
    if (done % BLOCKS_BETWEEN_PAUSES !== 0) continue;
    context.progress({ stage: 'simulate', fraction: done / blocks });
    await pause();
    if (context.abort.aborted) return finish('cancelled', { message: 'Cancelled.' });
  }
  const [first] = findings;
  if (first !== undefined) {
    return finish('incorrect', { message: `${first.kind}: ${first.message}` });
  }
  const verification = verifyResult(problem, seed, c);
  return finish(verification.mismatches === 0 ? 'correct' : 'incorrect', { verification });
}
