/**
 * Finds block tiles and split-K slice counts close to the current schedule that distribute the work
 * over the SMs more evenly. All predictions use estimated registers, so that gains are comparable.
 */
import type { Waves } from '../../occupancy/report';
import { wavesOf } from '../../occupancy/waves';
import type { Device } from '../../hardware/devices';
import { changesIn, type Move } from '../../plan/neighbors';
import type { Plan } from '../../plan/plan';
import { planIfLegal } from '../../plan/planner';
import type { ResolvedSchedule, ResolvedSpec } from '../../spec/resolved';
import { rank, type Ranked } from './rank';

export interface WaveEdit {
  readonly changes: Move<number>;
  readonly waves: Waves;
  readonly blocksPerSm: number;
  /** Predicted relative gain: 0.08 is 8 % faster. */
  readonly gain: number;
  readonly tflops: { readonly before: number; readonly after: number };
}

const BALANCED = 0.95;
const MIN_GAIN = 0.02;
const MAX_EDITS = 2;
const FIELDS: Readonly<Record<string, number>> = { 'block.m': 1, 'block.n': 1, splitK: 1 };

/** Returns edits, best first; empty if the load is balanced or the model does not apply. */
export function waveEdits(
  plan: Plan,
  device: Device,
  waves: Pick<Waves, 'balance' | 'paddingFlopFraction'> | null,
): readonly WaveEdit[] {
  if (plan.target !== 'cuda' || waves === null || effectiveLoad(waves) >= BALANCED) return [];
  const { spec } = plan;
  const present = bestOf(spec, [spec.schedule])[0];
  if (present === undefined) return [];
  const found = bestOf(spec, candidates(plan, device)).flatMap(ranked => {
    const gain = ranked.tflops / present.tflops - 1;
    const planned = planIfLegal({ ...spec, schedule: ranked.schedule }, 'cuda');
    const after = wavesOf(planned, device, ranked);
    if (gain < MIN_GAIN || after === null || effectiveLoad(after) <= effectiveLoad(waves))
      return [];
    const changes = changesIn(FIELDS, spec.schedule, ranked.schedule);
    const tflops = { before: present.tflops, after: ranked.tflops };
    return [{ changes, waves: after, blocksPerSm: ranked.blocksPerSm, gain, tflops }];
  });
  // The second edit must have a different block tile, not only a different number of split-K
  // slices.
  const first = found[0];
  if (first === undefined) return [];
  const block = blockOf(first);
  return [first, ...found.filter(edit => blockOf(edit) !== block)].slice(0, MAX_EDITS);
}

/** Returns the useful work of an average SM divided by the work of the busiest SM. */
const effectiveLoad = (waves: Pick<Waves, 'balance' | 'paddingFlopFraction'>): number =>
  waves.balance.value * (1 - waves.paddingFlopFraction);

const blockOf = ({ changes }: WaveEdit): string =>
  changes
    .filter(({ path }) => path.startsWith('schedule.block.'))
    .map(({ path, to }) => `${path} ${to}`)
    .join();

const MAX_RANKED = 12;

function bestOf(spec: ResolvedSpec, schedules: Iterable<ResolvedSchedule>): readonly Ranked[] {
  const ranking = rank(spec, MAX_RANKED, schedules);
  return 'why' in ranking ? [] : ranking.best;
}

/** Block extents to try, in units of warp tiles or, without warp tiles, of thread tiles. */
const SIDES = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];
const SLICES = [2, 3, 4, 6, 8];
/** New split-K slice counts are tried only below this number of blocks per SM. */
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
      // Change one side, or both sides by the same factor.
      if (m !== tile.m && n !== tile.n && m * tile.n !== n * tile.m) continue;
      // Share the fields object between split-K values, so that ranking computes request costs only
      // once.
      const tiled = { ...whole, block: { ...schedule.block, m, n } };
      yield tiled;
      if (few) for (const slices of SLICES) yield { ...tiled, splitK: slices };
      else if (splitK !== undefined) yield { ...tiled, splitK };
    }
  }
}
