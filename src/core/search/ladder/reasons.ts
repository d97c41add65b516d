/** Explains why a rung is faster or slower than its baseline by comparing hardware demand. */
import { t } from '@vscode/l10n';
import { limiterName } from '../../occupancy/limiterName';
import { balanceText } from '../../occupancy/waves';
import { short } from '../../text/numbers';
import { change } from './change';
import type { Demand } from './demand';
import { globalBytes, globalSectors, sharedMemory, storedSectors } from './memoryReasons';
import { overlap, warpGroups } from './overlap';

export type ReasonKind =
  | 'peak'
  | 'global-sectors'
  | 'global-bytes'
  | 'stored-sectors'
  | 'shared-wavefronts'
  | 'shared-requests'
  | 'shared-memory'
  | 'occupancy'
  | 'overlap'
  | 'warp-groups'
  | 'barriers'
  | 'waves'
  | 'raster';

export interface Reason {
  readonly kind: ReasonKind;
  readonly effect: 'better' | 'worse' | 'neutral';
  /** Ratio of the larger to the smaller value; 1 for qualitative and neutral reasons. */
  readonly factor: number;
  readonly text: string;
  /** Name of the modeled device; set for memory figures if the measuring machine is unknown. */
  readonly model?: string;
}

/**
 * Explains the change between two rungs. Helpful reasons come first, then harmful and neutral
 * reasons, each by factor. Stores to C come last in their group because they execute once.
 * @param machine measuring machine. If it is unknown, memory figures are labeled with the name of
 * `model`, and device-specific figures are omitted
 */
export function reasonsBetween(
  before: Demand,
  after: Demand,
  machine: ReasonMachine = KNOWN,
): readonly Reason[] {
  const found = [
    ...peak(before, after),
    ...globalSectors(before, after),
    ...(machine.known ? [] : globalBytes(before, after)),
    ...storedSectors(before, after),
    ...sharedMemory(before, after),
    ...occupancyChange(before, after),
    ...overlap(before, after),
    ...warpGroups(before, after),
    ...barriers(before, after),
    ...waves(before, after),
    ...raster(before, after),
  ];
  const kept = machine.known
    ? found
    : found
        .filter(({ kind }) => !OF_DEVICE.includes(kind))
        .map(reason =>
          OF_NVIDIA.includes(reason.kind) ? { ...reason, model: machine.model } : reason,
        );
  return kept.toSorted(
    (one, other) =>
      EFFECTS.indexOf(one.effect) - EFFECTS.indexOf(other.effect) ||
      Number(one.kind === 'stored-sectors') - Number(other.kind === 'stored-sectors') ||
      other.factor - one.factor,
  );
}

export type ReasonMachine =
  { readonly known: true } | { readonly known: false; readonly model: string };
const KNOWN: ReasonMachine = { known: true };

const EFFECTS: readonly Reason['effect'][] = ['better', 'worse', 'neutral'];
/** Reasons with device-specific figures, which are omitted if the measuring machine is unknown. */
const OF_DEVICE: readonly ReasonKind[] = ['peak', 'occupancy', 'waves'];
/** Reasons with figures of NVIDIA's memory system: 32-byte sectors, 32 banks. */
const OF_NVIDIA: readonly ReasonKind[] = ['global-sectors', 'stored-sectors', 'shared-wavefronts'];

function peak(before: Demand, after: Demand): readonly Reason[] {
  const [was, is] = [before, after].map(({ analysis }) =>
    analysis.roofline.ceilings.find(({ kind }) => kind === 'compute'),
  );
  const changed = change(is?.value ?? 0, was?.value ?? 0);
  if (was === undefined || is === undefined || changed === null) return [];
  const text = t(
    'compute peak {0} → {1} {2} ({3})',
    short(was.value),
    short(is.value),
    is.unit,
    is.name,
  );
  return [{ kind: 'peak', ...changed, text }];
}

function occupancyChange(before: Demand, after: Demand): readonly Reason[] {
  const [was, is] = [before.analysis.occupancy, after.analysis.occupancy];
  if (was === null || is === null) return [];
  const changed = change(is.occupancy, was.occupancy);
  if (changed === null) return [];
  const limiters = is.limiters.map(limiterName).join(', ');
  const percent = (of: number): number => Math.round(100 * of);
  const text = t(
    'occupancy {0} → {1} % (limited by {2})',
    percent(was.occupancy),
    percent(is.occupancy),
    limiters,
  );
  return [{ kind: 'occupancy', ...changed, text }];
}

function barriers(before: Demand, after: Demand): readonly Reason[] {
  const changed = change(before.barriers, after.barriers);
  if (changed === null) return [];
  const text =
    changed.effect === 'better'
      ? t('{0}x fewer barriers ({1} per block)', short(changed.factor), after.barriers)
      : t('{0}x more barriers ({1} per block)', short(changed.factor), after.barriers);
  return [{ kind: 'barriers', ...changed, text }];
}

function waves(before: Demand, after: Demand): readonly Reason[] {
  const [was, is] = [before.analysis.waves, after.analysis.waves];
  if (was === null || is === null) return [];
  const changed = change(is.balance.value, was.balance.value);
  if (changed === null) return [];
  const [from, to] = [was, is].map(({ balance }) => balanceText(balance.value));
  const text = t('load balance over SMs {0} → {1} ({2} blocks)', from ?? '', to ?? '', is.tiles);
  return [{ kind: 'waves', ...changed, text }];
}

function raster(before: Demand, after: Demand): readonly Reason[] {
  const [was, is] = [before, after].map(
    ({ kernel }) => kernel.plan.spec.schedule.raster?.group ?? 1,
  );
  if (was === is || is === undefined || is === 1) return blockOrder(before, after);
  const text = t('concurrent blocks reuse rows and columns of tiles: raster groups of {0}', is);
  return [{ kind: 'raster', effect: 'better', factor: 1, text }];
}

function blockOrder(before: Demand, after: Demand): readonly Reason[] {
  const [was, is] = [before.kernel.plan, after.kernel.plan];
  if (was.gridMap === is.gridMap || was.algorithm !== is.algorithm) return [];
  const text =
    is.gridMap === 'x-rows'
      ? t('consecutive blocks compute tiles along a column of C, not along a row')
      : t('consecutive blocks compute tiles along a row of C, not along a column');
  return [{ kind: 'raster', effect: 'neutral', factor: 1, text }];
}
