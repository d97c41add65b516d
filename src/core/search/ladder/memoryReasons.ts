/** Reasons from memory: totals of sectors and wavefronts, with every site of which a request changed. */
import { t } from '@vscode/l10n';
import type { GlobalAccess, SharedAccess } from '../../memory/access';
import { BANK_BYTES } from '../../memory/requestCost';
import { short } from '../../text/numbers';
import { matrixPlanIn } from '../../plan/family';
import type { MatrixPlan, Plan } from '../../plan/plan';
import { anyChange, change, LEAST, times, withCauses, type Change } from './change';
import { globalSite, shared, type Demand } from './demand';
import type { Reason } from './reasons';

export function globalSectors(before: Demand, after: Demand): readonly Reason[] {
  const sites = (['a', 'b'] as const).flatMap(operand => sectorCause(before, after, operand));
  const found = totalOf(before.globalSectors, after.globalSectors, sites);
  if (found === null) return [];
  const text =
    found.effect === 'better'
      ? t('sectors loaded from global memory {0}x down', times(found.factor))
      : found.effect === 'worse'
        ? t('sectors loaded from global memory {0}x up', times(found.factor))
        : t('as many sectors loaded from global memory');
  const causes = [...sites, ...tileCause(before, after)];
  return [{ kind: 'global-sectors', ...found, text: withCauses(text, causes) }];
}

/** C is stored once, however long K is. */
export function storedSectors(before: Demand, after: Demand): readonly Reason[] {
  const sites = sectorCause(before, after, 'c');
  const found = totalOf(before.storedSectors, after.storedSectors, sites);
  if (found === null) return [];
  const text =
    found.effect === 'better'
      ? t('sectors stored to C {0}x down', times(found.factor))
      : found.effect === 'worse'
        ? t('sectors stored to C {0}x up', times(found.factor))
        : t('as many sectors stored to C');
  return [{ kind: 'stored-sectors', ...found, text: withCauses(text, sites) }];
}

/** What holds on any machine: bytes that threads load. */
export function globalBytes(before: Demand, after: Demand): readonly Reason[] {
  const found = change(before.globalBytes, after.globalBytes);
  if (found === null) return [];
  const text =
    found.effect === 'better'
      ? t('bytes loaded from global memory {0}x down', times(found.factor))
      : t('bytes loaded from global memory {0}x up', times(found.factor));
  return [{ kind: 'global-bytes', ...found, text: withCauses(text, tileCause(before, after)) }];
}

/** A total that changed, or of which a site did; null where neither is so. */
function totalOf(
  before: number,
  after: number,
  sites: readonly string[],
): Pick<Reason, 'effect' | 'factor'> | null {
  if (sites.length === 0) return change(before, after);
  if (!(before > 0 && after > 0)) return null;
  return anyChange(before, after) ?? { effect: 'neutral', factor: 1 };
}

/** A site whose requests touch more or fewer sectors than those of the rung before. */
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
    : [t('{0}: {1} → {2} times the sectors it needs', is.site, short(one), short(two))];
}

const excess = ({ sectorsPerRequest, idealSectors }: GlobalAccess): number =>
  sectorsPerRequest / idealSectors;

const isStaged = ({ kernel }: Demand): boolean => kernel.plan.shared !== undefined;

function tileCause(before: Demand, after: Demand): readonly string[] {
  const [was, is] = [before.kernel.plan, after.kernel.plan];
  if (!isStaged(after)) return [];
  const tile = `${is.tile.m} x ${is.tile.n}`;
  if (!isStaged(before)) return [t('a block shares tiles of {0}', tile)];
  return was.tile.m === is.tile.m && was.tile.n === is.tile.n
    ? []
    : [t('tiles {0} → {1}', `${was.tile.m} x ${was.tile.n}`, tile)];
}

export function sharedMemory(before: Demand, after: Demand): readonly Reason[] {
  if (!isStaged(after)) return [];
  if (!isStaged(before)) {
    const text = t('each element of a tile is loaded once, and read from shared memory');
    return [{ kind: 'shared-memory', effect: 'better', factor: 1, text }];
  }
  const threads = readerCause(before.kernel.plan, after.kernel.plan);
  const sites = wavefrontCauses(before, after);
  const waved = totalOf(before.sharedWavefronts, after.sharedWavefronts, sites);
  const asked = change(before.sharedRequests, after.sharedRequests);
  return [
    ...(waved === null
      ? []
      : [
          {
            ...({ kind: 'shared-wavefronts', ...waved } as const),
            text: withCauses(wavefrontText(waved), [...threads, ...sites]),
          },
        ]),
    ...(asked === null
      ? []
      : [
          {
            ...({ kind: 'shared-requests', ...asked } as const),
            text: withCauses(requestText(asked), [
              ...(waved === null ? threads : []),
              ...widthCause(before, after),
            ]),
          },
        ]),
  ];
}

const wavefrontText = ({ effect, factor }: Pick<Reason, 'effect' | 'factor'>): string =>
  effect === 'better'
    ? t('shared-memory wavefronts {0}x down', times(factor))
    : effect === 'worse'
      ? t('shared-memory wavefronts {0}x up', times(factor))
      : t('as many shared-memory wavefronts');

const requestText = ({ effect, factor }: Change): string =>
  effect === 'better'
    ? t('loads from shared memory {0}x down', times(factor))
    : t('loads from shared memory {0}x up', times(factor));

const results = ({ thread }: Plan): string => `${thread.m} x ${thread.n}`;
const ofWarp = ({ warp }: MatrixPlan): string => `${warp.m} x ${warp.n}`;

/** What reads fragments together: a thread, or a warp. */
function readerCause(was: Plan, is: Plan): readonly string[] {
  const [before, after] = [matrixPlanIn(was), matrixPlanIn(is)];
  if (after === null)
    return results(was) === results(is)
      ? []
      : [t('{0} → {1} results a thread', results(was), results(is))];
  if (before === null) return [t('{0} results a warp', ofWarp(after))];
  return ofWarp(before) === ofWarp(after)
    ? []
    : [t('{0} → {1} results a warp', ofWarp(before), ofWarp(after))];
}

/** Every site of which a request takes more or fewer wavefronts, whichever way the total goes. */
const wavefrontCauses = (before: Demand, after: Demand): readonly string[] =>
  (['a', 'b', 'c'] as const).flatMap(operand =>
    (['store', 'load'] as const).flatMap(op => {
      const [was, is] = [before, after].map(({ analysis }) => shared(analysis, operand, op));
      if (was === undefined || is === undefined) return [];
      const [one, two] = [ways(was), ways(is)];
      if (change(one, two) !== null) {
        return [
          two < LEAST
            ? t('{0} free of bank conflicts, was {1}-way', is.site, short(one))
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

/** Words of a bank that a phase of a request asks for: a copy's pass through L1 is none. */
function ways(site: SharedAccess): number {
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
