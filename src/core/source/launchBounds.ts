/** The `__launch_bounds__` of a kernel, and the registers per thread that they permit. */
import { WARP_LANES } from '../hardware/warp';
import { splitAtCommas } from './annotationSchema';
import type { Located } from './kernelSites';
import { valueOf, type Constants } from './sourceConstants';

export interface LaunchBounds {
  readonly threads: number;
  readonly minBlocksPerSm: number;
  /** Character range of the arguments in the source code. */
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the launch bounds of a kernel, or undefined if it has none or if its thread count is not
 * constant.
 */
export function launchBoundsOf(
  text: string,
  { start, nameAt }: Located,
  constants: Constants,
): LaunchBounds | undefined {
  const declaration = text.slice(start, nameAt);
  const open = /__launch_bounds__\s*\(/.exec(declaration);
  if (open === null) return undefined;
  const from = open.index + open[0].length;
  const to = declaration.lastIndexOf(')');
  const [threads, minBlocks] = splitAtCommas(declaration.slice(from, to)).map(argument =>
    valueOf(argument, constants),
  );
  if (threads === undefined || threads < 1) return undefined;
  const minBlocksPerSm = Math.max(1, minBlocks ?? 1);
  return { threads, minBlocksPerSm, start: start + from, end: start + to };
}

/** Registers per SM of every compute capability since 7.0. */
const REGISTERS_PER_SM = 65_536;
const MAX_REGISTERS = 255;

/**
 * Computes the maximum registers per thread that launch bounds permit. ptxas spills registers
 * beyond this limit.
 */
export function maxRegistersPerThread({ threads, minBlocksPerSm }: LaunchBounds): number {
  const warps = Math.ceil(threads / WARP_LANES) * minBlocksPerSm;
  return Math.min(MAX_REGISTERS, Math.floor(REGISTERS_PER_SM / (WARP_LANES * warps) / 8) * 8);
}
