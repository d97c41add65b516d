/**
 * Bytes that every level of memory moves for the whole problem, and the arithmetic intensity there. Registers, shared
 * memory and L1 are counted from the loop IR, tiles at the edge as whole ones; L2 and DRAM follow a model, which the
 * level says in words. Computed when asked for.
 */
import type { Device } from '../hardware/devices';
import type { Kernel } from '../kernel/kernel';
import { usesMatrixUnits } from '../plan/mma/matrix';
import { matrixPlanIn } from '../plan/family';
import type { Plan } from '../plan/plan';
import { DTYPE_BYTES } from '../types/dtype';
import { extent, flops } from '../spec/resolved';
import type { GlobalAccess, SharedAccess } from './access';
import { dramTraffic, type DramTraffic } from './dramTraffic';
import { BANK_ROW_BYTES, SECTOR_BYTES } from './requestCost';
import { ALONE, broughtBytes, sharedTrafficBytes } from '../plan/traffic';
import { figure, type Figure } from '../text/figure';
import type { Waves } from '../occupancy/report';

export const LEVELS = ['registers', 'shared', 'l1', 'l2', 'dram'] as const;
export type LevelName = (typeof LEVELS)[number];

export interface MemoryLevel {
  readonly level: LevelName;
  readonly bytes: Figure;
  /** FLOP a byte, of the FLOP that the problem has. */
  readonly intensity: Figure;
  /** How the bytes are counted, and under which assumption. */
  readonly rule: string;
  /** Of L2: the tiles of `wgmma` that arrive at its blocks, those that a neighbour of the cluster asked for with them. */
  readonly arriving?: Pick<MemoryLevel, 'bytes' | 'intensity'>;
}

export interface MemoryLevels {
  readonly levels: readonly MemoryLevel[];
  readonly dram: DramTraffic;
  /** Of DRAM, if all blocks of a wave stayed in step; null where an SM holds no more than one. */
  readonly dramInStep: Figure | null;
  /** Reads of A and B that the L2 cache serves, of those that it is asked for: 0..1. */
  readonly l2HitRate: number;
}

/** The part of an analysis that bytes are counted from. */
export interface AnalysedAccesses {
  readonly globalMemory: readonly GlobalAccess[];
  readonly sharedMemory: readonly SharedAccess[];
  readonly waves: Waves | null;
}

/** Matrices of sums that are stored as they are, which no access site counts: whole rows of at least a sector. */
function matrixBytes(plan: Plan): number {
  const {
    spec: { problem },
    split,
  } = plan;
  return matrixPlanIn(plan)?.direct === true
    ? problem.batch *
        problem.m *
        problem.n *
        (split?.parts ?? 1) *
        DTYPE_BYTES[split === undefined ? problem.c.dtype : problem.accumulator]
    : 0;
}

/** C as it is stored, and read where something is added to it. */
const storedBytes = ({
  spec: {
    problem: { m, n, c, beta, batch },
  },
}: Plan): number => batch * m * n * DTYPE_BYTES[c.dtype] * (beta === 0 ? 1 : 2);

/** Of kernels whose main loop is written by hand. */
const DECLARED: Readonly<Partial<Record<LevelName, string>>> = {
  shared:
    'model of the hand-written loop: boxes written, tiles read by each instruction, boxes of C',
  l2: 'model of the hand-written loop: a tile of A once a row of the cluster, of B once a column; C',
};

const RULES: Readonly<Record<LevelName, string>> = {
  registers: 'each multiply-add reads three values and writes one, in the type of the sum',
  shared:
    'wavefronts x 128 B, from the loop IR: what the pipe is busy with, conflicts included, neighbouring loads joined as the compiler does',
  l1: 'requests x sectors x 32 B, from the loop IR',
  l2: "a block's sectors of A and B once, if its L1 keeps them until all of its warps have read them; every sector of C as it is asked for",
  dram: 'one block of each SM in step along K; a panel of A or B is read again where more than the L2 was touched since (least recently used)',
};

export function memoryLevels(
  kernel: Kernel,
  accesses: AnalysedAccesses,
  device: Device,
): MemoryLevels {
  const { plan } = kernel;
  const { problem } = plan.spec;
  const operations = flops(problem);
  const { globalMemory, sharedMemory, waves } = accesses;
  const blocksPerWave = waves?.blocksPerWave ?? device.multiprocessors;
  const l2Bytes = device.l2CacheMiB === undefined ? null : device.l2CacheMiB * 2 ** 20;
  const traffic = (blocksInStep: number) => dramTraffic(plan, { blocksInStep, l2Bytes });
  // Blocks that share an SM drift apart along K, as the counters of most kernels show (docs/analysis.md).
  const blocksInStep = Math.min(blocksPerWave, device.multiprocessors);
  const dram = traffic(blocksInStep);
  const sectorBytes = (site: GlobalAccess): number =>
    site.requests * site.sectorsPerRequest * SECTOR_BYTES;
  const l1 = total(globalMemory, sectorBytes);
  const operandBytes = (operand: 'a' | 'b'): number =>
    Math.min(total(globalMemory.filter(isRead(operand)), sectorBytes), uniqueBytes(plan, operand));
  const ofGroups = plan.family === 'wgmma';
  const reads = ofGroups ? broughtBytes(plan) : operandBytes('a') + operandBytes('b');
  const others = globalMemory.filter(site => !isRead('a')(site) && !isRead('b')(site));
  const ofMatrices = usesMatrixUnits(plan);
  const isDrivers = plan.family === 'subgroup-matrix';
  const stored = ofGroups ? storedBytes(plan) : matrixBytes(plan);
  const bytes: Readonly<Record<LevelName, number>> = {
    // What matrix units read of registers is theirs alone, and of shared memory where no address says it.
    registers: ofMatrices ? 0 : (operations / 2) * 4 * DTYPE_BYTES[problem.accumulator],
    shared: isDrivers
      ? 0
      : ofGroups
        ? sharedTrafficBytes(plan)
        : total(sharedMemory, site => wavefrontsOf(site) * BANK_ROW_BYTES),
    // TMA goes past it.
    l1: ofGroups ? 0 : l1 + stored,
    l2: reads + total(others, sectorBytes) + stored,
    dram: dram.bytes,
  };
  const moved = (count: number) => ({
    bytes: figure(count, 'B', 'derived'),
    intensity: figure(operations / count, 'FLOP/B', 'derived'),
  });
  const used = total(others, site => site.requests * site.usedBytesPerRequest);
  const dramReads = dram.bytes - used - stored;
  return {
    dram,
    dramInStep:
      blocksInStep === blocksPerWave ? null : figure(traffic(blocksPerWave).bytes, 'B', 'derived'),
    l2HitRate: Math.min(1, Math.max(0, 1 - dramReads / reads)),
    levels: LEVELS.filter(level => bytes[level] > 0).map(level => ({
      level,
      ...moved(bytes[level]),
      rule: (ofGroups ? DECLARED[level] : undefined) ?? RULES[level],
      ...(ofGroups && level === 'l2' ? { arriving: moved(broughtBytes(plan, ALONE)) } : {}),
    })),
  };
}

/** Of all requests, joined as the compiler does. */
export const wavefrontsOf = (site: SharedAccess): number => {
  const { requests, wavefrontsPerRequest } = site.joined ?? site;
  return requests * wavefrontsPerRequest;
};

const total = <T>(all: readonly T[], of: (one: T) => number): number =>
  all.reduce((sum, one) => sum + of(one), 0);

const isRead =
  (operand: 'a' | 'b') =>
  (site: GlobalAccess): boolean =>
    site.operand === operand && site.op === 'load';

/** Sectors of an operand that each block needs, over all blocks. */
function uniqueBytes(plan: Plan, operand: 'a' | 'b'): number {
  const { spec, grid, tiles, split } = plan;
  const { problem } = spec;
  const { layout, ld, dtype } = problem[operand];
  const bytes = DTYPE_BYTES[dtype];
  const parts = split?.parts ?? 1;
  const { rows, columns } = extent(problem, operand);
  const batches = grid.z / parts;
  const [own, others] = operand === 'a' ? [tiles.m, tiles.n] : [tiles.n, tiles.m];
  // A block needs all of K of its rows (or columns), in as many runs as the layout cuts them into.
  const side = operand === 'a' ? rows : columns;
  const depth = operand === 'a' ? columns : rows;
  const alongDepth = (operand === 'a') === (layout === 'row');
  const [runs, length] = alongDepth ? [side * parts, depth / parts] : [depth * own, side / own];
  return batches * others * runs * sectorsOfRun(length * bytes, ld * bytes, bytes) * SECTOR_BYTES;
}

/** Sectors of neighbouring bytes: on average, where rows begin anywhere in a sector. */
const sectorsOfRun = (runBytes: number, rowBytes: number, elementBytes: number): number =>
  rowBytes % SECTOR_BYTES === 0 && runBytes % SECTOR_BYTES === 0
    ? runBytes / SECTOR_BYTES
    : (runBytes - elementBytes) / SECTOR_BYTES + 1;
