/**
 * Computes the bytes that each memory level transfers for the whole problem, and the arithmetic
 * intensity. `MemoryLevel.rule` describes how the bytes of a level are counted.
 */
import type { Device } from '../hardware/devices';
import type { Kernel } from '../kernel/kernel';
import { usesMatrixUnits } from '../plan/mma/matrix';
import { matrixPlanIn } from '../plan/family';
import type { Plan } from '../plan/plan';
import { DTYPE_BYTES } from '../types/dtype';
import { gateOf, isEpilogueName, productsOf, type EpilogueName } from '../spec/epilogue';
import { extent, flops, type ResolvedProblem } from '../spec/resolved';
import type { GlobalAccess, SharedAccess } from './access';
import { dramTraffic, type DramTraffic } from './dramTraffic';
import { BANK_ROW_BYTES, SECTOR_BYTES } from './requestCost';
import { epilogueBytes, NO_CLUSTER, tmaBytes, sharedTrafficBytes } from '../plan/traffic';
import { figure, type Figure } from '../text/figure';
import type { Waves } from '../occupancy/report';

export const LEVELS = ['registers', 'shared', 'l1', 'l2', 'dram'] as const;
export type LevelName = (typeof LEVELS)[number];

export interface MemoryLevel {
  readonly level: LevelName;
  readonly bytes: Figure;
  readonly intensity: Figure;
  readonly rule: string;
  /**
   * L2 level of `wgmma` kernels only: bytes and intensity of all tiles that arrive at the blocks,
   * including multicast tiles that a different block of the cluster requested.
   */
  readonly arriving?: Pick<MemoryLevel, 'bytes' | 'intensity'>;
}

export interface MemoryLevels {
  readonly levels: readonly MemoryLevel[];
  readonly dram: DramTraffic;
  /**
   * DRAM bytes if all blocks of a wave ran in lockstep. Null if a wave has at most one block per
   * SM.
   */
  readonly dramInStep: Figure | null;
  /** Fraction of the A and B reads that hit the L2 cache, 0..1. */
  readonly l2HitRate: number;
}

export interface AnalyzedAccesses {
  readonly globalMemory: readonly GlobalAccess[];
  readonly sharedMemory: readonly SharedAccess[];
  readonly waves: Waves | null;
}

/**
 * Returns the number of bytes that are stored directly from accumulator matrices and have no access
 * site, or 0 for other kernels.
 */
function matrixBytes(plan: Plan): number {
  const {
    spec: { problem },
    split,
  } = plan;
  return matrixPlanIn(plan)?.direct === true
    ? (split === undefined ? 1 : productsOf(problem)) *
        problem.batch *
        problem.m *
        problem.n *
        (split?.slices ?? 1) *
        DTYPE_BYTES[split === undefined ? problem.c.dtype : problem.accumulator]
    : 0;
}

/** Returns the bytes of C and of the operands of the epilogue, which have no access site either. */
function storedBytes({ spec: { problem } }: Plan): number {
  const { m, n, c, beta, batch } = problem;
  return batch * m * n * DTYPE_BYTES[c.dtype] * (beta === 0 ? 1 : 2) + epilogueBytes(problem);
}

/** Counting rules that replace `RULES` for `wgmma` kernels. */
const DECLARED: Readonly<Partial<Record<LevelName, string>>> = {
  shared:
    'model of the hand-written loop: TMA writes, operand reads of each MMA, and C staged for the epilogue',
  l2: 'model of the hand-written loop: each A tile once per cluster row, each B tile once per cluster column, and C',
};

const RULES: Readonly<Record<LevelName, string>> = {
  registers: 'three operand reads and one write per FMA, in the accumulator type',
  shared:
    'wavefronts x 128 B from the loop IR, including bank conflicts, with adjacent loads merged as by the compiler',
  l1: 'requests x sectors x 32 B from the loop IR',
  l2: 'A and B sectors once per block (later warps hit L1), and every requested sector of C',
  dram: 'model: one block per SM, blocks in lockstep along K, LRU cache with the L2 capacity',
};

/** Levels that transfer C, and so the operands of the epilogue. */
const WITH_C: readonly LevelName[] = ['l1', 'l2', 'dram'];

function ruleOf({ family, spec }: Plan, level: LevelName): string {
  const rule = (family === 'wgmma' ? DECLARED[level] : undefined) ?? RULES[level];
  const hasOperands = epilogueBytes(spec.problem) > 0 && WITH_C.includes(level);
  return hasOperands ? `${rule}, including the operands of the epilogue` : rule;
}

export function memoryLevels(
  kernel: Kernel,
  accesses: AnalyzedAccesses,
  device: Device,
): MemoryLevels {
  const { plan } = kernel;
  const { problem } = plan.spec;
  const operations = flops(problem);
  const { globalMemory, sharedMemory, waves } = accesses;
  const blocksPerWave = waves?.blocksPerWave ?? device.multiprocessors;
  const l2Bytes = device.l2CacheMiB === undefined ? null : device.l2CacheMiB * 2 ** 20;
  const traffic = (blocksInStep: number) => dramTraffic(plan, { blocksInStep, l2Bytes });
  // Blocks on the same SM do not run in lockstep along K, as hardware counters of most kernels show
  // (docs/analysis.md).
  const blocksInStep = Math.min(blocksPerWave, device.multiprocessors);
  const dram = traffic(blocksInStep);
  const sectorBytes = (site: GlobalAccess): number =>
    site.requests * site.sectorsPerRequest * SECTOR_BYTES;
  const l1 = total(globalMemory, sectorBytes);
  const operandBytes = (operand: 'a' | 'b' | EpilogueName): number =>
    Math.min(
      total(globalMemory.filter(isRead(operand)), sectorBytes),
      uniqueBytes(plan, operand === 'a' ? 'a' : 'b'),
    );
  // The second B of a gate is loaded as B.
  const factors = ['a', 'b', ...gateNames(problem)] as const;
  const ofGroups = plan.family === 'wgmma';
  const reads = ofGroups ? tmaBytes(plan) : total(factors, operandBytes);
  const others = globalMemory.filter(site => !factors.some(operand => isRead(operand)(site)));
  const ofMatrices = usesMatrixUnits(plan);
  const isDrivers = plan.family === 'subgroup-matrix';
  const stored = ofGroups ? storedBytes(plan) : matrixBytes(plan);
  const bytes: Readonly<Record<LevelName, number>> = {
    // Matrix instructions do not expose their register traffic. If the driver chooses the layout,
    // the addresses of shared-memory reads are unknown. These levels are omitted.
    registers: ofMatrices ? 0 : (operations / 2) * 4 * DTYPE_BYTES[problem.accumulator],
    shared: isDrivers
      ? 0
      : ofGroups
        ? sharedTrafficBytes(plan)
        : total(sharedMemory, site => wavefrontsOf(site) * BANK_ROW_BYTES),
    // TMA bypasses L1.
    l1: ofGroups ? 0 : l1 + stored,
    l2: reads + total(others, sectorBytes) + stored,
    dram: dram.bytes,
  };
  const moved = (count: number) => ({
    bytes: figure(count, 'B', 'derived'),
    intensity: figure(operations / count, 'FLOP/B', 'derived'),
  });
  // Blocks read the same elements of a vector, which reach DRAM once.
  const ofMatrix = others.filter(({ operand }) => !isEpilogueName(operand));
  const used = total(ofMatrix, site => site.requests * site.usedBytesPerRequest);
  const ofEpilogue = ofGroups ? 0 : epilogueBytes(problem);
  const dramReads = dram.bytes - used - ofEpilogue - stored;
  return {
    dram,
    dramInStep:
      blocksInStep === blocksPerWave ? null : figure(traffic(blocksPerWave).bytes, 'B', 'derived'),
    l2HitRate: Math.min(1, Math.max(0, 1 - dramReads / reads)),
    levels: LEVELS.filter(level => bytes[level] > 0).map(level => ({
      level,
      ...moved(bytes[level]),
      rule: ruleOf(plan, level),
      ...(ofGroups && level === 'l2' ? { arriving: moved(tmaBytes(plan, NO_CLUSTER)) } : {}),
    })),
  };
}

export const wavefrontsOf = (site: SharedAccess): number => {
  const { requests, wavefrontsPerRequest } = site.joined ?? site;
  return requests * wavefrontsPerRequest;
};

const total = <T>(all: readonly T[], of: (one: T) => number): number =>
  all.reduce((sum, one) => sum + of(one), 0);

const gateNames = (problem: ResolvedProblem): readonly EpilogueName[] => {
  const gate = gateOf(problem);
  return gate === undefined ? [] : [gate.name];
};

const isRead =
  (operand: 'a' | 'b' | EpilogueName) =>
  (site: GlobalAccess): boolean =>
    site.operand === operand && site.op === 'load';

/**
 * Returns the number of bytes in the distinct operand sectors of each block, summed over the
 * blocks.
 */
function uniqueBytes(plan: Plan, operand: 'a' | 'b'): number {
  const { spec, grid, tiles, split } = plan;
  const { problem } = spec;
  const { layout, ld, dtype } = problem[operand];
  const bytes = DTYPE_BYTES[dtype];
  const parts = split?.slices ?? 1;
  const { rows, columns } = extent(problem, operand);
  const batches = grid.z / parts;
  const [own, others] = operand === 'a' ? [tiles.m, tiles.n] : [tiles.n, tiles.m];
  // A block reads its rows of A or columns of B over its slice of K. The layout determines the
  // number of contiguous runs.
  const side = operand === 'a' ? rows : columns;
  const depth = operand === 'a' ? columns : rows;
  const alongDepth = (operand === 'a') === (layout === 'row');
  const [runs, length] = alongDepth ? [side * parts, depth / parts] : [depth * own, side / own];
  return batches * others * runs * sectorsOfRun(length * bytes, ld * bytes, bytes) * SECTOR_BYTES;
}

/**
 * Returns the average number of sectors per contiguous run. Unaligned rows may start anywhere in a
 * sector.
 */
const sectorsOfRun = (runBytes: number, rowBytes: number, elementBytes: number): number =>
  rowBytes % SECTOR_BYTES === 0 && runBytes % SECTOR_BYTES === 0
    ? runBytes / SECTOR_BYTES
    : (runBytes - elementBytes) / SECTOR_BYTES + 1;
