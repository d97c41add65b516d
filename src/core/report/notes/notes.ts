/** Notes of an analysis. Each note states figures and, if possible, a fix. */
import { t } from '@vscode/l10n';
import { grouped, short } from '../../text/numbers';
import type { Device } from '../../hardware/devices';
import { numericsText } from '../../plan/numerics';
import type { Plan } from '../../plan/plan';
import { operandOf, type ResolvedOperand } from '../../spec/resolved';
import { SECTOR_BYTES } from '../../memory/requestCost';
import { limiterName } from '../../occupancy/limiterName';
import { tensorCoreNotes } from './tensorCoreNotes';
import { splitBytes } from '../../plan/traffic';

import { warpGroupNotes } from './wgmmaNotes';
import { balanceText } from '../../occupancy/waves';
import { widthNotes } from './widthNotes';
import type { GlobalAccess, SharedAccess } from '../../memory/access';
import type { Note } from '../../text/note';
import type { OccupancyReport, Waves } from '../../occupancy/report';

export interface NoteInput {
  readonly plan: Plan | null;
  readonly device: Device;
  readonly occupancy: OccupancyReport | null;
  readonly globalMemory: readonly GlobalAccess[];
  readonly sharedMemory: readonly SharedAccess[];
  readonly waves: Waves | null;
  readonly spillBytes: number;
}

const percent = (fraction: number): string => `${Math.round(fraction * 100)} %`;

export function notesOf(input: NoteInput): readonly Note[] {
  return [
    ...tensorCoreNotes(input.plan, input.device),
    ...occupancyNotes(input),
    ...input.globalMemory.flatMap(access => coalescingNote(access, input.plan)),
    ...widthNotes(input.plan),
    ...input.sharedMemory.flatMap(conflictNote),
    ...waveNotes(input),
    ...splitNotes(input.plan),
    ...numericsNotes(input.plan),
    ...matrixNotes(input.plan),
    ...warpGroupNotes(input.plan),
    ...(input.spillBytes > 0
      ? [
          {
            level: 'warning',
            text: t(
              'Register spills: {0} B of local-memory stores and loads per thread. Use a smaller thread tile or a lower minBlocksPerSm.',
              input.spillBytes,
            ),
          } as const,
        ]
      : []),
  ];
}

function occupancyNotes({ occupancy, plan }: NoteInput): readonly Note[] {
  if (occupancy === null) return [];
  const { blocksPerSm, heldPerSm, activeWarps, maxWarps, limiters, registers } = occupancy;
  const notes: Note[] = [];
  if (blocksPerSm === 0) {
    notes.push({
      level: 'warning',
      text: t(
        'The block exceeds the resources of an SM ({0}) and cannot be launched.',
        limiters.map(limiterName).join(', '),
      ),
    });
  } else {
    const counted = [activeWarps, maxWarps, percent(occupancy.occupancy)] as const;
    const names = limiters.map(limiterName).join(', ');
    const resident =
      heldPerSm > blocksPerSm
        ? t(
            '1 block per SM, {0} of {1} warps ({2}): a persistent kernel launches one block per SM, although {3} would fit.',
            ...counted,
            heldPerSm,
          )
        : blocksPerSm === 1
          ? t('1 block per SM, {0} of {1} warps ({2}), limited by {3}.', ...counted, names)
          : t(
              '{0} blocks per SM, {1} of {2} warps ({3}), limited by {4}.',
              blocksPerSm,
              ...counted,
              names,
            );
    const estimate = t('Register count is estimated ({0} per thread).', registers.value);
    notes.push({
      level: 'info',
      text: registers.from === 'compiler' ? resident : `${resident} ${estimate}`,
    });
  }
  if (plan !== null && plan.threads % 32 !== 0) {
    const idle = 32 - (plan.threads % 32);
    notes.push({
      level: 'advice',
      text: t(
        '{0} threads per block leave {1} lanes of the last warp idle. Use a multiple of 32.',
        plan.threads,
        idle,
      ),
    });
  }
  return notes;
}

function coalescingNote(access: GlobalAccess, plan: Plan | null): readonly Note[] {
  const { site, sectorsPerRequest, idealSectors, operand, op, laneStride } = access;
  const matrix =
    operand === 'workspace' || plan === null ? undefined : operandOf(plan.spec.problem, operand);
  // Accesses to adjacent narrow elements (such as bytes) are coalesced, but may start inside a
  // sector.
  if (laneStride === 1 || sectorsPerRequest <= 1.5 * idealSectors)
    return alignmentNote(access, matrix?.ld);
  const costs = [site, short(sectorsPerRequest), short(idealSectors)] as const;
  const counts =
    op === 'load'
      ? t('{0}: uncoalesced load, {1} sectors per request (ideal {2}).', ...costs)
      : t('{0}: uncoalesced store, {1} sectors per request (ideal {2}).', ...costs);
  const text = [counts, whyUncoalesced(access, matrix), remedyOf(access, plan)];
  return [{ level: 'advice', text: text.filter(sentence => sentence !== '').join(' ') }];
}

function whyUncoalesced(
  { operand, laneStride }: GlobalAccess,
  matrix: ResolvedOperand | undefined,
): string {
  const name = operand.toUpperCase();
  const major = matrix?.layout === 'col' ? t('column-major') : t('row-major');
  if (laneStride === null)
    return t('Consecutive lanes do not access consecutive elements of the {0} {1}.', major, name);
  return laneStride === matrix?.ld
    ? t('Consecutive lanes access the {0} {1} with a stride of one leading dimension.', major, name)
    : t(
        'Consecutive lanes access the {1} {2} with a stride of {0} elements.',
        laneStride,
        major,
        name,
      );
}

function remedyOf({ op }: GlobalAccess, plan: Plan | null): string {
  if (plan?.algorithm === 'naive' || plan?.spec.schedule.variant === 'transposed')
    return t(
      'Map threadIdx.x to the contiguous dimension (algorithm "coalesced" or variant "2d").',
    );
  return plan?.algorithm.startsWith('thread-tile') === true && op === 'store'
    ? t('Each thread stores its adjacent elements one at a time.')
    : '';
}

/**
 * Returns a note if rows start inside a sector, which costs an additional sector in some requests.
 */
function alignmentNote(access: GlobalAccess, ld: number | undefined): readonly Note[] {
  const { site, sectorsPerRequest, idealSectors, operand, op, widthBytes } = access;
  const multiple = SECTOR_BYTES / widthBytes;
  if (ld === undefined || ld % multiple === 0 || sectorsPerRequest <= 1.05 * idealSectors)
    return [];
  const costs = [site, short(sectorsPerRequest), short(idealSectors)] as const;
  const counts =
    op === 'load'
      ? t('{0}: {1} sectors per load request (ideal {2}).', ...costs)
      : t('{0}: {1} sectors per store request (ideal {2}).', ...costs);
  const why = t(
    'With ld{0} = {1}, rows are not aligned to 32-byte sectors; use a multiple of {2}.',
    operand,
    ld,
    multiple,
  );
  const text = `${counts} ${why}`;
  return [{ level: 'info', text }];
}

export const hasConflicts = ({ conflictsPerRequest }: SharedAccess): boolean =>
  conflictsPerRequest > 0.01;

export function conflictCounts(access: SharedAccess): { level: Note['level']; counts: string } {
  const { site, wavefrontsPerRequest, conflictsPerRequest, op } = access;
  const ideal = wavefrontsPerRequest - conflictsPerRequest;
  const level = wavefrontsPerRequest >= 2 * ideal ? 'advice' : 'info';
  const costs = [site, short(wavefrontsPerRequest), short(ideal)] as const;
  const counts =
    op === 'load'
      ? t(
          '{0}: shared-memory bank conflicts, {1} wavefronts per load request (ideal {2}).',
          ...costs,
        )
      : t(
          '{0}: shared-memory bank conflicts, {1} wavefronts per store request (ideal {2}).',
          ...costs,
        );
  return { level, counts };
}

function conflictNote(access: SharedAccess): readonly Note[] {
  const { operand, curingPadding } = access;
  if (!hasConflicts(access)) return unpairedNote(access);
  const { level, counts } = conflictCounts(access);
  const remedy =
    curingPadding === null
      ? t('Row padding cannot help: the conflicting lanes access the same row.')
      : t('Set padding.{0} = {1} to remove the conflicts.', operand, curingPadding);
  return [{ level, text: `${counts} ${remedy}` }];
}

/**
 * Returns a note on a load without bank conflicts that needs more wavefronts than necessary. Lanes
 * with equal addresses are not paired, so their reads are not merged.
 */
function unpairedNote(access: SharedAccess): readonly Note[] {
  const { site, wavefrontsPerRequest, idealWavefronts, widthBytes } = access;
  if (wavefrontsPerRequest <= idealWavefronts + 0.01) return [];
  const costs = [short(wavefrontsPerRequest), short(idealWavefronts), widthBytes] as const;
  const text = t(
    '{0}: no bank conflicts, but {1} wavefronts per load request ({3} B per lane). {2} wavefronts suffice if lanes i and i ^ 1 (or i ^ 2) read the same address.',
    site,
    ...costs,
  );
  return [{ level: 'info', text }];
}

/**
 * Returns a note on the accesses of subgroup matrices, which are not counted because the driver
 * implements them.
 */
const matrixNotes = (plan: Plan | null): readonly Note[] =>
  plan?.family !== 'subgroup-matrix'
    ? []
    : [
        {
          level: 'info',
          text: t(
            'The driver chooses how warps load and store matrices, so these accesses and their bank conflicts are not counted.',
          ),
        },
      ];

function splitNotes(plan: Plan | null): readonly Note[] {
  if (plan?.split === undefined) return [];
  const { slices, sliceK, reduction, pass } = plan.split;
  const cut = t('Split-K: {0} slices, K = {1} each.', slices, grouped(sliceK));
  const megabytes = short(splitBytes(plan) / 1e6);
  const cost =
    reduction === 'two-pass'
      ? t(
          '{0} MB of partial results are written and read back; a second kernel reduces them.',
          megabytes,
        )
      : t(
          'Atomic addition reads and writes C {0} times ({1} MB of extra traffic).',
          slices,
          megabytes,
        );
  const first =
    reduction === 'atomic' && pass !== undefined ? t('A pre-pass kernel initializes C.') : '';
  return [{ level: 'info', text: [cut, cost, first].filter(Boolean).join(' ') }];
}

const numericsNotes = (plan: Plan | null): readonly Note[] =>
  plan === null ? [] : [{ level: 'info', text: numericsText(plan) }];

const UNEVEN = 0.8;

function waveNotes({ waves, device }: NoteInput): readonly Note[] {
  if (waves === null || waves.balance.value >= UNEVEN) return [];
  const balance = waves.balance.value;
  const { multiprocessors } = device;
  const average = waves.tiles / multiprocessors;
  const text =
    waves.tiles < multiprocessors
      ? t(
          'Wave quantization: {0} blocks for {1} SMs; the load balance over SMs is {2}.',
          grouped(waves.tiles),
          grouped(multiprocessors),
          balanceText(balance),
        )
      : t(
          'Wave quantization: the busiest SM runs {0} blocks, and the average is {1}; the load balance over SMs is {2}.',
          grouped(average / balance),
          short(average),
          balanceText(balance),
        );
  return [{ level: 'info', text }];
}
