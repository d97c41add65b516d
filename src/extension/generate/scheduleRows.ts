/**
 * Items of the schedule question in the wizard: the fastest known or predicted schedules first,
 * then all legal algorithms, simplest first.
 */
import { t } from '@vscode/l10n';
import { deviceOf, isDeviceId } from '../../core/hardware/devices';
import {
  algorithmStarts,
  fastestStarts,
  type FastestStart,
  type PartialSpec,
  type Start,
} from '../../core/search/starts';
import { scheduleFrom } from '../../core/defaults/dispatch/scheduleFrom';
import type { DispatchTable } from '../../core/defaults/dispatch/table';
import { rateText } from '../../core/text/numbers';
import { scheduleName } from '../../core/plan/specKey';
import { specKey } from '../../core/plan/specKey';
import type { Algorithm, Schedule, Target } from '../../core/spec/schema';
import { sizesLabel } from '../shared/sizes';

export interface ScheduleChoice {
  readonly schedule: Schedule;
  readonly legal: readonly Target[];
}

export interface ScheduleRow {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly value: ScheduleChoice;
}

export interface ScheduleRows {
  readonly fastest: readonly ScheduleRow[];
  readonly algorithms: readonly ScheduleRow[];
}

export interface RowOptions {
  /** False if CUDA kernels do not run here. Schedules legal in WGSL are then listed first. */
  readonly mayHaveCuda: boolean;
  readonly tables: readonly DispatchTable[] | undefined;
}

export function scheduleRows(open: PartialSpec, { mayHaveCuda, tables }: RowOptions): ScheduleRows {
  const words = algorithmWords();
  const starts = fastestStarts(open, tables);
  const [runsHere, others] = [true, false].map(runs =>
    starts.filter(({ legal }) => (mayHaveCuda || legal.includes('wgsl')) === runs),
  );
  return {
    fastest: [...(runsHere ?? []), ...(others ?? [])].map(start => fastestRow(open, start)),
    algorithms: algorithmStarts(open).map(({ algorithm, legal }) => ({
      label: algorithm,
      description: [words[algorithm], ...onlyText(legal)].join('; '),
      value: { schedule: { algorithm }, legal },
    })),
  };
}

function fastestRow({ problem }: PartialSpec, start: FastestStart): ScheduleRow {
  const { resolved, legal, found } = start;
  const name = isDeviceId(resolved.device) ? deviceOf(resolved.device).name : resolved.device;
  const size = `${sizesLabel(problem)} ${resolved.problem.a.dtype}`;
  const only = onlyText(legal);
  const why =
    start.algorithm === undefined
      ? scheduleFrom(false, found).text
      : t('Predicted by the time model: no measured problem is similar to this problem.');
  return {
    label: labelOf(start, scheduleName(specKey(resolved))),
    ...(only.length === 0 ? {} : { description: only.join() }),
    detail: t('{0} on {1}: {2}', size, name, why),
    value: { schedule: resolved.schedule, legal },
  };
}

/**
 * Returns a label with the rate before the schedule name, because narrow pickers truncate the end.
 */
function labelOf(start: FastestStart, schedule: string): string {
  const rank = rankText(start);
  const { rate } = start;
  if (rate === null) return t('{0}: {1}', rank, schedule);
  const text = rateText(rate.value);
  const rated = rate.from === 'measured' ? t('measured {0}', text) : t('predicted {0}', text);
  return t('{0} ({1}): {2}', rank, rated, schedule);
}

function rankText({ found, algorithm }: FastestStart): string {
  if (found !== null) return t('Fastest known');
  return algorithm === undefined ? t('Default') : t('Fastest predicted');
}

const onlyText = (legal: Start['legal']): readonly string[] =>
  legal.length > 1 ? [] : legal.includes('cuda') ? [t('CUDA only')] : [t('WGSL only')];

const algorithmWords = (): Readonly<Record<Algorithm, string>> => ({
  naive: t('one element of C per thread, uncoalesced accesses'),
  coalesced: t('one element of C per thread, coalesced accesses'),
  'shared-tile': t('tiles of A and B in shared memory, one element of C per thread'),
  'thread-tile-1d': t('tiles in shared memory, TM x 1 elements of C per thread'),
  'thread-tile-2d': t('tiles in shared memory, a TM x TN tile of C per thread'),
  'register-tile': t(
    'a TM x TN tile of C per thread, A and B loaded through the caches without shared memory',
  ),
  gemv: t('matrix-vector product: up to 4 rows of A, K split over the threads of a block'),
  vectorized: t('thread tiles with 128-bit accesses and A transposed in shared memory'),
  'warp-tile': t('block, warp and thread tiles'),
  pipelined: t('warp tiles; loads the next tile while computing the current tile'),
  layout: t('thread layouts over the block tile, as in CuTe'),
  mma: t('warp tiles on tensor cores; experimental feature in WGSL'),
  wgmma: t(
    'Hopper tensor cores: a producer warp group loads tiles with TMA, consumer warp groups issue wgmma',
  ),
});
