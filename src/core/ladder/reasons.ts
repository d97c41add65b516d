/** Why a rung is faster or slower than the one before it: what it asks of the hardware, side by side. Pure. */
import { t } from '@vscode/l10n';
import type { SharedAccess } from '../analysis/analysis';
import { limiterName } from '../analysis/limiterName';
import { BANK_BYTES } from '../analysis/requestCost';
import { short } from '../language/numbers';
import type { Plan } from '../plan/plan';
import { globalLoad, shared, type Demand } from './demand';
import { overlap, warpGroups } from './overlap';

export type ReasonKind =
  | 'peak'
  | 'global-sectors'
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
  /** For the speed of the later rung. */
  readonly effect: 'better' | 'worse';
  /** How many times less (or more) is asked; 1 where it is no quantity. */
  readonly factor: number;
  readonly text: string;
}

/** Changes below this factor explain nothing. */
const LEAST = 1.05;

/** Largest first, those that help before those that do not. */
export function reasonsBetween(before: Demand, after: Demand): readonly Reason[] {
  const found = [
    ...peak(before, after),
    ...globalSectors(before, after),
    ...sharedMemory(before, after),
    ...occupancyChange(before, after),
    ...overlap(before, after),
    ...warpGroups(before, after),
    ...barriers(before, after),
    ...waves(before, after),
    ...raster(before, after),
  ];
  return found.toSorted(
    (one, other) => rank(other.effect) - rank(one.effect) || other.factor - one.factor,
  );
}

const rank = (effect: Reason['effect']): number => (effect === 'better' ? 1 : 0);

/** A quantity of which less is better; null where it hardly changes. */
function change(before: number, after: number): Pick<Reason, 'effect' | 'factor'> | null {
  if (!(before > 0 && after > 0)) return null;
  const factor = Math.max(before / after, after / before);
  return factor < LEAST ? null : { effect: after < before ? 'better' : 'worse', factor };
}

const withCauses = (text: string, causes: readonly string[]): string =>
  causes.length === 0 ? text : `${text} (${causes.join('; ')})`;

/** What the units that multiply reach at most. */
function peak(before: Demand, after: Demand): readonly Reason[] {
  const [was, is] = [before, after].map(({ analysis }) =>
    analysis.roofline.ceilings.find(({ kind }) => kind === 'compute'),
  );
  const changed = change(is?.value ?? 0, was?.value ?? 0);
  if (was === undefined || is === undefined || changed === null) return [];
  const text = t(
    '{0} → {1} {2} at most ({3})',
    short(was.value),
    short(is.value),
    is.unit,
    is.name,
  );
  return [{ kind: 'peak', ...changed, text }];
}

function globalSectors(before: Demand, after: Demand): readonly Reason[] {
  const changed = change(before.globalSectors, after.globalSectors);
  if (changed === null) return [];
  const text =
    changed.effect === 'better'
      ? t('sectors loaded from global memory {0}x down', short(changed.factor))
      : t('sectors loaded from global memory {0}x up', short(changed.factor));
  const causes = [...coalescing(before, after, changed.effect), ...tileCause(before, after)];
  return [{ kind: 'global-sectors', ...changed, text: withCauses(text, causes) }];
}

/** Sites whose requests touch more sectors than their bytes need, where that explains the change. */
const coalescing = (before: Demand, after: Demand, effect: Reason['effect']): readonly string[] =>
  (['a', 'b'] as const).flatMap(operand => {
    const [was, is] = [before, after].map(({ analysis }) => globalLoad(analysis, operand));
    if (was === undefined || is === undefined) return [];
    const [one, two] = [was, is].map(site => site.sectorsPerRequest / site.idealSectors);
    if (change(one ?? 1, two ?? 1)?.effect !== effect) return [];
    return was.widthBytes === is.widthBytes
      ? [
          t(
            '{0}: {1} → {2} sectors a request',
            ...[is.site, short(was.sectorsPerRequest), short(is.sectorsPerRequest)],
          ),
        ]
      : [t('{0}: {1} → {2} times the sectors it needs', is.site, short(one ?? 1), short(two ?? 1))];
  });

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

function sharedMemory(before: Demand, after: Demand): readonly Reason[] {
  if (!isStaged(after)) return [];
  if (!isStaged(before)) {
    const text = t('each element of a tile is loaded once, and read from shared memory');
    return [{ kind: 'shared-memory', effect: 'better', factor: 1, text }];
  }
  const waved = change(before.sharedWavefronts, after.sharedWavefronts);
  const asked = change(before.sharedRequests, after.sharedRequests);
  const wavefronts =
    waved?.effect === 'better'
      ? t('shared-memory wavefronts {0}x down', short(waved.factor))
      : t('shared-memory wavefronts {0}x up', short(waved?.factor ?? 1));
  const requests =
    asked?.effect === 'better'
      ? t('loads from shared memory {0}x down', short(asked.factor))
      : t('loads from shared memory {0}x up', short(asked?.factor ?? 1));
  const threads = readerCause(before.kernel.plan, after.kernel.plan);
  const conflicts = waved === null ? [] : conflictCauses(before, after, waved.effect);
  const widths = widthCause(before, after);
  return [
    ...(waved === null
      ? []
      : [
          {
            ...({ kind: 'shared-wavefronts', ...waved } as const),
            text: withCauses(wavefronts, [...threads, ...conflicts]),
          },
        ]),
    ...(asked === null
      ? []
      : [
          {
            ...({ kind: 'shared-requests', ...asked } as const),
            text: withCauses(requests, [...(waved === null ? threads : []), ...widths]),
          },
        ]),
  ];
}

const results = ({ thread }: Plan): string => `${thread.m} x ${thread.n}`;
const ofWarp = ({ matrix }: Plan): string => `${matrix?.warp.m} x ${matrix?.warp.n}`;

/** What reads fragments together: a thread, or a warp. */
function readerCause(was: Plan, is: Plan): readonly string[] {
  if (is.matrix === undefined)
    return results(was) === results(is)
      ? []
      : [t('{0} → {1} results a thread', results(was), results(is))];
  if (was.matrix === undefined) return [t('{0} results a warp', ofWarp(is))];
  return ofWarp(was) === ofWarp(is) ? [] : [t('{0} → {1} results a warp', ofWarp(was), ofWarp(is))];
}

const conflictCauses = (
  before: Demand,
  after: Demand,
  effect: Reason['effect'],
): readonly string[] =>
  (['a', 'b'] as const).flatMap(operand =>
    (['store', 'load'] as const).flatMap(op => {
      const [was, is] = [before, after].map(({ analysis }) => shared(analysis, operand, op));
      if (was === undefined || is === undefined) return [];
      const [one, two] = [ways(was), ways(is)];
      if (change(one, two)?.effect !== effect) return [];
      const name = is.site;
      return [
        two < LEAST
          ? t('{0} free of bank conflicts, was {1}-way', name, short(one))
          : t('{0}: bank conflicts {1} → {2}-way', name, short(one), short(two)),
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
  const [was, is] = [before, after].map(({ analysis }) => shared(analysis, 'b', 'load'));
  return was === undefined || is === undefined || was.widthBytes === is.widthBytes
    ? []
    : [t('{0} → {1} B an access', was.widthBytes, is.widthBytes)];
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
    ...[percent(was.occupancy), percent(is.occupancy), limiters],
  );
  return [{ kind: 'occupancy', ...changed, text }];
}

function barriers(before: Demand, after: Demand): readonly Reason[] {
  const changed = change(before.barriers, after.barriers);
  if (changed === null) return [];
  const text =
    changed.effect === 'better'
      ? t('barriers {0}x down ({1} a block)', short(changed.factor), after.barriers)
      : t('barriers {0}x up ({1} a block)', short(changed.factor), after.barriers);
  return [{ kind: 'barriers', ...changed, text }];
}

/** How evenly the tiles fill the GPU. */
function waves(before: Demand, after: Demand): readonly Reason[] {
  const [was, is] = [before.analysis.waves, after.analysis.waves];
  if (was === null || is === null) return [];
  const changed = change(is.efficiency, was.efficiency);
  if (changed === null) return [];
  const [from, to] = [short(100 * was.efficiency), short(100 * is.efficiency)];
  const text =
    is.tiles === 1
      ? t('waves {0} → {1} % full (1 tile, {2} blocks at once)', from, to, is.blocksPerWave)
      : t(
          'waves {0} → {1} % full ({2} tiles, {3} blocks at once)',
          ...[from, to, is.tiles, is.blocksPerWave],
        );
  return [{ kind: 'waves', ...changed, text }];
}

function raster(before: Demand, after: Demand): readonly Reason[] {
  const [was, is] = [before, after].map(
    ({ kernel }) => kernel.plan.spec.schedule.raster?.group ?? 1,
  );
  if (was === is || is === undefined || is === 1) return [];
  const text = t('blocks that run together share rows and columns of tiles: groups of {0}', is);
  return [{ kind: 'raster', effect: 'better', factor: 1, text }];
}
