/** Schedules of this problem ranked by the time model, each with a button to use it. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { deviceOf, isDeviceId } from '../../src/core/hardware/devices';
import { grouped, type RankedGroup } from '../../src/core/search/rank/nearDuplicates';
import { calibrationFor } from '../../src/core/model/calibration';
import type { Ranking, Unranked } from '../../src/core/search/rank/rank';
import { resolve } from '../../src/core/defaults/resolve';
import { scheduleName, specKey } from '../../src/core/plan/specKey';
import { changesBetween, describeChange } from '../changes';
import { formatNumber, messageOf } from '../format';
import { Button } from '../kit';
import { rankInWorker } from '../ranker';
import { isOfNote, similarText } from '../similarSchedules';
import { PresetEntry } from './presetEntry';
import type { PresetsProps } from './presets';

const SHOWN = 12;
/**
 * Number of top-ranked candidates to keep, so that SHOWN remain after near duplicates are merged.
 */
const MAX_RANKED = 384;

type Progress =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly walked: number }
  | { readonly state: 'failed'; readonly why: string }
  | { readonly state: 'done'; readonly ranking: Ranking | Unranked };

const IDLE: Progress = { state: 'idle' };

export function BestPredicted({ spec, resolved, target, dispatch }: PresetsProps): VNode {
  const [progress, setProgress] = useState<Progress>(IDLE);
  const running = useRef<AbortController | null>(null);
  const { problem, device } = resolved;
  const subject = JSON.stringify([problem, device, target]);
  const stop = (): void => {
    running.current?.abort();
    running.current = null;
    setProgress(IDLE);
  };
  // Stop the ranking and discard its result when the problem, device or target changes.
  useEffect(() => stop, [subject]);
  const start = (): void => {
    const abort = new AbortController();
    running.current = abort;
    const isOld = (): boolean => abort.signal.aborted;
    setProgress({ state: 'running', walked: 0 });
    rankInWorker(spec, {
      most: MAX_RANKED,
      abort: abort.signal,
      onWalked: walked => {
        if (!isOld()) setProgress({ state: 'running', walked });
      },
    }).then(
      ranking => {
        if (!isOld()) setProgress({ state: 'done', ranking });
      },
      (error: unknown) => {
        if (!isOld()) setProgress({ state: 'failed', why: messageOf(error) });
      },
    );
  };
  return (
    <div class="model-best" role="group" aria-label={t('Best predicted schedules')}>
      <p>
        <b>{t('Best predicted schedules')}</b>{' '}
        {t('CUDA schedules for this problem, ranked by the time model without compiling')}
      </p>
      {target === 'wgsl' ? (
        <p class="hint">
          {t('The time model covers CUDA only. Fix: show CUDA to rank CUDA schedules.')}
        </p>
      ) : progress.state === 'running' ? (
        <div class="ranking">
          <p role="status">
            {t('Ranking: {0} schedules evaluated', formatNumber(progress.walked))}
          </p>
          <Button onPress={stop}>{t('Cancel')}</Button>
        </div>
      ) : (
        <Button onPress={start}>
          {progress.state === 'done' ? t('Rank again') : t('Rank all schedules')}
        </Button>
      )}
      {progress.state === 'failed' ? <p role="alert">{progress.why}</p> : null}
      {progress.state === 'done' ? (
        <Best ranking={progress.ranking} {...{ spec, resolved, dispatch }} />
      ) : null}
    </div>
  );
}

interface BestProps extends Pick<PresetsProps, 'spec' | 'resolved' | 'dispatch'> {
  readonly ranking: Ranking | Unranked;
}

function Best({ ranking, spec, resolved, dispatch }: BestProps): VNode {
  const groups = useMemo(() => ('why' in ranking ? [] : grouped(ranking.best, SHOWN)), [ranking]);
  const { device, problem } = resolved;
  const name = isDeviceId(device) ? deviceOf(device).name : device;
  if ('why' in ranking) {
    return (
      <p class="hint">
        {ranking.why === 'device'
          ? t('No occupancy rules are published for {0}. Fix: choose an NVIDIA device.', name)
          : t('No {0} peak rate is known for {1}.', problem.accumulator, name)}
      </p>
    );
  }
  const fitted = isDeviceId(device) ? calibrationFor(device)?.device : undefined;
  return (
    <>
      <p role="status" class="hint">
        {t(
          '{0} of {1} schedules are legal and fit an SM. Near duplicates are merged. Register counts are estimated: compile and benchmark the top schedules.',
          formatNumber(ranking.scored),
          formatNumber(ranking.planned),
        )}{' '}
        {fitted === undefined || fitted === device
          ? ''
          : t('The model is calibrated on a different device ({0}).', fitted)}
      </p>
      <ol>
        {groups.map((group, index) => (
          <Row key={index} {...{ group, index, spec, resolved, dispatch }} />
        ))}
      </ol>
    </>
  );
}

interface RowProps extends Omit<BestProps, 'ranking'> {
  readonly group: RankedGroup;
  readonly index: number;
}

function Row({ group, index, spec, resolved, dispatch }: RowProps): VNode {
  const { schedule, tflops, blocksPerSm } = group;
  const own = resolve({ ...spec, schedule });
  const changes = changesBetween(resolved, own).filter(isOfNote);
  return (
    <PresetEntry
      id={`best-${index}`}
      name={t('{0}. {1} blocks/SM', index + 1, blocksPerSm)}
      rate={{ gflops: tflops * 1000, from: 'derived' }}
      detail={scheduleName(specKey(own))}
      facts={[
        scheduleName(specKey(own)),
        ...(changes.length === 0 ? [] : [changes.map(describeChange).join(', ')]),
        ...similarText(group, spec),
      ]}
      useLabel={t('Use predicted schedule {0}', index + 1)}
      inUse={changes.length === 0}
      onUse={() => {
        dispatch({ type: 'choose', changes: { schedule } });
      }}
    />
  );
}
