/** Runs Simulate in a worker, which is terminated on cancellation. */
import * as v from 'valibot';
import { sourceHashOf } from '../src/core/text/hash';
import type { RunContext, RunRequest } from '../src/core/measure/backend';
import { measurementSchema, NOT_VERIFIED, type Measurement } from '../src/core/measure/measurement';
import { SIMULATE_DEVICE } from '../src/core/simulate/limit';
import { toSpec } from '../src/core/spec/toSpec';
import { performInWorker, type SimulateTask } from './pageWorker';

const reportSchema = v.variant('type', [
  v.object({ type: v.literal('progress'), stage: v.string(), fraction: v.optional(v.number()) }),
  v.object({ type: v.literal('measured'), measurement: measurementSchema }),
  v.object({ type: v.literal('failed'), message: v.string() }),
]);
export type SimulateReport = v.InferOutput<typeof reportSchema>;

export type Run = (request: RunRequest, context: RunContext) => Promise<Measurement>;

/**
 * Simulates a generated kernel, and rejects other kernels. Cancellation resolves with the outcome
 * `cancelled`.
 */
export const simulateInWorker: Run = async ({ runnable, seed }, { abort, progress }) => {
  const { spec, target } = runnable;
  if (spec === undefined) throw new Error('Simulate runs generated kernels only.');
  const cancelled: Measurement = {
    specKey: runnable.specKey,
    kernelKey: '',
    sourceHash: sourceHashOf(runnable),
    resolved: spec,
    backend: 'simulate',
    device: SIMULATE_DEVICE,
    outcome: 'cancelled',
    message: 'Cancelled.',
    verification: NOT_VERIFIED,
  };
  const task: SimulateTask = { type: 'simulate', spec: toSpec(spec), target, seed };
  try {
    return await performInWorker<Measurement>(task, {
      name: 'the Simulate worker',
      abort,
      receive: (data, { resolve, reject }) => {
        const report = v.parse(reportSchema, data);
        if (report.type === 'measured') resolve(report.measurement);
        else if (report.type === 'failed') reject(new Error(report.message));
        else {
          const { stage, fraction } = report;
          progress({ stage, ...(fraction === undefined ? {} : { fraction }) });
        }
      },
    });
  } catch (error) {
    if (abort.aborted) return cancelled;
    throw error;
  }
};
