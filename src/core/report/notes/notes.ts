/** What an analysis says in words: each note names its numbers and what to do. */
import { t } from '@vscode/l10n';
import { grouped, short } from '../../text/numbers';
import type { Device } from '../../hardware/devices';
import type { Plan } from '../../plan/plan';
import type { ResolvedOperand } from '../../spec/resolved';
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
    ...matrixNotes(input.plan),
    ...warpGroupNotes(input.plan),
    ...(input.spillBytes > 0
      ? [
          {
            level: 'warning',
            text: t(
              'The compiler spills {0} B a thread to local memory: use a smaller thread tile or fewer minimum blocks per SM.',
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
        'The block does not fit an SM ({0}): it cannot be launched.',
        limiters.map(limiterName).join(', '),
      ),
    });
  } else {
    const counted = [activeWarps, maxWarps, percent(occupancy.occupancy)] as const;
    const names = limiters.map(limiterName).join(', ');
    const held =
      heldPerSm > blocksPerSm
        ? t(
            '1 block per SM, {0} of {1} warps ({2}): persistent blocks take one tile after the other, so no more are launched, though an SM could hold {3}.',
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
    const estimate = t('{0} registers a thread are an estimate.', registers.value);
    notes.push({
      level: 'info',
      text: registers.from === 'compiler' ? held : `${held} ${estimate}`,
    });
  }
  if (plan !== null && plan.threads % 32 !== 0) {
    const idle = 32 - (plan.threads % 32);
    notes.push({
      level: 'advice',
      text: t(
        '{0} threads a block leave {1} lanes of the last warp idle: make it a multiple of 32.',
        plan.threads,
        idle,
      ),
    });
  }
  return notes;
}

function coalescingNote(access: GlobalAccess, plan: Plan | null): readonly Note[] {
  const { site, sectorsPerRequest, idealSectors, operand, op, laneStride } = access;
  const matrix = operand === 'workspace' ? undefined : plan?.spec.problem[operand];
  // Neighbours in one sector, as bytes are, may begin within it, too.
  if (laneStride === 1 || sectorsPerRequest <= 1.5 * idealSectors)
    return alignmentNote(access, matrix?.ld);
  const costs = [site, short(sectorsPerRequest), short(idealSectors)] as const;
  const counts =
    op === 'load'
      ? t('{0}: uncoalesced, {1} sectors a load request instead of {2}.', ...costs)
      : t('{0}: uncoalesced, {1} sectors a store request instead of {2}.', ...costs);
  const text = [counts, whyUncoalesced(access, matrix), cureOf(access, plan)];
  return [{ level: 'advice', text: text.filter(sentence => sentence !== '').join(' ') }];
}

function whyUncoalesced(
  { operand, laneStride }: GlobalAccess,
  matrix: ResolvedOperand | undefined,
): string {
  const name = operand.toUpperCase();
  const major = matrix?.layout === 'col' ? t('column-major') : t('row-major');
  if (laneStride === null)
    return t(
      'Lanes that follow each other do not touch neighbouring elements of the {0} {1}.',
      major,
      name,
    );
  return laneStride === matrix?.ld
    ? t('Neighbouring lanes are a leading dimension apart in the {0} {1}.', major, name)
    : t('Neighbouring lanes are {0} elements apart in the {1} {2}.', laneStride, major, name);
}

function cureOf({ op }: GlobalAccess, plan: Plan | null): string {
  if (plan?.algorithm === 'naive' || plan?.spec.schedule.variant === 'transposed')
    return t('Let threadIdx.x walk the contiguous index (coalesced, or the 2d variant).');
  return plan?.algorithm.startsWith('thread-tile') === true && op === 'store'
    ? t('Each thread owns neighbouring elements, and writes them one at a time.')
    : '';
}

/** Rows that begin within a sector cost one more sector a request, now and then. */
function alignmentNote(access: GlobalAccess, ld: number | undefined): readonly Note[] {
  const { site, sectorsPerRequest, idealSectors, operand, op, widthBytes } = access;
  const multiple = SECTOR_BYTES / widthBytes;
  if (ld === undefined || ld % multiple === 0 || sectorsPerRequest <= 1.05 * idealSectors)
    return [];
  const costs = [site, short(sectorsPerRequest), short(idealSectors)] as const;
  const counts =
    op === 'load'
      ? t('{0}: {1} sectors a load request instead of {2}.', ...costs)
      : t('{0}: {1} sectors a store request instead of {2}.', ...costs);
  const why = t(
    'ld{0} = {1} lets rows begin within a 32-byte sector; a multiple of {2} does not.',
    operand,
    ld,
    multiple,
  );
  const text = `${counts} ${why}`;
  return [{ level: 'info', text }];
}

export const hasConflicts = ({ conflictsPerRequest }: SharedAccess): boolean =>
  conflictsPerRequest > 0.01;

/** What conflicts cost, and whether that is worth an advice. */
export function conflictCounts(access: SharedAccess): { level: Note['level']; counts: string } {
  const { site, wavefrontsPerRequest, conflictsPerRequest, op } = access;
  const unhindered = wavefrontsPerRequest - conflictsPerRequest;
  const level = wavefrontsPerRequest >= 2 * unhindered ? 'advice' : 'info';
  const costs = [site, short(wavefrontsPerRequest), short(unhindered)] as const;
  const counts =
    op === 'load'
      ? t('{0}: bank conflicts, {1} wavefronts a load request instead of {2}.', ...costs)
      : t('{0}: bank conflicts, {1} wavefronts a store request instead of {2}.', ...costs);
  return { level, counts };
}

function conflictNote(access: SharedAccess): readonly Note[] {
  const { operand, curingPadding } = access;
  if (!hasConflicts(access)) return unpairedNote(access);
  const { level, counts } = conflictCounts(access);
  const cure =
    curingPadding === null
      ? t('No padding of rows cures it, since the lanes collide within a row.')
      : t('padding.{0} = {1} cures it.', operand, curingPadding);
  return [{ level, text: `${counts} ${cure}` }];
}

/** A load without conflicts whose lanes ask for the same in an order that shared memory does not see. */
function unpairedNote(access: SharedAccess): readonly Note[] {
  const { site, wavefrontsPerRequest, idealWavefronts, widthBytes } = access;
  if (wavefrontsPerRequest <= idealWavefronts + 0.01) return [];
  const costs = [short(wavefrontsPerRequest), short(idealWavefronts), widthBytes] as const;
  const text = t(
    '{0}: no bank conflict, but {1} wavefronts a load request of {3} B a lane; {2} would do if neighbouring lanes (i and i ^ 1, or i and i ^ 2) read the same address.',
    site,
    ...costs,
  );
  return [{ level: 'info', text }];
}

/** What is not counted where the driver decides how. */
const matrixNotes = (plan: Plan | null): readonly Note[] =>
  plan?.family !== 'subgroup-matrix'
    ? []
    : [
        {
          level: 'info',
          text: t(
            'How a warp loads and stores matrices is left to the driver: these accesses and their bank conflicts are not counted.',
          ),
        },
      ];

/** What K in parts costs beside the products. */
function splitNotes(plan: Plan | null): readonly Note[] {
  if (plan?.split === undefined) return [];
  const { parts, depth, reduction, pass } = plan.split;
  const cut = t('Split-K: {0} parts of {1}.', parts, grouped(depth));
  const megabytes = short(splitBytes(plan) / 1e6);
  const cost =
    reduction === 'two-pass'
      ? t(
          '{0} MB of partial sums are written and read again, by a second kernel that adds them up in a fixed order.',
          megabytes,
        )
      : t(
          'Atomic addition reads and writes C {0} times ({1} MB more) in no fixed order: the last bits may differ from run to run.',
          parts,
          megabytes,
        );
  const first =
    reduction === 'atomic' && pass !== undefined ? t('A kernel before it prepares C.') : '';
  return [{ level: 'info', text: [cut, cost, first].filter(Boolean).join(' ') }];
}

/** Load balance below which it is reported. */
const UNEVEN = 0.8;

/** Reports how unevenly SMs share the blocks. What to do about it is the time model's to predict (`search/rank/waveEdits.ts`). */
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
          'Wave quantization: the busiest SM runs {0} blocks, the average SM {1}; the load balance over SMs is {2}.',
          grouped(average / balance),
          short(average),
          balanceText(balance),
        );
  return [{ level: 'info', text }];
}
