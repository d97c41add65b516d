/** The `__launch_bounds__` of a kernel, as its text has them, and the registers that they leave a thread. */
import { WARP_LANES } from '../hardware/warp';
import { splitAtCommas } from './annotationSchema';
import type { Located } from './kernelSites';
import { valueOf, type Constants } from './sourceConstants';

export interface LaunchBounds {
  readonly threads: number;
  readonly minBlocksPerSm: number;
  /** Span of the arguments in the text. */
  readonly start: number;
  readonly end: number;
}

/** Undefined where the kernel has none, or none that constants come to. */
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

/** Of every compute capability since 7.0. */
const REGISTERS_PER_SM = 65_536;
const MOST_REGISTERS = 255;

/** Most registers a thread may have under launch bounds: ptxas spills rather than pass them. */
export function registersLeft({ threads, minBlocksPerSm }: LaunchBounds): number {
  const warps = Math.ceil(threads / WARP_LANES) * minBlocksPerSm;
  return Math.min(MOST_REGISTERS, Math.floor(REGISTERS_PER_SM / (WARP_LANES * warps) / 8) * 8);
}
