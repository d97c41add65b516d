/** Predicts the times of all shapes, without a GPU. */
import type { Abort } from '../measure/backend';
import { deviceOf } from '../hardware/devices';
import { planShape, type PlanOptions } from './planned';
import { resultOf, type ShapeResult } from './result';
import type { Shape } from './shapes';
import type { AuditPlace } from './summary';

export interface PredictContext {
  readonly abort: Abort;
  /** Lets other tasks of the process run between two shapes. */
  readonly pause: () => Promise<void>;
  readonly onResult: (result: ShapeResult, done: number) => void;
}

export interface Predictions {
  readonly results: readonly ShapeResult[];
  readonly ended: 'predicted' | 'cancelled';
  readonly place: Omit<AuditPlace, 'file' | 'format'>;
}

export async function predictShapes(
  shapes: readonly Shape[],
  options: PlanOptions,
  { abort, pause, onResult }: PredictContext,
): Promise<Predictions> {
  const results: ShapeResult[] = [];
  for (const shape of shapes) {
    if (abort.aborted) break;
    const planned = planShape(shape, options);
    const result = resultOf(planned, null, { verdict: 'predicted', why: null });
    results.push(result);
    onResult(result, results.length);
    await pause();
  }
  const { name } = deviceOf(options.device);
  return {
    results,
    ended: abort.aborted ? 'cancelled' : 'predicted',
    place: { gpus: [name], driver: null, compiler: null, journal: null },
  };
}
