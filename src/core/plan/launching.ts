/**
 * Last stage of planning: register estimates, and the register limit that the launch bounds impose.
 */
import { epilogueOperands } from '../spec/epilogue';
import type { ResolvedSpec } from '../spec/resolved';
import type { Target } from '../spec/schema';
import { WARP_LANES } from '../hardware/warp';
import { lanePlanIn } from './family';
import { limitsOf } from './limits';
import type { Geometry, Plan } from './plan';
import { REGISTERS_PER_SM, registersOf } from './registers';

/**
 * Returns a function that completes plans for one geometry. The specs passed to it may differ from
 * `spec` only in `minBlocksPerSm`.
 */
export function launching(
  spec: ResolvedSpec,
  target: Target,
  geometry: Geometry,
): (spec: ResolvedSpec) => Plan {
  const { problem } = spec;
  const limits = limitsOf(spec, target);
  const registers = registersOf(spec, geometry);
  const most = limits?.registersPerThread ?? Infinity;
  const spare = spareOf(geometry);
  const common = {
    ...geometry,
    target,
    dtypes: {
      a: problem.a.dtype,
      b: problem.b.dtype,
      c: problem.c.dtype,
      workspace: problem.accumulator,
      ...Object.fromEntries(epilogueOperands(problem).map(({ name, dtype }) => [name, dtype])),
    },
    accumulator: problem.accumulator,
    dynamicShared: limits !== null && geometry.sharedBytes > limits.staticSharedBytes,
  };
  return given => {
    const allowed = Math.min(most, registersAllowed(given, target, geometry.threads));
    const { minBlocksPerSm } = given.schedule;
    return {
      ...common,
      spec: given,
      algorithm: given.schedule.algorithm,
      registersEstimate: Math.min(registers.expected, allowed),
      spilledEstimate: {
        inner: Math.max(0, registers.inner - allowed),
        outer: OUTER_SHARE * Math.max(0, registers.expected - allowed - spare),
      },
      ...(minBlocksPerSm === undefined ? {} : { minBlocksPerSm }),
    };
  };
}

/**
 * Fraction of the excess registers beyond `spareOf` that the compiler spills. It rematerializes the
 * other values.
 */
const OUTER_SHARE = 0.65;

/**
 * Returns the number of excess registers that the compiler avoids in address arithmetic. Swizzled
 * addresses allow fewer.
 */
function spareOf(geometry: Geometry): number {
  const lanes = lanePlanIn(geometry);
  if (lanes === null) return 0;
  return lanes.a.swizzle > 1 || lanes.b.swizzle > 1 ? 15 : 40;
}

/**
 * Returns the maximum number of registers per thread under the launch bounds; Infinity for WGSL.
 * Above it, the compiler spills.
 */
export function registersAllowed(
  { schedule }: ResolvedSpec,
  target: Target,
  threads: number,
): number {
  if (target !== 'cuda') return Infinity;
  const warps = Math.ceil(threads / WARP_LANES) * (schedule.minBlocksPerSm ?? 1);
  return Math.floor(REGISTERS_PER_SM / (WARP_LANES * warps) / 8) * 8;
}
