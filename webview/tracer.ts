/** Traces a thread block in a worker, because a large tile takes seconds. */
import * as v from 'valibot';
import { toSpec } from '../src/core/spec/toSpec';
import type { Kernel } from '../src/core/kernel/kernel';
import type { BlockTrace } from '../src/core/trace/blockTrace';
import type { TraceSubject } from '../src/core/trace/traceSubject';
import { decodeTrace, type WireTrace } from '../src/core/trace/traceWire';
import { performInWorker } from './pageWorker';

const isTrace = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'steps' in value && 'accumulators' in value;

const reportSchema = v.variant('type', [
  v.object({ type: v.literal('traceProgress'), fraction: v.number() }),
  v.object({ type: v.literal('traced'), trace: v.custom<WireTrace>(isTrace) }),
  v.object({ type: v.literal('failed'), message: v.string() }),
]);
export type TraceReport = v.InferOutput<typeof reportSchema>;

export interface TraceOptions {
  /** Position of the barrier that is left out; null for none. */
  readonly removed: number | null;
  readonly abort: AbortSignal;
  readonly onProgress: (fraction: number) => void;
}

/**
 * Traces the block of `subject`, the shortened kernel of `whole`. Rejects if the worker cannot be
 * started, or the signal is aborted.
 */
export const traceInWorker = (
  whole: Kernel,
  { kernel }: TraceSubject,
  { removed, abort, onProgress }: TraceOptions,
): Promise<BlockTrace> =>
  performInWorker<BlockTrace>(
    { type: 'trace', spec: toSpec(whole.spec), target: whole.target, removed },
    {
      name: 'the trace worker',
      abort,
      receive: (data, { resolve, reject }) => {
        const report = v.parse(reportSchema, data);
        if (report.type === 'traced') resolve(decodeTrace(report.trace, kernel.ir));
        else if (report.type === 'failed') reject(new Error(report.message));
        else onProgress(report.fraction);
      },
    },
  );
