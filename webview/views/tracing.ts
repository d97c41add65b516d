/** The trace of a kernel, which a worker computes. */
import { useEffect, useState } from 'preact/hooks';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { BlockTrace } from '../../src/core/trace/blockTrace';
import { traceSubject, type TraceSubject } from '../../src/core/trace/traceSubject';
import { messageOf } from '../format';
import { traceInWorker } from '../tracer';

export interface Traced {
  readonly whole: Kernel;
  readonly subject: TraceSubject;
  readonly removed: number | null;
  readonly trace: BlockTrace;
}

export interface Tracing {
  /** Newest trace; null before the first trace. */
  readonly traced: Traced | null;
  /** Fraction of the trace that is being computed; null if none is. */
  readonly fraction: number | null;
  /** Reason why the kernel has no trace; null if it has one. */
  readonly why: string | null;
}

/** Traces the kernel without a barrier, or with all barriers if `removed` is null. */
export function useTrace(whole: Kernel, removed: number | null): Tracing {
  const [tracing, setTracing] = useState<Tracing>({ traced: null, fraction: 0, why: null });
  useEffect(() => {
    const found = traceSubject(whole);
    if (!found.ok) {
      setTracing({ traced: null, fraction: null, why: found.why });
      return undefined;
    }
    const { subject } = found;
    const abort = new AbortController();
    setTracing(({ traced }) => ({ traced, fraction: 0, why: null }));
    traceInWorker(whole, subject, {
      removed,
      abort: abort.signal,
      onProgress: fraction => {
        setTracing(known => ({ ...known, fraction }));
      },
    }).then(
      trace => {
        if (abort.signal.aborted) return;
        setTracing({ traced: { whole, subject, removed, trace }, fraction: null, why: null });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        setTracing({ traced: null, fraction: null, why: messageOf(error) });
      },
    );
    return () => {
      abort.abort();
    };
  }, [whole, removed]);
  return tracing;
}
