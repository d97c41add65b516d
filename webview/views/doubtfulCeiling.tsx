/**
 * Warning for a run above its machine's measured ceiling, with a button to remeasure the ceilings.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { Roofline } from '../../src/core/roofline/contract';
import { doubtfulCeiling } from '../../src/core/roofline/doubtfulCeiling';
import { machineOf } from '../../src/core/roofline/roofline';
import type { BackendId, Measurement } from '../../src/core/measure/measurement';
import { formatRate } from '../format';
import { Button } from '../kit';

export interface DoubtfulCeilingProps {
  readonly roofline: Roofline;
  readonly runs: readonly Measurement[];
  readonly onMeasureAgain: ((backend: BackendId) => void) | undefined;
}

export function DoubtfulCeiling(props: DoubtfulCeilingProps): VNode | null {
  const { roofline, runs, onMeasureAgain } = props;
  const doubt = doubtfulCeiling(roofline);
  if (doubt === undefined) return null;
  const { ceiling, point } = doubt;
  const backend = runs.findLast(run => machineOf(run) === point.machine)?.backend;
  return (
    <div class="doubt" role="note">
      <p>
        {t(
          'The ceiling “{0}” ({1}) is doubtful: a run on this machine reached {2}. The GPU may have been busy, or its clock lower, during the ceiling measurement.',
          ceiling.name,
          formatRate(ceiling.value * 1000),
          formatRate(point.tflops * 1000),
        )}
      </p>
      {backend === undefined || onMeasureAgain === undefined ? null : (
        <Button
          onPress={() => {
            onMeasureAgain(backend);
          }}
        >
          {t('Benchmark and remeasure ceilings')}
        </Button>
      )}
    </div>
  );
}
