/** Reads recorded WGSL benchmarks and fits the trees that predict their times. */
import * as v from 'valibot';
import type { BoostedTrees } from '../../../src/core/cost/boostedTrees';
import { simtMachine } from '../../../src/core/cost/simt/simtModel';
import { wgslEstimate, type WgslEstimate } from '../../../src/core/cost/wgsl/wgslModel';
import { withoutTables } from '../../../src/core/defaults/resolve';
import { deviceOf, type DeviceId } from '../../../src/core/hardware/devices';
import { median } from '../../../src/core/measure/statistics';
import { decodeSpec } from '../../../src/core/spec/decode';
import { flops, type ResolvedProblem } from '../../../src/core/spec/resolved';
import { fittedTrees, type BoostedOptions } from './boostedFit';

export interface WgslRace {
  readonly key: string;
  readonly points: readonly { readonly estimate: WgslEstimate; readonly milliseconds: number }[];
}

const sides = v.object({ m: v.number(), n: v.number() });
const tiles = v.object({
  block: v.object({ ...sides.entries, k: v.number() }),
  warp: sides,
  thread: sides,
  padding: v.optional(v.object({ a: v.optional(v.number()) })),
  splitK: v.optional(v.number()),
});
const shapeLine = v.object({
  type: v.literal('shape'),
  key: v.string(),
  problem: v.unknown(),
  contestants: v.array(v.object({ schedule: tiles, gflops: v.array(v.number()) })),
});

/** Returns the benchmarks in the lines of a record of raceOnDawn.ts. */
export function wgslRaces(lines: string, device: DeviceId): readonly WgslRace[] {
  const machine = simtMachine(deviceOf(device));
  if (machine === null) throw new Error(`The peak of ${device} is unknown.`);
  return lines
    .trim()
    .split('\n')
    .map(line => v.safeParse(shapeLine, JSON.parse(line)))
    .filter(({ success }) => success)
    .map(({ output }) => v.parse(shapeLine, output))
    .map(({ key, problem, contestants }) => ({
      key,
      points: contestants
        .filter(({ gflops }) => gflops.length > 0)
        .map(({ schedule, gflops }) => {
          const of = problemOf(problem);
          return {
            estimate: wgslEstimate(of, schedule, machine),
            milliseconds: flops(of) / median(gflops) / 1e6,
          };
        }),
    }))
    .filter(({ points }) => points.length > 0);
}

function problemOf(problem: unknown): ResolvedProblem {
  const decoded = decodeSpec({ version: 1, problem, targets: ['wgsl'] });
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.errors));
  return withoutTables(decoded.spec).problem;
}

const OPTIONS: Omit<BoostedOptions, 'names'> = {
  trees: 300,
  depth: 4,
  rate: 0.1,
  ridge: 1,
  bins: 32,
  pointsPercent: 70,
  featuresPercent: 50,
  seed: 1,
};

/** Fits the logarithms of the ratios of measured and estimated times. */
export function fittedWgsl(races: readonly WgslRace[]): BoostedTrees {
  const names = Object.keys(races[0]?.points[0]?.estimate.features ?? {});
  const points = races.flatMap(({ points: of }) => {
    const fastest = Math.min(...of.map(({ milliseconds }) => milliseconds));
    return of.map(({ estimate, milliseconds }) => ({
      features: Object.values(estimate.features),
      target: Math.log(milliseconds / estimate.milliseconds),
      weight: (fastest / milliseconds) ** 2,
    }));
  });
  return fittedTrees(points, { ...OPTIONS, names });
}
