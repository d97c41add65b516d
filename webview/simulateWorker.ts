/**
 * Worker that simulates a kernel, ranks schedules or traces a thread block, so that the page stays
 * responsive. Each task has its own worker.
 */
import { emit } from '../src/core/kernel/emit';
import { planSpec } from '../src/core/defaults/check';
import { createSimulateBackend } from '../src/core/simulate/backend';
import { resolve } from '../src/core/defaults/resolve';
import { rank, spaceOf } from '../src/core/search/rank/rank';
import type { ResolvedSchedule } from '../src/core/spec/resolved';
import { traceOf, traceSubject } from '../src/core/trace/traceSubject';
import { encodeTrace } from '../src/core/trace/traceWire';
import type { RankTask, SimulateTask, TraceTask, WorkerTask } from './pageWorker';
import type { RankReport } from './ranker';
import type { SimulateReport } from './simulator';
import type { TraceReport } from './tracer';

const REPORT_MS = 50;

const report = (message: SimulateReport | RankReport | TraceReport): void => {
  postMessage(message);
};

async function simulate({ spec, target, seed }: SimulateTask): Promise<void> {
  const planned = planSpec(spec, target);
  if (!planned.ok) throw new Error(planned.violations[0]?.message ?? 'The kernel is not legal.');
  let reported = performance.now();
  const backend = createSimulateBackend({
    now: () => performance.now(),
    pause: () => Promise.resolve(),
  });
  const measurement = await backend.run(
    { runnable: emit(planned.plan), mode: 'verify', seed },
    {
      // The page cancels a task by terminating the worker.
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

function rankSchedules({ spec, most }: RankTask): void {
  const resolved = resolve(spec);
  report({ type: 'ranked', ranking: rank(resolved, most, counted(spaceOf(resolved))) });
}

function* counted(schedules: Iterable<ResolvedSchedule>): Generator<ResolvedSchedule> {
  let reported = performance.now();
  let walked = 0;
  for (const schedule of schedules) {
    walked++;
    yield schedule;
    if (walked % 256 !== 0 || performance.now() - reported < REPORT_MS) continue;
    reported = performance.now();
    report({ type: 'walked', walked });
  }
}

function trace({ spec, target, removed }: TraceTask): void {
  const planned = planSpec(spec, target);
  if (!planned.ok) throw new Error(planned.violations[0]?.message ?? 'The kernel is not legal.');
  const subject = traceSubject(emit(planned.plan));
  if (!subject.ok) throw new Error(subject.why);
  let reported = performance.now();
  const traced = traceOf(subject.subject, removed, fraction => {
    if (performance.now() - reported < REPORT_MS) return;
    reported = performance.now();
    report({ type: 'traceProgress', fraction });
  });
  report({ type: 'traced', trace: encodeTrace(traced, subject.subject.kernel.ir) });
}

async function perform(task: WorkerTask): Promise<void> {
  if (task.type === 'simulate') await simulate(task);
  else if (task.type === 'trace') trace(task);
  else rankSchedules(task);
}

addEventListener('message', ({ data }: MessageEvent<WorkerTask>) => {
  perform(data).catch((error: unknown) => {
    report({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
  });
});
