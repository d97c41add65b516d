/** Legality, kernels and analysis, computed from the state. */
import { analyze } from '../src/core/report/analyze';
import { machineRoofline, kernelOnRoofline } from '../src/core/roofline/machineRoofline';
import type { Analysis } from '../src/core/report/analysis';
import type { Roofline } from '../src/core/roofline/contract';
import { onMachine } from '../src/core/report/onMachine';
import {
  deviceOf,
  findDevice,
  matchDevice,
  DEFAULT_DEVICE,
  type Device,
} from '../src/core/hardware/devices';
import { emit } from '../src/core/kernel/emit';
import type { Kernel } from '../src/core/kernel/kernel';
import { sourceHashOf } from '../src/core/text/hash';
import type { Measurement } from '../src/core/measure/measurement';
import { newestRuns, type NewestRun } from '../src/core/measure/newestRuns';
import type { Planned, Violation } from '../src/core/plan/plan';
import { checkAndPlan, type CheckReport } from '../src/core/defaults/check';
import type { ResolvedSpec } from '../src/core/spec/resolved';
import type { GemmSpec, Target } from '../src/core/spec/schema';
import { calibratedRuns, runsWithCeilings, runsOf, runsOfSpec, type Calibrated } from './runIndex';
import { factsKey, type State } from './state';
import type { CompiledResources } from '../src/core/occupancy/report';

export type Shown =
  | {
      readonly ok: true;
      readonly kernel: Kernel;
      /**
       * Analysis for the shown machine. A machine other than the device of the spec has no
       * occupancy, waves or prediction.
       */
      readonly analysis: Analysis;
      readonly onDevice: Analysis;
      /**
       * Rooflines: the device of the spec first, then one per machine with measurements or measured
       * ceilings.
       */
      readonly rooflines: readonly Roofline[];
      readonly roofline: Roofline;
    }
  | { readonly ok: false; readonly violations: readonly Violation[] };

export interface Derived {
  readonly report: CheckReport;
  readonly device: Device;
  readonly kernels: Readonly<Record<Target, Emitted>>;
  readonly target: Target;
  readonly shown: Shown;
  /**
   * Measurements of the kernel for the shown target, or for the other target if only that is legal;
   * newest last.
   */
  readonly runs: readonly Measurement[];
  /** One run of the spec per backend, preferably of the current kernel source; newest last. */
  readonly newest: readonly NewestRun[];
  /** Other runs of the current sources of the spec, newest last. */
  readonly earlier: readonly Measurement[];
}

export type Emitted = Kernel | readonly Violation[];

export const isKernel = (emitted: Emitted): emitted is Kernel => 'source' in emitted;

export type DeriveInput = Pick<State, 'runs' | 'localRuns' | 'compiled' | 'view'> & {
  readonly spec: GemmSpec;
};

export function derive(input: DeriveInput): Derived {
  const { spec, view, compiled } = input;
  const { report, kernels } = emittedOf(spec);
  const { resolved } = report;
  const device = findDevice(resolved.device) ?? deviceOf(DEFAULT_DEVICE);
  const target = view.target ?? preferredTarget(device, kernels);
  const lists = [runsWithCeilings(input.runs, input.localRuns)];
  const kernel = kernels[target];
  // If the shown target is not legal, the kernel of the other target runs.
  const running = isKernel(kernel) ? kernel : Object.values(kernels).find(isKernel);
  // Match by source hash: an edited kernel must not show the measurements of the generated kernel.
  const runs = running === undefined ? [] : runsOf(lists, sourceHashOf(running));
  const base = { report, device, kernels, target, runs, ...resultsOf(report, kernels, lists) };
  if (!isKernel(kernel)) return { ...base, shown: { ok: false, violations: kernel } };
  const resources = factsOf(kernel, device, compiled);
  const analysis = analyze(kernel, {
    device: device.id,
    measurements: runs,
    calibrations: calibratedRuns(lists)
      .filter(({ dtype }) => dtype === kernel.problem.accumulator)
      .map(({ run }) => run),
    ...(resources === undefined ? {} : { resources }),
  });
  const rooflines = [
    analysis.roofline,
    ...analysis.machineRooflines,
    ...calibrated(kernel, calibratedRuns(lists), [analysis.roofline, ...analysis.machineRooflines]),
  ];
  const roofline = rooflines.find(({ machine }) => machine === view.machine) ?? analysis.roofline;
  const shown = onMachine({ analysis, device, plan: kernel.plan }, roofline);
  const figures = { analysis: shown, onDevice: analysis, rooflines, roofline };
  return { ...base, shown: { ok: true, kernel, ...figures } };
}

function resultsOf(
  { specKey }: CheckReport,
  kernels: Derived['kernels'],
  lists: readonly (readonly Measurement[])[],
): Pick<Derived, 'newest' | 'earlier'> {
  const isPresent = (hash: string): boolean =>
    Object.values(kernels).some(kernel => isKernel(kernel) && sourceHashOf(kernel) === hash);
  const all = runsOfSpec(lists, specKey);
  const newest = newestRuns(all, isPresent);
  const earlier = all.filter(
    one => isPresent(one.sourceHash ?? '') && newest.every(({ run }) => run !== one),
  );
  return { newest, earlier };
}

function factsOf(
  kernel: Kernel,
  { computeCapability }: Device,
  compiled: State['compiled'],
): CompiledResources | undefined {
  if (computeCapability === undefined || kernel.target !== 'cuda') return undefined;
  const arch = `sm_${computeCapability.replace('.', '')}`;
  return compiled[factsKey({ sourceHash: sourceHashOf(kernel), entry: kernel.entry, arch })];
}

/**
 * Returns rooflines of machines with measured ceilings that have not run this spec. Ceilings depend
 * on the machine and the accumulator type, not on the kernel.
 */
function calibrated(
  { plan: { spec }, plan }: Kernel,
  runs: readonly Calibrated[],
  known: readonly Roofline[],
): readonly Roofline[] {
  const { problem } = spec;
  const others = runs.filter(
    ({ dtype, machine, run }) =>
      dtype === problem.accumulator &&
      !known.some(roofline => roofline.machine === machine) &&
      matchDevice(run.device.name) !== spec.device,
  );
  const newest = new Map(others.map(({ machine, run }) => [machine, run]));
  const kernel = kernelOnRoofline(problem, plan);
  return [...newest].map(([name, run]) =>
    machineRoofline(kernel, { name, calibrations: [run], measurements: [] }),
  );
}

interface EmittedSpec {
  readonly report: CheckReport;
  readonly kernels: Derived['kernels'];
}

const knownSpecs = new WeakMap<GemmSpec, EmittedSpec>();

/**
 * Returns the check report and the kernels of a spec for every target. Each kernel is emitted when
 * it is first read. Cached by spec object, which is immutable.
 */
export function emittedOf(spec: GemmSpec): EmittedSpec {
  const known = knownSpecs.get(spec);
  if (known !== undefined) return known;
  const { report, plans } = checkAndPlan(spec);
  const [cuda, wgsl] = [once(() => emitted(plans.cuda)), once(() => emitted(plans.wgsl))];
  const kernels = {
    get cuda() {
      return cuda();
    },
    get wgsl() {
      return wgsl();
    },
  };
  knownSpecs.set(spec, { report, kernels });
  return { report, kernels };
}

export const resolvedOf = (spec: GemmSpec): ResolvedSpec => emittedOf(spec).report.resolved;

const emitted = (planned: Planned): Emitted =>
  planned.ok ? emit(planned.plan) : planned.violations;

/** Returns a function that calls `compute` once, when it is first called. */
function once<T>(compute: () => T): () => T {
  let done: { readonly value: T } | undefined;
  return () => (done ??= { value: compute() }).value;
}

function preferredTarget(device: Device, kernels: Derived['kernels']): Target {
  const own = device.computeCapability === undefined ? 'wgsl' : 'cuda';
  const other = own === 'cuda' ? 'wgsl' : 'cuda';
  return isKernel(kernels[own]) || !isKernel(kernels[other]) ? own : other;
}
