/** What an analysis says in words: each note names its numbers and what to do. */
import type { Plan } from '../plan/plan';
import { SECTOR_BYTES } from './requestCost';
import type { GlobalAccess, Note, OccupancyReport, SharedAccess, Waves } from './analysis';

export interface NoteInput {
  readonly plan: Plan | null;
  readonly occupancy: OccupancyReport | null;
  readonly globalMemory: readonly GlobalAccess[];
  readonly sharedMemory: readonly SharedAccess[];
  readonly waves: Waves | null;
  readonly spillBytes: number;
}

const percent = (fraction: number): string => `${Math.round(fraction * 100)} %`;
const short = (value: number): string => String(Math.round(value * 10) / 10);

export function notesOf(input: NoteInput): readonly Note[] {
  return [
    ...occupancyNotes(input),
    ...input.globalMemory.flatMap(access => coalescingNote(access, input.plan)),
    ...input.sharedMemory.flatMap(conflictNote),
    ...waveNotes(input.waves),
    ...(input.spillBytes > 0
      ? [
          {
            level: 'warning',
            text: `The compiler spills ${input.spillBytes} B a thread to local memory: use a smaller thread tile or fewer minimum blocks per SM.`,
          } as const,
        ]
      : []),
  ];
}

function occupancyNotes({ occupancy, plan }: NoteInput): readonly Note[] {
  if (occupancy === null) return [];
  const { blocksPerSm, activeWarps, maxWarps, limiters, registers } = occupancy;
  const notes: Note[] = [];
  if (blocksPerSm === 0) {
    notes.push({
      level: 'warning',
      text: `The block does not fit an SM (${limiters.join(', ')}): it cannot be launched.`,
    });
  } else {
    const estimate =
      registers.from === 'compiler' ? '' : `, with ${registers.value} registers a thread estimated`;
    notes.push({
      level: 'info',
      text: `${blocksPerSm} block${blocksPerSm === 1 ? '' : 's'} per SM, ${activeWarps} of ${maxWarps} warps (${percent(occupancy.occupancy)}), limited by ${limiters.join(' and ')}${estimate}.`,
    });
  }
  if (plan !== null && plan.threads % 32 !== 0) {
    const idle = 32 - (plan.threads % 32);
    notes.push({
      level: 'advice',
      text: `${plan.threads} threads a block leave ${idle} lanes of the last warp idle: make it a multiple of 32.`,
    });
  }
  return notes;
}

function coalescingNote(access: GlobalAccess, plan: Plan | null): readonly Note[] {
  const { site, sectorsPerRequest, idealSectors, operand, op, laneStride } = access;
  const matrix = plan?.spec.problem[operand];
  if (sectorsPerRequest <= 1.5 * idealSectors) return alignmentNote(access, matrix?.ld);
  const layout = matrix?.layout ?? 'row';
  const apart =
    laneStride === null
      ? 'lanes that follow each other do not touch neighbouring elements'
      : laneStride === matrix?.ld
        ? 'neighbouring lanes are a leading dimension apart'
        : `neighbouring lanes are ${laneStride} elements apart`;
  const cure =
    plan?.algorithm === 'naive' || plan?.spec.schedule.variant === 'transposed'
      ? ': let threadIdx.x walk the contiguous index (coalesced, or the 2d variant)'
      : plan?.algorithm.startsWith('thread-tile') && op === 'store'
        ? ': each thread owns neighbouring elements, and writes them one at a time'
        : '';
  const counts = `${short(sectorsPerRequest)} sectors a ${op} request instead of ${short(idealSectors)}`;
  const text = `${site}: uncoalesced, ${counts}, since ${apart} in the ${layout}-major ${operand.toUpperCase()}${cure}.`;
  return [{ level: 'advice', text }];
}

/** Rows that begin within a sector cost one more sector a request, now and then. */
function alignmentNote(access: GlobalAccess, ld: number | undefined): readonly Note[] {
  const { site, sectorsPerRequest, idealSectors, operand, op, widthBytes } = access;
  const multiple = SECTOR_BYTES / widthBytes;
  if (ld === undefined || ld % multiple === 0 || sectorsPerRequest <= 1.05 * idealSectors)
    return [];
  const counts = `${short(sectorsPerRequest)} sectors a ${op} request instead of ${short(idealSectors)}`;
  const text = `${site}: ${counts}, since ld${operand} = ${ld} lets rows begin within a 32-byte sector; a multiple of ${multiple} does not.`;
  return [{ level: 'info', text }];
}

function conflictNote(access: SharedAccess): readonly Note[] {
  const { site, wavefrontsPerRequest, idealWavefronts, operand, op, curingPadding } = access;
  if (wavefrontsPerRequest <= idealWavefronts + 0.01) return [];
  const level = wavefrontsPerRequest >= 2 * idealWavefronts ? 'advice' : 'info';
  const cure =
    curingPadding === null
      ? 'no padding of rows cures it, since the lanes collide within a row'
      : `padding.${operand} = ${curingPadding} cures it`;
  const counts = `${short(wavefrontsPerRequest)} wavefronts a ${op} request instead of ${short(idealWavefronts)}`;
  return [{ level, text: `${site}: bank conflicts, ${counts}: ${cure}.` }];
}

function waveNotes(waves: Waves | null): readonly Note[] {
  if (waves === null || waves.efficiency >= 0.8) return [];
  const { tiles, blocksPerWave, efficiency } = waves;
  const text =
    tiles < blocksPerWave
      ? `${tiles} tiles for ${blocksPerWave} block slots: the GPU is ${percent(1 - efficiency)} idle; smaller tiles would fill it.`
      : `${tiles} tiles in ${waves.waves} waves of ${blocksPerWave}: the last wave leaves ${percent(1 - efficiency)} of the work slots empty.`;
  return [{ level: 'advice', text }];
}
