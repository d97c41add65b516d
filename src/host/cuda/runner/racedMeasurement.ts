/** Converts the result of one kernel in an interleaved benchmark to a Measurement. */
import type { BaselineId } from '../../../core/measure/backend';
import type { Measurement } from '../../../core/measure/measurement';
import type { Runnable } from '../../../core/kernel/kernel';
import { measurementOf, type Known } from './measured';
import type { RunnerResult } from './protocol';
import type { RaceAnswer, RaceBody } from './raceProtocol';

export interface RacedKernel {
  readonly runnable: Runnable;
  readonly seed: number;
  readonly cache: RaceBody['cache'];
  readonly baselines: readonly BaselineId[];
}

/**
 * Returns the Measurement of the kernel at `index`. Libraries that were dropped after the
 * qualifying rounds have no comparable time; the message names them.
 */
export function racedMeasurement(
  { runnable, seed, cache, baselines }: RacedKernel,
  answer: RaceAnswer,
  index: number,
  known: Known,
): Measurement {
  const contestant = answer.contestants[index];
  if (contestant === undefined) {
    const message = 'The CUDA runner returned no result of this kernel.';
    return known.report('launch-error', message, known.more);
  }
  const { outcome, message, verification, warmUp, batch, batchMs } = contestant;
  if (outcome === 'unavailable') return known.report(outcome, message, known.more);
  const isTimed = warmUp !== undefined && batch !== undefined && batchMs !== undefined;
  const { timing } = answer;
  const inTime = answer.baselines.filter(({ behind }) => behind !== true);
  const dropped = answer.baselines.filter(({ behind }) => behind === true);
  const result: RunnerResult = {
    type: 'result',
    outcome,
    message,
    ...(verification === undefined ? {} : { verification }),
    ...(isTimed && timing !== undefined
      ? { timing: { ...timing, cache, warmUp, batch, batchMs } }
      : {}),
    baselines: inTime,
    notes: answer.notes,
  };
  const droppedTexts = dropped.map(({ name }) => `Slower than the other library: ${name}.`);
  return measurementOf({ runnable, mode: 'time', seed, baselines }, result, {
    ...known,
    notes: [...known.notes, ...droppedTexts],
  });
}
