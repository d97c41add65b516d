/**
 * Schedules without split-K from which the default of FP32 problems is chosen: pipelined tiles, and
 * register tiles for matrix-vector products, in which every thread loads its own operands.
 */
import { shapeClass } from '../../cost/shapeClass';
import type { ResolvedProblem, ResolvedSchedule } from '../../spec/resolved';

export interface SimtSchedule {
  /** Name of the tile in the calibration: block tile and thread tile. */
  readonly name: string;
  readonly schedule: ResolvedSchedule & {
    readonly block: Readonly<Record<'m' | 'n' | 'k', number>>;
    readonly thread: Readonly<Record<'m' | 'n', number>>;
  };
  readonly blocksPerSm: number;
}

type Sides = readonly [m: number, n: number];

interface Tile {
  readonly block: readonly [m: number, n: number, k: number];
  readonly warp: Sides;
  readonly thread: Sides;
  readonly stages: number;
  readonly blocksPerSm: number;
  readonly traversal?: 'row' | 'col' | 'col-pairs';
}

const ELEMENTS_PER_VECTOR = 4;

function scheduleOf({ block, warp, thread, stages, blocksPerSm, traversal }: Tile): SimtSchedule {
  return {
    name: `${block.join('x')} ${thread.join('x')}`,
    blocksPerSm,
    schedule: {
      algorithm: 'pipelined',
      block: { m: block[0], n: block[1], k: block[2] },
      warp: { m: warp[0], n: warp[1] },
      thread: { m: thread[0], n: thread[1] },
      vector: ELEMENTS_PER_VECTOR,
      stages,
      ...(traversal === undefined ? {} : { fragments: 2 as const, traversal }),
      padding: { a: ELEMENTS_PER_VECTOR, b: ELEMENTS_PER_VECTOR },
      minBlocksPerSm: blocksPerSm,
    },
  };
}

const TILES: readonly Tile[] = [
  {
    block: [128, 256, 8],
    warp: [32, 128],
    thread: [8, 16],
    stages: 4,
    blocksPerSm: 1,
    traversal: 'col',
  },
  {
    block: [256, 128, 8],
    warp: [64, 64],
    thread: [16, 8],
    stages: 4,
    blocksPerSm: 1,
    traversal: 'row',
  },
  {
    block: [160, 128, 8],
    warp: [80, 64],
    thread: [20, 8],
    stages: 4,
    blocksPerSm: 2,
    traversal: 'row',
  },
  {
    block: [128, 128, 16],
    warp: [64, 64],
    thread: [16, 8],
    stages: 3,
    blocksPerSm: 2,
    traversal: 'col-pairs',
  },
  {
    block: [128, 128, 16],
    warp: [32, 64],
    thread: [8, 8],
    stages: 3,
    blocksPerSm: 2,
    traversal: 'col',
  },
  {
    block: [128, 128, 8],
    warp: [32, 64],
    thread: [8, 8],
    stages: 4,
    blocksPerSm: 2,
    traversal: 'col',
  },
  {
    block: [64, 256, 8],
    warp: [32, 128],
    thread: [8, 16],
    stages: 4,
    blocksPerSm: 2,
    traversal: 'col',
  },
  {
    block: [256, 64, 8],
    warp: [128, 32],
    thread: [16, 8],
    stages: 4,
    blocksPerSm: 2,
    traversal: 'row',
  },
  {
    block: [96, 128, 16],
    warp: [48, 64],
    thread: [12, 8],
    stages: 3,
    blocksPerSm: 3,
    traversal: 'row',
  },
  {
    block: [96, 128, 8],
    warp: [48, 64],
    thread: [12, 8],
    stages: 4,
    blocksPerSm: 3,
    traversal: 'row',
  },
  {
    block: [128, 96, 8],
    warp: [64, 48],
    thread: [8, 12],
    stages: 4,
    blocksPerSm: 3,
    traversal: 'col',
  },
  {
    block: [64, 128, 16],
    warp: [32, 64],
    thread: [8, 8],
    stages: 4,
    blocksPerSm: 4,
    traversal: 'row',
  },
  {
    block: [64, 128, 8],
    warp: [32, 64],
    thread: [8, 8],
    stages: 4,
    blocksPerSm: 4,
    traversal: 'row',
  },
  {
    block: [128, 64, 16],
    warp: [64, 32],
    thread: [8, 8],
    stages: 4,
    blocksPerSm: 4,
    traversal: 'col',
  },
  {
    block: [128, 64, 8],
    warp: [64, 32],
    thread: [8, 8],
    stages: 4,
    blocksPerSm: 4,
    traversal: 'col',
  },
  {
    block: [64, 64, 16],
    warp: [32, 32],
    thread: [8, 4],
    stages: 4,
    blocksPerSm: 4,
    traversal: 'col',
  },
  {
    block: [64, 64, 8],
    warp: [32, 32],
    thread: [8, 4],
    stages: 4,
    blocksPerSm: 4,
    traversal: 'col',
  },
  {
    block: [64, 64, 32],
    warp: [32, 32],
    thread: [8, 4],
    stages: 3,
    blocksPerSm: 4,
    traversal: 'col',
  },
  {
    block: [32, 128, 16],
    warp: [16, 64],
    thread: [4, 8],
    stages: 4,
    blocksPerSm: 4,
    traversal: 'row',
  },
  {
    block: [32, 128, 8],
    warp: [16, 64],
    thread: [4, 8],
    stages: 4,
    blocksPerSm: 4,
    traversal: 'row',
  },
  {
    block: [32, 128, 32],
    warp: [32, 32],
    thread: [8, 4],
    stages: 4,
    blocksPerSm: 2,
    traversal: 'row',
  },
  {
    block: [128, 32, 16],
    warp: [64, 16],
    thread: [8, 4],
    stages: 4,
    blocksPerSm: 4,
    traversal: 'col',
  },
  {
    block: [32, 64, 16],
    warp: [16, 32],
    thread: [4, 4],
    stages: 4,
    blocksPerSm: 4,
    traversal: 'row',
  },
];

/** Tiles for `flat` problems. */
const FLAT_TILES: readonly Tile[] = [
  {
    block: [32, 128, 16],
    warp: [16, 64],
    thread: [4, 8],
    stages: 4,
    blocksPerSm: 4,
    traversal: 'row',
  },
  { block: [16, 256, 32], warp: [16, 64], thread: [8, 4], stages: 3, blocksPerSm: 2 },
  { block: [16, 128, 32], warp: [16, 32], thread: [4, 4], stages: 4, blocksPerSm: 2 },
  { block: [16, 128, 32], warp: [16, 32], thread: [8, 2], stages: 4, blocksPerSm: 2 },
  { block: [8, 256, 32], warp: [8, 64], thread: [2, 8], stages: 4, blocksPerSm: 1 },
  { block: [8, 256, 32], warp: [8, 64], thread: [4, 4], stages: 4, blocksPerSm: 1 },
  { block: [8, 128, 32], warp: [8, 32], thread: [4, 2], stages: 4, blocksPerSm: 3 },
  { block: [4, 256, 32], warp: [4, 64], thread: [4, 2], stages: 4, blocksPerSm: 1 },
  { block: [4, 128, 32], warp: [4, 32], thread: [4, 1], stages: 4, blocksPerSm: 3 },
  { block: [1, 128, 64], warp: [1, 32], thread: [1, 1], stages: 4, blocksPerSm: 1 },
];

type RegisterTile = Pick<Tile, 'block' | 'thread' | 'blocksPerSm'>;

/** Tiles for `flat` problems whose operands bypass shared memory. */
const REGISTER_TILES: readonly RegisterTile[] = [
  { block: [1, 128, 32], thread: [1, 1], blocksPerSm: 8 },
  { block: [2, 128, 32], thread: [2, 1], blocksPerSm: 8 },
  { block: [4, 256, 16], thread: [4, 2], blocksPerSm: 6 },
];

const registerTileOf = ({ block: [m, n, k], thread, blocksPerSm }: RegisterTile): SimtSchedule => ({
  name: `${m}x${n}x${k} ${thread.join('x')} registers`,
  blocksPerSm,
  schedule: {
    algorithm: 'register-tile',
    block: { m, n, k },
    thread: { m: thread[0], n: thread[1] },
    vector: ELEMENTS_PER_VECTOR,
    minBlocksPerSm: blocksPerSm,
  },
});

const transposed = <T extends RegisterTile>({ block: [m, n, k], thread, ...rest }: T) => ({
  ...rest,
  block: [n, m, k] as const,
  thread: [thread[1], thread[0]] as const,
});

const GENERAL = TILES.map(scheduleOf);
const FLAT = [...FLAT_TILES.map(scheduleOf), ...REGISTER_TILES.map(registerTileOf)];
const NARROW = [
  ...FLAT_TILES.map(tile => {
    const [m, n] = tile.warp;
    return scheduleOf({
      ...tile,
      ...transposed(tile),
      warp: [n, m],
      ...(tile.traversal === undefined ? {} : { traversal: 'col' }),
    });
  }),
  ...REGISTER_TILES.map(transposed).map(registerTileOf),
];

/**
 * Returns the tiles for a problem. In a flat problem, one tile covers the short dimension of C.
 * Each thread of a register tile loads the long operand itself. If K is contiguous, these loads are
 * not coalesced, so only single rows use register tiles.
 */
export function simtSchedulesFor(problem: ResolvedProblem): readonly SimtSchedule[] {
  if (shapeClass(problem) === 'general') return GENERAL;
  const { m, n, a, b } = problem;
  const [tiles, short, long] = m <= n ? ([FLAT, 'm', 'n'] as const) : ([NARROW, 'n', 'm'] as const);
  const kIsContiguous = long === 'n' ? b.layout === 'col' : a.layout === 'row';
  return tiles.filter(
    ({ schedule: { algorithm, block } }) =>
      block[short] >= problem[short] &&
      (algorithm !== 'register-tile' || !kIsContiguous || block[short] === 1),
  );
}
