/** List of preset schedules with their rates. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { TARGET_NAMES } from '../ability';
import { describeChange } from '../changes';
import { formatRate } from '../format';
import { Button } from '../kit';
import { presetsOf, type Preset } from '../presets';
import { BestPredicted } from './bestPredicted';
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

/** The changes of a preset are its tooltip and the description of its button. */
function Row({ preset, target, dispatch }: RowProps): VNode {
  const { id, name, schedule, also, inUse, changes, illegal, tiles } = preset;
  const descriptionId = `preset-${id.replaceAll(/\W+/g, '-')}`;
  const changesText = changes.map(describeChange).join(', ');
  return (
    <li title={changesText}>
      <div id={descriptionId}>
        <p>{name}</p>
        <p class="hint">{[tiles, ...ratesOf(preset)].join('; ')}</p>
        {also.map(other => (
          <p class="hint" key={other.name}>
            {other.measured === null
              ? t('Same schedule: {0}', other.name)
              : t('Same schedule: {0} ({1})', other.name, other.measured)}
          </p>
        ))}
        <p class="visually-hidden">{changesText}</p>
        {illegal === null ? null : (
          <p class="hint">{t('Not applicable for {0}: {1}', TARGET_NAMES[target], illegal)}</p>
        )}
      </div>
      {inUse ? (
        <span class="in-use">{t('in use')}</span>
      ) : (
        <Button
          label={t('Use {0}', name)}
          describedBy={descriptionId}
          disabled={illegal !== null}
          onPress={() => {
            dispatch({ type: 'choose', changes: { schedule } });
          }}
        >
          {t('Use')}
        </Button>
      )}
    </li>
  );
}

const ratesOf = ({ predicted, measured }: Preset): readonly string[] => [
  ...(predicted === null ? [] : [t('predicted {0}', formatRate(predicted * 1000))]),
  ...(measured === null ? [] : [measured]),
];
