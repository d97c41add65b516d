/** Simulates one kernel apart from the page, which stays free to answer: a worker of its own, ended with it. */
import { emit } from '../src/core/emit/emit';
import { plan } from '../src/core/plan/planner';
import { createSimulateBackend } from '../src/core/simulate/backend';
import { resolve } from '../src/core/spec/resolve';
import type { SimulateReport, SimulateTask } from './simulator';

/** More often than this nobody reads how far it is. */
const REPORT_MS = 50;

const report = (message: SimulateReport): void => {
  postMessage(message);
};

async function simulate({ spec, target, seed }: SimulateTask): Promise<void> {
  const planned = plan(resolve(spec), target);
  if (!planned.ok) throw new Error(planned.violations[0]?.message ?? 'The kernel is not legal.');
  let reported = performance.now();
  const backend = createSimulateBackend({
    now: () => performance.now(),
    pause: () => Promise.resolve(),
  });
  const measurement = await backend.run(
    { runnable: emit(planned.plan), mode: 'verify', seed },
    {
      // Ending the worker is what cancels it.
      abort: new AbortController().signal,
      progress: ({ stage, fraction }) => {
        if (performance.now() - reported < REPORT_MS) return;
        reported = performance.now();
        report({ type: 'progress', stage, ...(fraction === undefined ? {} : { fraction }) });
      },
    },
  );
  report({ type: 'measured', measurement });
}

addEventListener('message', ({ data }: MessageEvent<SimulateTask>) => {
  simulate(data).catch((error: unknown) => {
    report({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
  });
});
