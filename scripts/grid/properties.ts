/** What must hold of every spec, legal or not. Each property gives the sentences that say how it fails. */
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

/** The kernels of a spec's legal targets. */
export const kernelsOf = (spec: GemmSpec): readonly Kernel[] =>
  TARGETS.flatMap(target => kernelOf(spec, target) ?? []);

export function kernelOf(spec: GemmSpec, target: Target): Kernel | null {
  const planned = plan(resolve(spec), target);
  return planned.ok ? emit(planned.plan) : null;
}

/** Reasons have a name, a place and words, and the value they offer heals them; one value after the other ends. */
export function violationFailures(spec: GemmSpec, target: Target): Failures {
  const planned = plan(resolve(spec), target);
  if (planned.ok) return [];
  if (planned.violations.length === 0) return ['illegal without a violation'];
  return planned.violations.flatMap(violation => {
    const { rule, path, message, nearest } = violation;
    const named = rule !== '' && path !== '' && message.length > 10;
    const shown = `${rule} at ${path}, ${JSON.stringify(nearest)}: ${message}`;
    if (!named) return [`a violation without a name, a path or words: ${shown}`];
    const after = nearest === null ? [] : violationsAfter(spec, violation, target);
    const again = after.find(other => other.rule === rule && other.path === path);
    return again === undefined ? [] : [`does not heal: ${shown} Then: ${again.message}`];
  });
}

/** Violations once one of them has its nearest value. */
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
  if (!overridden.ok) throw new Error(`${path}=${text} is no assignment`);
  const decoded = decodeSpec(overridden.value);
  if (!decoded.ok) throw new Error(`${path}=${text}: ${JSON.stringify(decoded.errors)}`);
  return decoded.spec;
}

/** The same text every time, which reads back as what it is. */
export function textFailures(spec: GemmSpec, kernel: Kernel): Failures {
  const again = kernelOf(spec, kernel.target);
  const read = readKernelFile(kernel.source, kernel.fileName);
  return [
    ...(again?.source === kernel.source ? [] : ['the text is another one the second time']),
    ...(read.ok && read.origin === 'generated' ? [] : ['the text does not read back as generated']),
    ...(/\b(NaN|undefined|Infinity)\b/.test(kernel.source)
      ? ['the text holds NaN or undefined']
      : []),
  ];
}

/** On every kind of device: no throw, and no figure that cannot be. */
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
    ['dram is what the problem must move', traffic.dram.value === compulsoryBytes(problem)],
    [
      'the kernel asks for what the problem must move, at least',
      traffic.l2.value >= traffic.dram.value,
    ],
    [
      'shared traffic is where shared tiles are',
      traffic.shared.value > 0 === kernel.sharedBytes > 0,
    ],
    ['tiles are the grid, in whole clusters', waves === null || waves.tiles === blocks * grid.z],
    ['efficiency is a share', waves === null || isShare(waves.efficiency)],
    ['padding is a share', waves === null || isShare(waves.paddingFlopFraction)],
    ['occupancy is a share', occupancy === null || isShare(occupancy.occupancy)],
    ['threads are the block', occupancy === null || occupancy.threads === kernel.plan.threads],
    ['ratios are numbers', roofline.problemRatio.value > 0 && roofline.kernelRatio.value > 0],
    [
      'no request costs less than its ideal',
      globalMemory.every(site => site.sectorsPerRequest >= site.idealSectors - 1e-9) &&
        sharedMemory.every(site => site.wavefrontsPerRequest >= site.idealWavefronts - 1e-9),
    ],
    // Whole matrices are the driver's, and no site counts them, as none counts what TMA moves.
    [
      'C is stored',
      matrixPlanIn(plan)?.direct === true ||
        !isLowered(kernel) ||
        globalMemory.some(({ operand, op }) => operand === 'c' && op === 'store'),
    ],
    [
      'C is read where beta is not 0',
      !isLowered(kernel) ||
        globalMemory.some(({ operand, op }) => operand === 'c' && op === 'load') ===
          (problem.beta !== 0 && !addsAtomically(kernel)),
    ],
  ];
  return claims.flatMap(([claim, holds]) => (holds ? [] : [`not so: ${claim}`]));
}

/** Atomic addition reads what it adds to: with beta = 1 nothing else does. */
const addsAtomically = ({ plan, problem }: Kernel): boolean =>
  plan.split?.reduction === 'atomic' && problem.beta === 1;

const isShare = (value: number): boolean => value >= 0 && value <= 1;

/** Bytes of the analysis are those that the simulator counts. */
export function trafficFailures(kernel: Kernel): Failures {
  const { traffic } = analyze(kernel, { device: 'h200' });
  const counted = countedTraffic(kernel);
  return (['l2', 'shared'] as const).flatMap(level =>
    traffic[level].value === counted[level]
      ? []
      : [`${level} traffic is ${traffic[level].value} B, counted are ${counted[level]} B`],
  );
}
