/** Traces some warps of a launch and counts their memory requests per instruction and array. */
import type { Listing } from '../listing/instruction';
import type { Launch } from '../../kernel/kernel';
import { WARP_LANES } from '../../hardware/warp';
import type { Dim3 } from '../../plan/plan';
import type { ResolvedProblem } from '../../spec/resolved';
import { activeLanes, initial, operandAt, parameterValues, type WarpPlace } from './launch';
import type { MemoryAccess } from './memory';
import { programOf } from './program';
import { Tally } from './tally';
import { parametersIn, sharedVariables, type SharedVariable } from './variables';
import { executeWarp, type Watcher } from './warp';

export interface Traced {
  readonly at: number;
  readonly access: MemoryAccess;
  readonly space: 'global' | 'shared';
  /**
   * Name of the matrix in global memory or of the array in shared memory; undefined for other
   * addresses.
   */
  readonly target: string | undefined;
  readonly tally: Tally;
}

export interface Trace {
  readonly traced: readonly Traced[];
  /**
   * Indices of accesses with an unknown address or predicate, and of instructions that are skipped
   * at an unknown branch.
   */
  readonly unknown: ReadonlySet<number>;
  readonly undecided: ReadonlySet<number>;
  readonly warps: number;
  readonly blocks: number;
  readonly steps: number;
  /** Number of warps whose trace ended at the instruction limit. */
  readonly cut: number;
}

export interface FollowOptions {
  /**
   * Maximum number of traced instructions of all warps. Only instructions that affect an address or
   * a branch count.
   */
  readonly mostSteps?: number;
  /** True to trace all warps of all blocks, for a small grid. */
  readonly all?: boolean;
}

/** Default limit on traced instructions of all warps. */
export const MAX_STEPS = 2_000_000;

export interface Followable {
  readonly text: string;
  readonly listing: Listing;
  readonly launch: Launch;
  readonly problem: ResolvedProblem;
}

export function traceWarps(
  { text, listing, launch, problem }: Followable,
  { mostSteps: maxSteps = MAX_STEPS, all = false }: FollowOptions = {},
): Trace {
  const program = programOf(listing);
  const parameters = parameterValues(parametersIn(text, listing), launch, problem);
  const shared = sharedVariables(text, launch.dynamicSharedBytes);
  const traced = new Map<string, Traced>();
  const unknown = new Set<number>();
  const undecided = new Set<number>();
  const watcher: Watcher = {
    asked: ({ at, access, space, addresses }) => {
      const lane = addresses.findIndex(address => !Number.isNaN(address));
      const array = space === 'shared' ? arrayAt(addresses[lane] ?? NaN, shared) : undefined;
      const target = space === 'global' ? operandAt(addresses[lane] ?? NaN) : array?.name;
      const start = array?.start ?? 0;
      const key = `${at} ${space} ${access.op} ${target ?? ''}`;
      const known = traced.get(key) ?? { at, access, space, target, tally: new Tally() };
      traced.set(key, known);
      known.tally.add(start === 0 ? addresses : addresses.map(address => address - start));
    },
    unknown: at => unknown.add(at),
    undecided: at => undecided.add(at),
  };
  const blocks = all ? everyBlock(launch.grid) : sampleBlocks(launch.grid);
  const warps = all ? everyWarp(launch.block) : sampleWarps(launch.block);
  let [steps, cut, left] = [0, 0, blocks.length * warps.length];
  for (const index of blocks) {
    for (const warp of warps) {
      const place: WarpPlace = { grid: launch.grid, block: launch.block, index, warp };
      const values = new Float64Array(program.slots * WARP_LANES).fill(NaN);
      for (const [name, slot] of program.given) {
        const value = initial(name, place, parameters, shared);
        for (let lane = 0; lane < WARP_LANES; lane++)
          values[slot * WARP_LANES + lane] = value(lane);
      }
      const most = Math.floor((maxSteps - steps) / left);
      const done = executeWarp(program, values, activeLanes(place), watcher, most);
      steps += done.steps;
      cut += Number(done.cut);
      left -= 1;
    }
  }
  return {
    traced: [...traced.values()],
    unknown,
    undecided,
    steps,
    cut,
    warps: blocks.length * warps.length,
    blocks: blocks.length,
  };
}

const arrayAt = (address: number, shared: readonly SharedVariable[]): SharedVariable | undefined =>
  shared.find(({ start, bytes }) => address >= start && address < start + bytes);

/** Returns a middle index. Avoids the last index, because the last tile may be partial. */
const middle = (count: number): number => Math.min(count >> 1, Math.max(0, count - 2));

/**
 * Selects the first block, a middle block, and the neighbors of the middle block along both axes.
 * With an odd leading dimension, neighboring tiles have different sector alignment.
 */
export function sampleBlocks({ x, y, z }: Dim3): readonly Dim3[] {
  const at = { x: middle(x), y: middle(y), z: middle(z) };
  const wanted: readonly Dim3[] = [
    { x: 0, y: 0, z: 0 },
    at,
    { ...at, x: Math.max(0, at.x - 1) },
    { ...at, y: Math.max(0, at.y - 1) },
  ];
  const distinct = new Map(wanted.map(block => [`${block.x} ${block.y} ${block.z}`, block]));
  return [...distinct.values()];
}

const MAX_WARPS = 8;

function sampleWarps(block: Dim3): readonly number[] {
  const all = everyWarp(block);
  if (all.length <= MAX_WARPS) return all;
  return [...all.slice(0, MAX_WARPS / 2), ...all.slice(-MAX_WARPS / 2)];
}

const everyWarp = ({ x, y, z }: Dim3): readonly number[] =>
  Array.from({ length: Math.ceil((x * y * z) / WARP_LANES) }, (_, warp) => warp);

function everyBlock({ x, y, z }: Dim3): readonly Dim3[] {
  return Array.from({ length: x * y * z }, (_, i) => ({
    x: i % x,
    y: Math.floor(i / x) % y,
    z: Math.floor(i / (x * y)),
  }));
}
