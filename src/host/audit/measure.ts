/** Measures the shapes of an audit within a time limit, each on the next free GPU. */
import { t } from '@vscode/l10n';
import { createBudget } from '../../core/audit/budget';
import { isPlanned, type PlannedShape, type UnplannedShape } from '../../core/audit/planned';
import { resultOf, type ShapeResult } from '../../core/audit/result';
import type { AuditEnded } from '../../core/audit/summary';
import type { Measurement } from '../../core/measure/measurement';
import type { OpenedGpu, OpenedGpus } from '../cuda/runner/gpus';
import { compileAhead } from './compileAhead';
import type { AuditJournal } from './journal';
import { raceShape } from './race';

export interface AuditProgress {
  readonly result: ShapeResult;
  /** Null for a shape without a kernel. */
  readonly measurement: Measurement | null;
  readonly done: number;
  readonly total: number;
  /** True if the result is from the journal. */
  readonly isKept: boolean;
}

export interface Subject {
  readonly all: readonly (PlannedShape | UnplannedShape)[];
  /** Shapes with a kernel, in the order of their measurement. */
  readonly ordered: readonly PlannedShape[];
  readonly opened: OpenedGpus;
  readonly journal: AuditJournal;
  readonly signal: AbortSignal;
}

export interface MeasureOptions {
  /** Maximum number of concurrent compilations. */
  readonly workers: number;
  /** End of the time limit on the clock of `performance.now()`. */
  readonly endsAt: number;
  readonly onResult: (progress: AuditProgress) => void;
}

export interface MeasuredShapes {
  readonly results: readonly ShapeResult[];
  readonly ended: AuditEnded;
  readonly notes: readonly string[];
}

export async function measureShapes(
  { all, ordered, opened, journal, signal }: Subject,
  { workers, endsAt, onResult }: MeasureOptions,
): Promise<MeasuredShapes> {
  const results = new Map<string, ShapeResult>();
  const add = (
    one: PlannedShape | UnplannedShape,
    measurement: Measurement | null,
    isKept = false,
  ): void => {
    const result = resultOf(one, measurement);
    results.set(result.key, result);
    onResult({ result, measurement, done: results.size, total: all.length, isKept });
  };
  for (const one of all) {
    const kept = isPlanned(one) ? journal.known.get(one.shape.key) : undefined;
    if (!isPlanned(one) || kept !== undefined) add(one, kept ?? null, kept !== undefined);
  }
  const queue = ordered.filter(({ shape }) => !results.has(shape.key));
  const compiling = compileAhead(queue, opened, { workers, signal });
  const budget = createBudget(opened.all.length);
  let ended: AuditEnded = 'done';
  const notes: string[] = [];
  let next = 0;

  /** Measures a shape. Returns why the audit ends, or `done` to continue. */
  const measure = async (one: PlannedShape, left: number, gpu: OpenedGpu): Promise<AuditEnded> => {
    const prepared = await compiling.of(one);
    if (signal.aborted) return 'cancelled';
    const began = performance.now();
    const batchMs = budget.batchFor(endsAt - began, left);
    if (batchMs === undefined) return 'out-of-time';
    const { program } = opened;
    const measurement = prepared.ok
      ? await raceShape(one, prepared.prepared, gpu, { program, batchMs })
      : prepared.measurement;
    if (measurement.outcome === 'cancelled') return 'cancelled';
    if (measurement.outcome === 'unavailable') {
      notes.push(measurement.message ?? t('The GPU stopped responding.'));
      return 'lost';
    }
    if (prepared.ok) budget.add(performance.now() - began, batchMs);
    const { uuid } = gpu.ready.device;
    await journal.keep({ key: one.shape.key, batchMs, gpu: uuid, measurement });
    add(one, measurement);
    return 'done';
  };
  const measureOn = async (gpu: OpenedGpu): Promise<void> => {
    while (ended === 'done' && next < queue.length) {
      const left = queue.length - next;
      const one = queue[next++];
      if (one === undefined) return;
      const why = await measure(one, left, gpu);
      if (why !== 'done') ended = why;
    }
  };
  try {
    await Promise.all(opened.all.map(measureOn));
  } finally {
    await compiling.end();
  }
  if (signal.aborted) ended = 'cancelled';
  const missing = all.filter(({ shape }) => !results.has(shape.key));
  return {
    results: [...results.values(), ...missing.map(one => resultOf(one, null))],
    ended,
    notes,
  };
}
