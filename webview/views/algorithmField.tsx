/** Drop-down of the algorithm, in the form or in the head of a page without a form. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { withAlgorithm } from '../../src/core/defaults/withAlgorithm';
import { offeredAlgorithms } from '../fields';
import { SpecSelect, withCurrent, type FormProps } from './specField';

export function AlgorithmField(props: FormProps): VNode {
  const { algorithm } = props.derived.report.resolved.schedule;
  return (
    <SpecSelect
      {...props}
      path="schedule.algorithm"
      label={t('algorithm')}
      help={t('tile levels and staging of the tiles')}
      value={algorithm}
      choices={withCurrent(offeredAlgorithms, algorithm)}
      change={chosen => ({ schedule: scheduleOf(props, chosen) })}
    />
  );
}

/** Returns the schedule of another algorithm, with the tiles of the spec that are legal for it. */
function scheduleOf({ state: { spec } }: FormProps, chosen: string): unknown {
  const algorithm = offeredAlgorithms.find(name => name === chosen);
  return spec === null || algorithm === undefined
    ? { algorithm: chosen }
    : withAlgorithm(spec, algorithm);
}
