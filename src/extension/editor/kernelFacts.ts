/** Facts about one kernel of a document, computed on request and cached until an input changes. */
import type { Analysis } from '../../core/report/analysis';
import { analyze } from '../../core/report/analyze';
import { bareOccupancy, type BareOccupancy } from '../../core/occupancy/bareOccupancy';
import { DEFAULT_DEVICE, deviceOf, isDeviceId, type DeviceId } from '../../core/hardware/devices';
import { deviceNamed, type Runnable } from '../../core/kernel/kernel';
import { readKernel, type KernelFile, type KernelText } from '../../core/source/kernelFile';
import type { Measurement } from '../../core/measure/measurement';
import { newestRuns, shownRun, type NewestRun } from '../../core/measure/newestRuns';
import { machineOf } from '../../core/roofline/roofline';
import type { CompiledFacts } from '../toolchain/facts';
import { forEveryTarget, newestOfSpec } from '../documents/specRuns';

export interface KernelFactsParts {
  readonly factsOf: (source: string, entry: string, device: string) => CompiledFacts | undefined;
  /**
   * Returns the runs of exactly this source, newest last; with `specKey`, only the runs of that
   * spec key.
   */
  readonly runsOf: (source: string, specKey: string | undefined) => readonly Measurement[];
  readonly runs: () => readonly Measurement[];
  /** Returns the device for kernels that do not name a device. */
  readonly device: () => DeviceId;
}

export type KernelFacts =
  | { readonly ok: false; readonly reason: string }
  | {
      readonly ok: true;
      readonly runnable: Runnable;
      readonly origin: Extract<KernelFile, { ok: true }>['origin'];
      readonly device: DeviceId;
      readonly compiled: CompiledFacts | undefined;
      readonly runs: readonly Measurement[];
      readonly analysis: Analysis;
      /** Run of this source that represents the kernel (`shownRun`). */
      readonly newest: Measurement | undefined;
      /**
       * Newest run on each backend of the spec that generates the kernel, in CUDA or WGSL; empty
       * for all other kernels.
       */
      readonly ofSpec: readonly NewestRun[];
    };

export interface KernelFactsCache {
  /**
   * Returns the occupancy of a kernel, which needs no annotation. Returns undefined if the file has
   * no such kernel, or if the kernel was not compiled for the device.
   */
  readonly bare: (file: KernelText, entry: string) => BareFacts | undefined;
  readonly of: (file: KernelText, entry: string) => KernelFacts;
  readonly forget: () => void;
}

export interface BareFacts {
  readonly occupancy: BareOccupancy;
  readonly device: DeviceId;
  readonly compiler: string;
}

/**
 * Creates a cache of facts per parsed file; a changed file is parsed again and has no cached facts.
 */
export function createKernelFactsCache(parts: KernelFactsParts): KernelFactsCache {
  let known = new WeakMap<KernelText, Map<string, KernelFacts>>();
  return {
    of: (file, entry) => {
      const kernels = known.get(file) ?? new Map<string, KernelFacts>();
      known.set(file, kernels);
      const facts = kernels.get(entry) ?? find(file, entry, parts);
      kernels.set(entry, facts);
      return facts;
    },
    bare: ({ text, kernels }, entry) => {
      const device = parts.device();
      const { computeCapability } = deviceOf(device);
      const resources = parts.factsOf(text, entry, device);
      const exists = kernels.some(kernel => kernel.entry === entry);
      if (!exists || resources === undefined || computeCapability === undefined) return undefined;
      const occupancy = bareOccupancy({ text, entry, resources, computeCapability });
      return { occupancy, device, compiler: resources.compiler };
    },
    forget: () => {
      known = new WeakMap();
    },
  };
}

function find(file: KernelText, entry: string, parts: KernelFactsParts): KernelFacts {
  const read = readKernel(file, entry);
  if (!read.ok) return read;
  const { runnable, origin } = read;
  const named = deviceNamed(runnable) ?? parts.device();
  const device = isDeviceId(named) ? named : DEFAULT_DEVICE;
  const compiled = parts.factsOf(runnable.source, entry, device);
  const several = file.annotations.length > 1;
  const runs = parts.runsOf(runnable.source, several ? runnable.specKey : undefined);
  const analysis = analyze(runnable, {
    device,
    measurements: runs,
    calibrations: calibrationsOf(runnable, parts.runs()),
    ...(compiled === undefined ? {} : { resources: compiled }),
    ...(compiled?.accesses === undefined ? {} : { accesses: compiled.accesses }),
  });
  const newest = shownRun(newestRuns(runs, () => true));
  const ofSpec =
    origin === 'generated' && runnable.spec !== undefined
      ? newestOfSpec(forEveryTarget(runnable.spec), parts.runs())
      : [];
  return { ok: true, runnable, origin, device, compiled, runs, analysis, newest, ofSpec };
}

/**
 * Returns the newest run with measured ceilings per machine, for the accumulator type of a kernel.
 */
function calibrationsOf(
  { problem }: Runnable,
  runs: readonly Measurement[],
): readonly Measurement[] {
  const calibrated = runs.filter(
    ({ ceilings, resolved }) =>
      ceilings !== undefined && resolved?.problem.accumulator === problem.accumulator,
  );
  return [...new Map(calibrated.map(run => [machineOf(run), run])).values()];
}
