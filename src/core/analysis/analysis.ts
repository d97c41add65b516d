/** The contract of `analyze`: what is known of a kernel on a device. */
import type { GlobalOperand } from '../ir/ir';
import type { PredictionReport } from '../model/report';
import type { Target } from '../spec/schema';

/** A number with its unit and where it comes from. */
export interface Figure {
  readonly value: number;
  readonly unit: string;
  readonly from: 'spec' | 'derived' | 'compiler' | 'measured';
}

export const figure = (value: number, unit: string, from: Figure['from']): Figure => ({
  value,
  unit,
  from,
});

export interface OccupancyReport {
  /** That run at a time. */
  readonly blocksPerSm: number;
  /** That an SM could hold: more where the launch makes fewer. */
  readonly heldPerSm: number;
  readonly activeWarps: number;
  readonly maxWarps: number;
  /** Active warps of maximum warps, 0..1. */
  readonly occupancy: number;
  readonly limiters: readonly string[];
  /** Blocks an SM could hold if that resource alone counted, and those of the `launch` where it makes fewer. */
  readonly limits: Readonly<Record<string, number>>;
  readonly registers: Figure;
  readonly sharedBytes: Figure;
  readonly threads: number;
}

export interface Ceiling {
  readonly name: string;
  readonly kind: 'compute' | 'memory';
  /** TFLOP/s for compute, GB/s for memory. */
  readonly value: number;
  readonly unit: 'TFLOP/s' | 'GB/s';
  readonly from: 'spec' | 'derived' | 'measured';
  /** The machine it belongs to. */
  readonly machine: string;
  /** What else than ordinary lanes and DRAM, which alone decide what is attainable. */
  readonly of?: 'l2' | 'shared' | 'tensor';
}

export interface RooflinePoint {
  readonly name: string;
  readonly kind: 'attainable' | 'without-caches' | 'predicted' | 'measured';
  /** FLOP/B. */
  readonly intensity: number;
  readonly tflops: number;
  readonly from: Figure['from'];
  readonly machine: string;
  /** Of a measured point: what the timer's step allows on its time. */
  readonly errorPercent?: number;
  /** Of a measured point: ISO 8601, where the run recorded it. */
  readonly at?: string;
}

export interface Roofline {
  readonly machine: string;
  readonly deviceRatio: Figure;
  readonly problemRatio: Figure;
  readonly kernelRatio: Figure;
  /** Unknown where the machine lacks a ceiling for the element type; ratios and attainable are NaN then. */
  readonly bound: 'compute' | 'memory' | 'unknown';
  readonly attainable: Figure;
  readonly ceilings: readonly Ceiling[];
  readonly points: readonly RooflinePoint[];
}

/** Where the access of a kernel stands that no spec gives: read from what the compiler made of it. */
export interface SourcePlace {
  /** Of the source, from 1; null where the compiler does not tell. */
  readonly line: number | null;
  /** As it is written there: `A[(i + i0) * K + k]`. */
  readonly code: string;
  /** Elements between most neighbouring lanes; null where no distance is that of half of them. */
  readonly lanesApart: number | null;
  /** The argument that has this value, as the source names it: `K`. */
  readonly apartName: string | null;
}

export interface GlobalAccess {
  readonly site: string;
  readonly operand: GlobalOperand;
  readonly op: 'load' | 'store';
  readonly widthBytes: number;
  readonly sectorsPerRequest: number;
  readonly idealSectors: number;
  /** Distinct bytes that the lanes of a request ask for, and bytes of the sectors that hold them. */
  readonly usedBytesPerRequest: number;
  readonly movedBytesPerRequest: number;
  /** Of all warps of the grid, with tiles at the edge counted as whole ones. */
  readonly requests: number;
  /** Elements between neighbouring lanes of a request, where it is the same for all. */
  readonly laneStride: number | null;
  /** Absent where the site is one of the loop IR. */
  readonly source?: SourcePlace;
}

/** Wider loads in place of many. */
export interface Joined {
  readonly widthBytes: number;
  readonly wavefrontsPerRequest: number;
  readonly requests: number;
}

export interface SharedAccess {
  readonly site: string;
  readonly operand: GlobalOperand;
  readonly op: 'load' | 'store';
  readonly widthBytes: number;
  readonly wavefrontsPerRequest: number;
  /** The fewest in which lanes in another order could ask for the same bytes. */
  readonly idealWavefronts: number;
  /** Wavefronts more than if no two words of a request shared a bank. */
  readonly conflictsPerRequest: number;
  /** Of all warps of the grid, with tiles at the edge counted as whole ones. */
  readonly requests: number;
  /** Least padding, in elements a row, that leaves no conflict; null when no padding does or none is needed. */
  readonly curingPadding: number | null;
  /** What the compiler makes of it, where that joins neighbouring loads of an unrolled loop. */
  readonly joined?: Joined;
  /** Absent where the site is one of the loop IR. */
  readonly source?: SourcePlace;
}

export interface Waves {
  /** Blocks of the grid: tiles of C, of every product of a batch and every part of K. */
  readonly tiles: number;
  readonly blocksPerWave: number;
  readonly waves: number;
  /** Blocks over the block slots of all waves, 0..1. Slots that stay empty are occupancy, not idle SMs. */
  readonly efficiency: number;
  /** Of the multiply-adds of whole tiles, those outside of C and K. */
  readonly paddingFlopFraction: number;
  readonly paddingFlops: Figure;
  /** The last wave: its blocks, and its blocks over its block slots, 0..1. */
  readonly tail: { readonly blocks: Figure; readonly efficiency: Figure };
  /** Load balance over SMs: blocks of the average SM over those of the busiest SM, 0..1. */
  readonly balance: Figure;
}

export interface Note {
  readonly level: 'info' | 'advice' | 'warning';
  readonly text: string;
}

export interface Analysis {
  readonly specKey: string;
  readonly device: string;
  readonly target: Target;
  /** Null where the device has no published occupancy rules (WebGPU adapters other than NVIDIA's). */
  readonly occupancy: OccupancyReport | null;
  readonly traffic: { readonly dram: Figure; readonly l2: Figure; readonly shared: Figure };
  /** Of the device; a measured point stands here only if such a device made it. */
  readonly roofline: Roofline;
  /** Of every other machine that measured this kernel, on the ceilings measured there. */
  readonly machineRooflines: readonly Roofline[];
  readonly globalMemory: readonly GlobalAccess[];
  readonly sharedMemory: readonly SharedAccess[];
  readonly waves: Waves | null;
  /** What the time model expects; null where it says nothing (WGSL, no occupancy, no peak of the element type). */
  readonly prediction: PredictionReport | null;
  readonly notes: readonly Note[];
}
