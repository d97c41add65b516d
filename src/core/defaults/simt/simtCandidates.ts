/**
 * Candidate SIMT schedules of an FP32 problem, with the quantities that predict their time: every
 * tile of simtSchedules.ts with every useful number of split-K slices. Candidates are derived
 * without planning; the caller plans the best ones.
 */
import { shapeClass } from '../../cost/shapeClass';
import type { SimtCalibration, TileConstants } from '../../cost/simt/simtCalibration';
import type { CopiedTile, SimtKernel } from '../../cost/simt/simtModel';
import { tileCount } from '../../plan/tileCount';
import { compulsoryBytes } from '../../plan/traffic';
import { workspaceLimitOf } from '../../plan/workspace';
import type { ResolvedProblem, ResolvedSchedule, ResolvedSpec } from '../../spec/resolved';
import { DTYPE_BYTES } from '../../types/dtype';
import { simtSchedulesFor, type SimtSchedule } from './simtSchedules';

export interface SimtCandidate {
  readonly of: SimtSchedule;
  readonly kernel: SimtKernel;
}

/** Returns the schedule of a candidate. It is separate, because most candidates need none. */
export const scheduleOf = ({ of, kernel: { splitK } }: SimtCandidate): ResolvedSchedule => ({
  ...of.schedule,
  ...(splitK === 1 ? {} : { splitK, splitKReduction: 'two-pass' as const }),
});

const ELEMENT_BYTES = DTYPE_BYTES.f32;
const SECTOR_BYTES = 32;
/** Elements per vector access. */
const VECTOR = 4;
/** Minimum k-iterations of a slice. */
const LEAST_STEPS = 4;
/** Maximum number of rounds of blocks that split-K creates. */
const SPLIT_K_ROUNDS = 2;
const MAX_SLICES = 256;

/** Parts of a spec without which no schedule can be chosen. */
export type OpenSpec = Pick<ResolvedSpec, 'problem' | 'device' | 'workspaceLimitBytes'>;

export function* simtCandidates(
  spec: Omit<OpenSpec, 'device'>,
  multiprocessors: number,
  { tiles }: SimtCalibration,
): Generator<SimtCandidate> {
  const { problem } = spec;
  const resultBytes = problem.m * problem.n * problem.batch * ELEMENT_BYTES;
  for (const of of simtSchedulesFor(problem)) {
    const constants = tiles[of.name];
    if (constants === undefined || isTooDeep(of, problem)) continue;
    const kernelOf = kernelsOf(problem, of, constants);
    const whole = kernelOf(1);
    if (spillsRegisters(problem, whole)) continue;
    const { blocks, steps } = whole;
    const most = Math.min(
      MAX_SLICES,
      Math.floor(steps / LEAST_STEPS),
      Math.floor((SPLIT_K_ROUNDS * of.blocksPerSm * multiprocessors) / blocks),
      Math.floor(workspaceLimitOf(spec) / resultBytes),
    );
    for (const splitK of slicesOf(steps, most)) yield { of, kernel: kernelOf(splitK) };
  }
}

/** Double-buffered fragments need a full K tile; see plan/rules/laneRules.ts. */
const isTooDeep = ({ schedule }: SimtSchedule, { k }: ResolvedProblem): boolean =>
  schedule.fragments === 2 && k < schedule.block.k;

/** Maximum depth of tiles whose threads copy single elements of several columns. */
const DEEPEST_IRREGULAR = 8;

/**
 * Returns whether the compiler spills registers: deep tiles whose threads copy single elements of
 * several columns hold too many addresses (132 B per thread for 96 x 128 x 16 and odd extents).
 */
export const spillsRegisters = (problem: ResolvedProblem, { tile, copied }: SimtKernel): boolean =>
  shapeClass(problem) === 'general' &&
  tile.k > DEEPEST_IRREGULAR &&
  copied.some(({ width, isRegular }) => width === 1 && !isRegular);

/** Returns a function from the number of split-K slices to the kernel of a schedule. */
export function kernelsOf(
  problem: ResolvedProblem,
  { schedule: { algorithm, block, thread }, blocksPerSm }: SimtSchedule,
  constants: TileConstants,
): (splitK: number) => SimtKernel {
  const { m, n, k, batch, c } = problem;
  const along = tileCount(problem, block);
  const blocks = along.m * along.n * batch;
  const steps = Math.ceil(k / block.k);
  const tile = {
    block,
    threads: (block.m * block.n) / (thread.m * thread.n),
    isStaged: algorithm !== 'register-tile',
  };
  const copied = [copiedTile(problem, 'a', tile), copiedTile(problem, 'b', tile)];
  const storesVectors = (c.layout === 'row' ? n : m) % VECTOR === 0 && c.ld % VECTOR === 0;
  const results = m * n * batch;
  const bytes = compulsoryBytes(problem);
  // Without spread syntax, which would take most of the time of a choice.
  return splitK => ({
    problem,
    tile: block,
    thread,
    constants,
    blocksPerSm,
    copied,
    storesVectors,
    results,
    compulsoryBytes: bytes,
    splitK,
    blocks: blocks * splitK,
    steps: Math.ceil(steps / splitK),
  });
}

/** Yields 1 and, for each number of k-iterations per slice, the smallest number of slices. */
function* slicesOf(steps: number, most: number): Generator<number> {
  yield 1;
  for (let slices = 2; slices <= most; slices++)
    if (Math.ceil(steps / slices) < Math.ceil(steps / (slices - 1))) yield slices;
}

interface CopyingBlock {
  readonly block: Readonly<Record<'m' | 'n' | 'k', number>>;
  readonly threads: number;
  /** Whether tiles are staged in shared memory. */
  readonly isStaged: boolean;
}

/** Returns how blocks copy a tile; widths as in plan/simt/lanes.ts. */
function copiedTile(
  problem: ResolvedProblem,
  operand: 'a' | 'b',
  { block, threads, isStaged }: CopyingBlock,
): CopiedTile {
  const { layout, ld, batchStride } = problem[operand];
  const kIsContiguous = (operand === 'a') === (layout === 'row');
  const side = operand === 'a' ? block.m : block.n;
  const outer = operand === 'a' ? problem.m : problem.n;
  const [rows, columns] = kIsContiguous ? [side, block.k] : [block.k, side];
  const rest = (ld * ELEMENT_BYTES) % SECTOR_BYTES;
  // A row that starts anywhere in a sector reads one more sector.
  const bytes = rows * (columns * ELEMENT_BYTES + (rest === 0 ? 0 : SECTOR_BYTES));
  const elements = rows * columns;
  if (kIsContiguous && isStaged) return { width: 'transposed', isRegular: true, elements, bytes };
  if (kIsContiguous) return { width: 'strided', isRegular: true, elements, bytes };
  const strides = [ld, outer, ...(problem.batch === 1 ? [] : [batchStride])];
  const width = ([4, 2] as const).find(lanes => strides.every(of => of % lanes === 0)) ?? 1;
  return { width, isRegular: threads % (columns / width) === 0, elements, bytes };
}
