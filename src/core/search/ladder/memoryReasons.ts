/**
 * Explains changes of the memory demand: total sectors and wavefronts, and every site whose
 * requests changed.
 */
import { t } from '@vscode/l10n';
import type { GlobalAccess, SharedAccess } from '../../memory/access';
import { BANK_BYTES } from '../../memory/requestCost';
import { short } from '../../text/numbers';
import { matrixPlanIn } from '../../plan/family';
import type { MatrixPlan, Plan } from '../../plan/plan';
import { anyChange, change, MIN_FACTOR, times, withCauses, type Change } from './change';
import { globalSite, shared, type Demand } from './demand';
import type { Reason } from './reasons';

export function globalSectors(before: Demand, after: Demand): readonly Reason[] {
  const sites = (['a', 'b'] as const).flatMap(operand => sectorCause(before, after, operand));
  const found = totalOf(before.globalSectors, after.globalSectors, sites);
  if (found === null) return [];
  const text =
    found.effect === 'better'
      ? t('{0}x fewer sectors loaded from global memory', times(found.factor))
      : found.effect === 'worse'
        ? t('{0}x more sectors loaded from global memory', times(found.factor))
        : t('same number of sectors loaded from global memory');
  const causes = [...sites, ...tileCause(before, after)];
  return [{ kind: 'global-sectors', ...found, text: withCauses(text, causes) }];
}

export function storedSectors(before: Demand, after: Demand): readonly Reason[] {
  const sites = sectorCause(before, after, 'c');
  const found = totalOf(before.storedSectors, after.storedSectors, sites);
  if (found === null) return [];
  const text =
    found.effect === 'better'
      ? t('{0}x fewer sectors stored to C', times(found.factor))
      : found.effect === 'worse'
        ? t('{0}x more sectors stored to C', times(found.factor))
        : t('same number of sectors stored to C');
  return [{ kind: 'stored-sectors', ...found, text: withCauses(text, sites) }];
}

/** The bytes that threads load from global memory do not depend on the GPU. */
export function globalBytes(before: Demand, after: Demand): readonly Reason[] {
  const found = change(before.globalBytes, after.globalBytes);
  if (found === null) return [];
  const text =
    found.effect === 'better'
      ? t('{0}x fewer bytes loaded from global memory', times(found.factor))
      : t('{0}x more bytes loaded from global memory', times(found.factor));
  return [{ kind: 'global-bytes', ...found, text: withCauses(text, tileCause(before, after)) }];
}

/**
 * Returns null if a total is not positive, or if no site changed and the totals differ by less than
 * `MIN_FACTOR`.
 */
function totalOf(
  before: number,
  after: number,
  sites: readonly string[],
): Pick<Reason, 'effect' | 'factor'> | null {
  if (sites.length === 0) return change(before, after);
  if (!(before > 0 && after > 0)) return null;
  return anyChange(before, after) ?? { effect: 'neutral', factor: 1 };
}

/**
 * Compares sectors per request if the access widths are equal, otherwise the ratio of sectors to
 * ideal sectors.
 */
function sectorCause(before: Demand, after: Demand, operand: 'a' | 'b' | 'c'): readonly string[] {
  const [was, is] = [before, after].map(({ analysis }) =>
    globalSite(analysis, operand, operand === 'c' ? 'store' : 'load'),
  );
  if (was === undefined || is === undefined) return [];
  if (was.widthBytes === is.widthBytes) {
    return was.sectorsPerRequest === is.sectorsPerRequest
      ? []
      : [
          t(
            '{0}: {1} → {2} sectors per request',
            is.site,
            short(was.sectorsPerRequest),
            short(is.sectorsPerRequest),
          ),
        ];
  }
  const [one, two] = [excess(was), excess(is)];
  return change(one, two) === null
    ? []
    : [t('{0}: {1} → {2} times the ideal sectors', is.site, short(one), short(two))];
}

const excess = ({ sectorsPerRequest, idealSectors }: GlobalAccess): number =>
  sectorsPerRequest / idealSectors;

const isStaged = ({ kernel }: Demand): boolean => kernel.plan.shared !== undefined;

function tileCause(before: Demand, after: Demand): readonly string[] {
  const [was, is] = [before.kernel.plan, after.kernel.plan];
  if (!isStaged(after)) return [];
  const tile = `${is.tile.m} x ${is.tile.n}`;
  if (!isStaged(before)) return [t('threads of a block share a {0} tile', tile)];
  return was.tile.m === is.tile.m && was.tile.n === is.tile.n
    ? []
    : [t('tiles {0} → {1}', `${was.tile.m} x ${was.tile.n}`, tile)];
}

export function sharedMemory(before: Demand, after: Demand): readonly Reason[] {
  if (!isStaged(after)) return [];
  if (!isStaged(before)) {
    const text = t('each element of a tile is loaded once and reused from shared memory');
    return [{ kind: 'shared-memory', effect: 'better', factor: 1, text }];
  }
  const threads = readerCause(before.kernel.plan, after.kernel.plan);
  const sites = wavefrontCauses(before, after);
  const waved = totalOf(before.sharedWavefronts, after.sharedWavefronts, sites);
  const requestChange = change(before.sharedRequests, after.sharedRequests);
  return [
    ...(waved === null
      ? []
      : [
          {
            ...({ kind: 'shared-wavefronts', ...waved } as const),
            text: withCauses(wavefrontText(waved), [...threads, ...sites]),
          },
        ]),
    ...(requestChange === null
      ? []
      : [
          {
            ...({ kind: 'shared-requests', ...requestChange } as const),
            text: withCauses(requestText(requestChange), [
              ...(waved === null ? threads : []),
              ...widthCause(before, after),
            ]),
          },
        ]),
  ];
}

const wavefrontText = ({ effect, factor }: Pick<Reason, 'effect' | 'factor'>): string =>
  effect === 'better'
    ? t('{0}x fewer shared-memory wavefronts', times(factor))
    : effect === 'worse'
      ? t('{0}x more shared-memory wavefronts', times(factor))
      : t('same number of shared-memory wavefronts');

const requestText = ({ effect, factor }: Change): string =>
  effect === 'better'
    ? t('{0}x fewer shared-memory load instructions', times(factor))
    : t('{0}x more shared-memory load instructions', times(factor));

const results = ({ thread }: Plan): string => `${thread.m} x ${thread.n}`;
const warpTileText = ({ warp }: MatrixPlan): string => `${warp.m} x ${warp.n}`;

function readerCause(was: Plan, is: Plan): readonly string[] {
  const [before, after] = [matrixPlanIn(was), matrixPlanIn(is)];
  if (after === null)
    return results(was) === results(is)
      ? []
      : [t('{0} → {1} accumulators per thread', results(was), results(is))];
  if (before === null) return [t('{0} accumulators per warp', warpTileText(after))];
  return warpTileText(before) === warpTileText(after)
    ? []
    : [t('{0} → {1} accumulators per warp', warpTileText(before), warpTileText(after))];
}

/** Lists the sites whose bank-conflict degree or wavefronts per request changed. */
const wavefrontCauses = (before: Demand, after: Demand): readonly string[] =>
  (['a', 'b', 'c'] as const).flatMap(operand =>
    (['store', 'load'] as const).flatMap(op => {
      const [was, is] = [before, after].map(({ analysis }) => shared(analysis, operand, op));
      if (was === undefined || is === undefined) return [];
      const [one, two] = [conflictDegree(was), conflictDegree(is)];
      if (change(one, two) !== null) {
        return [
          two < MIN_FACTOR
            ? t('{0}: no bank conflicts, previously {1}-way', is.site, short(one))
            : t('{0}: bank conflicts {1} → {2}-way', is.site, short(one), short(two)),
        ];
      }
      return was.wavefrontsPerRequest === is.wavefrontsPerRequest
        ? []
        : [
            t(
              '{0}: {1} → {2} wavefronts per request',
              is.site,
              short(was.wavefrontsPerRequest),
              short(is.wavefrontsPerRequest),
            ),
          ];
    }),
  );

/**
 * Returns the bank-conflict degree, 1 without conflicts. The phases of a store follow from its
 * width because the wavefronts of asynchronous copies include an L1 pass.
 */
function conflictDegree(site: SharedAccess): number {
  const { op, widthBytes, wavefrontsPerRequest, conflictsPerRequest } = site;
  const phases =
    op === 'store'
      ? Math.max(1, widthBytes / BANK_BYTES)
      : wavefrontsPerRequest - conflictsPerRequest;
  return 1 + conflictsPerRequest / phases;
}

function widthCause(before: Demand, after: Demand): readonly string[] {
  return (['a', 'b'] as const).flatMap(operand => {
    const [was, is] = [before, after].map(({ analysis }) => shared(analysis, operand, 'load'));
    return was === undefined || is === undefined || was.widthBytes === is.widthBytes
      ? []
      : [t('{0}: {1} → {2} B per access', is.site, was.widthBytes, is.widthBytes)];
  });
}
