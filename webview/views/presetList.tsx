/** List of preset schedules with their rates. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { TARGET_NAMES } from '../ability';
import { describeChange } from '../changes';
import { formatRate } from '../format';
import { presetsOf, type Preset } from '../presets';
import { BestPredicted } from './bestPredicted';
import { PresetEntry } from './presetEntry';
import type { PresetsProps } from './presets';

export function PresetList({
  spec,
  resolved,
  target,
  runs,
  localRuns,
  webgpu,
  dispatch,
}: PresetsProps): VNode {
  const adapter = webgpu?.available === true ? webgpu.device : null;
  const presets = useMemo(
    () => presetsOf({ spec, resolved, target, adapter, runs: [...runs, ...localRuns] }),
    [spec, resolved, target, adapter, runs, localRuns],
  );
  return (
    <>
      <ul>
        {presets.map(preset => (
          <Row key={preset.id} preset={preset} target={target} dispatch={dispatch} />
        ))}
      </ul>
      <BestPredicted {...{ spec, resolved, target, runs, localRuns, webgpu, dispatch }} />
    </>
  );
}

interface RowProps extends Pick<PresetsProps, 'target' | 'dispatch'> {
  readonly preset: Preset;
}

function Row({ preset, target, dispatch }: RowProps): VNode {
  const { id, name, schedule, rate, inUse, illegal } = preset;
  return (
    <PresetEntry
      id={`preset-${id.replaceAll(/\W+/g, '-')}`}
      name={name}
      rate={rate}
      detail={
        illegal === null
          ? tilesBeside(name, preset)
          : t('Not applicable for {0}: {1}', TARGET_NAMES[target], illegal)
      }
      facts={factsOf(preset)}
      useLabel={t('Use {0}', name)}
      inUse={inUse}
      disabled={illegal !== null}
      onUse={() => {
        dispatch({ type: 'choose', changes: { schedule } });
      }}
    />
  );
}

/** Returns the tiles, without the algorithm if the name contains it. */
const tilesBeside = (name: string, { tiles, schedule: { algorithm } }: Preset): string =>
  algorithm !== undefined && name.includes(algorithm) ? tiles.replace(`${algorithm} `, '') : tiles;

/** Returns the whole name, which may be truncated, all rates, and the changes of the preset. */
const factsOf = ({ name, predicted, measured, also, changes }: Preset): readonly string[] => [
  name,
  ...(predicted === null ? [] : [t('predicted {0}', formatRate(predicted * 1000))]),
  ...(measured === null ? [] : [measured.replace(/\.$/, '')]),
  ...also.map(other =>
    other.measured === null
      ? t('Same schedule: {0}', other.name)
      : t('Same schedule: {0} ({1})', other.name, other.measured),
  ),
  ...(changes.length === 0 ? [] : [changes.map(describeChange).join(', ')]),
];
