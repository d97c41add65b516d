/**
 * Block tiles and partitions of K that fill waves better: the neighbours of a schedule, ranked by the time model. The present
 * schedule is predicted in the same way, from estimated registers, so that gains compare like with like.
 */
import type { Waves } from '../../occupancy/report';
import { wavesOf } from '../../occupancy/waves';
import type { Device } from '../../hardware/devices';
import { changesIn, type Move } from '../../plan/moves';
import type { Plan } from '../../plan/plan';
import { planIfLegal } from '../../plan/planner';
import type { ResolvedSchedule, ResolvedSpec } from '../../spec/resolved';
import { rank, type Ranked } from './rank';

export interface WaveEdit {
  readonly changes: Move<number>;
  readonly waves: Waves;
  readonly blocksPerSm: number;
  /** Predicted, of the present rate: 0.08 is 8 % more. */
  readonly gain: number;
  /** Predicted rates of the present schedule and of the edited one. */
  readonly tflops: { readonly before: number; readonly after: number };
}

/** Waves that SMs share so evenly leave little to win. */
const EVEN = 0.95;
/** Less than this the model does not know. */
const LEAST_GAIN = 0.02;
const MOST_EDITS = 2;
/** What these edits change, and what it is where a schedule does not name it. */
const FIELDS: Readonly<Record<string, number>> = { 'block.m': 1, 'block.n': 1, splitK: 1 };

/** The best first; none where waves are full, and where the model says nothing. */
export function waveEdits(
  plan: Plan,
  device: Device,
  waves: Pick<Waves, 'balance' | 'paddingFlopFraction'> | null,
): readonly WaveEdit[] {
  if (plan.target !== 'cuda' || waves === null || filled(waves) >= EVEN) return [];
  const { spec } = plan;
  const present = bestOf(spec, [spec.schedule])[0];
  if (present === undefined) return [];
  const found = bestOf(spec, candidates(plan, device)).flatMap(ranked => {
    const gain = ranked.tflops / present.tflops - 1;
    const planned = planIfLegal({ ...spec, schedule: ranked.schedule }, 'cuda');
    const after = wavesOf(planned, device, ranked);
    if (gain < LEAST_GAIN || after === null || filled(after) <= filled(waves)) return [];
    const changes = changesIn(FIELDS, spec.schedule, ranked.schedule);
    const tflops = { before: present.tflops, after: ranked.tflops };
    return [{ changes, waves: after, blocksPerSm: ranked.blocksPerSm, gain, tflops }];
  });
  // A second edit is another idea, not the same tile with one part of K more.
  const first = found[0];
  if (first === undefined) return [];
  const block = blockOf(first);
  return [first, ...found.filter(edit => blockOf(edit) !== block)].slice(0, MOST_EDITS);
}

/** Of the work of the busiest SM, what an average SM does for C. */
const filled = (waves: Pick<Waves, 'balance' | 'paddingFlopFraction'>): number =>
  waves.balance.value * (1 - waves.paddingFlopFraction);

const blockOf = ({ changes }: WaveEdit): string =>
  changes
    .filter(({ path }) => path.startsWith('schedule.block.'))
    .map(({ path, to }) => `${path} ${to}`)
    .join();

const MOST_RANKED = 12;

function bestOf(spec: ResolvedSpec, schedules: Iterable<ResolvedSchedule>): readonly Ranked[] {
  const ranking = rank(spec, MOST_RANKED, schedules);
  return 'why' in ranking ? [] : ranking.best;
}

/** Tiles along a side of the block, in warp tiles, or of what a thread computes where there are no warp tiles. */
const SIDES = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];
const PARTS = [2, 3, 4, 6, 8];
/** With more blocks an SM than this, parts of K only cost. */
const FEW_BLOCKS = 4;

function* candidates(
  { spec, thread, tile, grid }: Plan,
  device: Device,
): Generator<ResolvedSchedule> {
  const { schedule } = spec;
  const { m: unitM = thread.m, n: unitN = thread.n } = schedule.warp ?? {};
  const near = (unit: number, extent: number): readonly number[] =>
    SIDES.map(count => count * unit).filter(side => side >= extent / 2 && side <= extent * 2);
  const { splitK, ...whole } = schedule;
  const few = grid.x * grid.y * grid.z < FEW_BLOCKS * device.multiprocessors;
  for (const m of near(unitM, tile.m)) {
    for (const n of near(unitN, tile.n)) {
      // One side at a time, or both by the same factor.
      if (m !== tile.m && n !== tile.n && m * tile.n !== n * tile.m) continue;
      // One object for all parts of K, so that ranking finds what their requests cost once.
      const tiled = { ...whole, block: { ...schedule.block, m, n } };
      yield tiled;
      if (few) for (const parts of PARTS) yield { ...tiled, splitK: parts };
      else if (splitK !== undefined) yield { ...tiled, splitK };
    }
  }
}
