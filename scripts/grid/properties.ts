/**
 * Checks properties of legal and illegal specs. Each `...Failures` function returns messages about
 * the violated properties.
 */
import { matrixPlanIn } from '../../src/core/plan/family';
import { analyze } from '../../src/core/report/analyze';
import type { Analysis } from '../../src/core/report/analysis';
import { compulsoryBytes } from '../../src/core/plan/traffic';
import { devices } from '../../src/core/hardware/devices';
import { emit } from '../../src/core/kernel/emit';
import { isLowered, type Kernel } from '../../src/core/kernel/kernel';
import { readKernelFile } from '../../src/core/source/kernelFile';
import type { Violation } from '../../src/core/plan/plan';
import { plan } from '../../src/core/plan/planner';
import { applyOverrides, decodeSpec } from '../../src/core/spec/decode';
import { resolve } from '../../src/core/defaults/resolve';
import { TARGETS, type GemmSpec, type Target } from '../../src/core/spec/schema';
import { countedTraffic } from './countedTraffic';

export type Failures = readonly string[];

export const kernelsOf = (spec: GemmSpec): readonly Kernel[] =>
  TARGETS.flatMap(target => kernelOf(spec, target) ?? []);

export function kernelOf(spec: GemmSpec, target: Target): Kernel | null {
  const planned = plan(resolve(spec), target);
  return planned.ok ? emit(planned.plan) : null;
}

/**
 * Checks that each violation has a rule, a path and a message, and that its nearest value, if not
 * null, removes it.
 */
export function violationFailures(spec: GemmSpec, target: Target): Failures {
  const planned = plan(resolve(spec), target);
  if (planned.ok) return [];
  if (planned.violations.length === 0) return ['illegal, but no violation is reported'];
  return planned.violations.flatMap(violation => {
    const { rule, path, message, nearest } = violation;
    const named = rule !== '' && path !== '' && message.length > 10;
    const shown = `${rule} at ${path}, ${JSON.stringify(nearest)}: ${message}`;
    if (!named) return [`a violation without a rule, a path or a message: ${shown}`];
    const after = nearest === null ? [] : violationsAfter(spec, violation, target);
    const again = after.find(other => other.rule === rule && other.path === path);
    return again === undefined
      ? []
      : [`not fixed by its nearest value: ${shown} Then: ${again.message}`];
  });
}

function violationsAfter(
  spec: GemmSpec,
  { path, nearest }: Violation,
  target: Target,
): readonly Violation[] {
  const decoded = changed(spec, path, nearest);
  const planned = plan(resolve(decoded), target);
  return planned.ok ? [] : planned.violations;
}

function changed(spec: GemmSpec, path: string, value: unknown): GemmSpec {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const overridden = applyOverrides(spec, [`${path}=${text}`]);
  if (!overridden.ok) throw new Error(`${path}=${text} is not a valid assignment`);
  const decoded = decodeSpec(overridden.value);
  if (!decoded.ok) throw new Error(`${path}=${text}: ${JSON.stringify(decoded.errors)}`);
  return decoded.spec;
}

/**
 * Checks that the kernel source is deterministic, is recognized as generated, and contains no NaN,
 * undefined or Infinity.
 */
export function textFailures(spec: GemmSpec, kernel: Kernel): Failures {
  const again = kernelOf(spec, kernel.target);
  const read = readKernelFile(kernel.source, kernel.fileName);
  return [
    ...(again?.source === kernel.source ? [] : ['the source code differs when emitted again']),
    ...(read.ok && read.origin === 'generated'
      ? []
      : ['the source code is not recognized as generated']),
    ...(/\b(NaN|undefined|Infinity)\b/.test(kernel.source)
      ? ['the source code contains NaN, undefined or Infinity']
      : []),
  ];
}

export function analysisFailures(kernel: Kernel): Failures {
  return [kernel.plan.spec.device, 'rx-7900-xtx'].flatMap(id => {
    const device = devices.find(row => row.id === id);
    return device === undefined
      ? [`no device ${id}`]
      : sumFailures(kernel, analyze(kernel, { device: device.id })).map(
          text => `on ${id}: ${text}`,
        );
  });
}

function sumFailures(kernel: Kernel, analysis: Analysis): Failures {
  const { traffic, roofline, occupancy, waves, globalMemory, sharedMemory } = analysis;
  const { problem } = kernel;
  const { plan } = kernel;
  const { grid } = plan;
  const { cluster, splitK } =
    plan.family === 'wgmma' ? plan.wgmma : { cluster: { m: 1, n: 1 }, splitK: 1 };
  const blocks =
    Math.ceil(grid.x / cluster.n) * Math.ceil(grid.y / cluster.m) * cluster.m * cluster.n * splitK;
  const claims: readonly (readonly [string, boolean])[] = [
    [
      'DRAM traffic equals the compulsory traffic of the problem',
      traffic.dram.value === compulsoryBytes(problem),
    ],
    ['the kernel requests at least the compulsory traffic', traffic.l2.value >= traffic.dram.value],
    [
      'shared-memory traffic is nonzero if and only if the kernel uses shared memory',
      traffic.shared.value > 0 === kernel.sharedBytes > 0,
    ],
    [
      'the waves have one tile per block of the grid, rounded up to whole clusters',
      waves === null || waves.tiles === blocks * grid.z,
    ],
    ['efficiency is in 0..1', waves === null || isShare(waves.efficiency)],
    [
      'the fraction of padding FLOPs is in 0..1',
      waves === null || isShare(waves.paddingFlopFraction),
    ],
    ['occupancy is in 0..1', occupancy === null || isShare(occupancy.occupancy)],
    [
      'the occupancy is for the number of threads per block in the plan',
      occupancy === null || occupancy.threads === kernel.plan.threads,
    ],
    [
      'arithmetic intensities are positive',
      roofline.problemRatio.value > 0 && roofline.kernelRatio.value > 0,
    ],
    [
      'no request costs less than its ideal',
      globalMemory.every(site => site.sectorsPerRequest >= site.idealSectors - 1e-9) &&
        sharedMemory.every(site => site.wavefrontsPerRequest >= site.idealWavefronts - 1e-9),
    ],
    // Subgroup-matrix stores in WGSL and TMA stores have no access site.
    [
      'C is stored',
      matrixPlanIn(plan)?.direct === true ||
        !isLowered(kernel) ||
        globalMemory.some(({ operand, op }) => operand === 'c' && op === 'store'),
    ],
    [
      'C is read if beta is not 0',
      !isLowered(kernel) ||
        globalMemory.some(({ operand, op }) => operand === 'c' && op === 'load') ===
          (problem.beta !== 0 && !addsAtomically(kernel)),
    ],
  ];
  return claims.flatMap(([claim, holds]) => (holds ? [] : [`violated: ${claim}`]));
}

/**
 * Returns whether atomic split-K reduction with beta = 1 updates C, so no separate load reads C.
 */
const addsAtomically = ({ plan, problem }: Kernel): boolean =>
  plan.split?.reduction === 'atomic' && problem.beta === 1;

const isShare = (value: number): boolean => value >= 0 && value <= 1;

export function trafficFailures(kernel: Kernel): Failures {
  const { traffic } = analyze(kernel, { device: 'h200' });
  const counted = countedTraffic(kernel);
  return (['l2', 'shared'] as const).flatMap(level =>
    traffic[level].value === counted[level]
      ? []
      : [`${level} traffic is ${traffic[level].value} B, but ${counted[level]} B were counted`],
  );
}
