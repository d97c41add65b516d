/** Analyzes a kernel on a device: occupancy, traffic, roofline, memory accesses and waves. */
import { deviceOf, type Device, type DeviceId } from '../hardware/devices';
import { recoverGenerated } from '../kernel/generatedKernel';
import type { Kernel, Runnable } from '../kernel/kernel';
import type { Measurement } from '../measure/measurement';
import { predictionReport } from '../model/report';
import { withPrediction } from '../roofline/prediction';
import { analyzedCosts } from '../model/siteCosts';
import { numericsOf } from '../plan/numerics';
import type { Plan } from '../plan/plan';
import type { CompiledAccesses } from '../memory/compiledAccesses';
import { warpAccesses, type WarpAccesses } from '../memory/accesses';
import { type Analysis } from './analysis';
import { figure } from '../text/figure';
import { type OccupancyReport } from '../occupancy/report';
import { limitNotes } from './notes/limitNotes';
import { notesOf } from './notes/notes';
import { occupancyReport } from '../occupancy/occupancyReport';
import { kernelOnRoofline, rooflines } from '../roofline/machineRoofline';
import { compulsoryBytes, requestedBytes, sharedTrafficBytes } from '../plan/traffic';
import { wavesOf } from '../occupancy/waves';

import type { CompiledResources } from '../occupancy/report';
export interface AnalyzeOptions {
  readonly device: DeviceId;
  readonly resources?: CompiledResources;
  /** Access sites derived from compiled code, for kernels without a spec. */
  readonly accesses?: CompiledAccesses;
  readonly measurements?: readonly Measurement[];
  /**
   * Measurements of other kernels, oldest first. Their measured ceilings apply to the machine
   * regardless of the kernel.
   */
  readonly calibrations?: readonly Measurement[];
}

const NO_ACCESSES: WarpAccesses = { global: [], shared: [] };

export function analyze(runnable: Runnable | Kernel, options: AnalyzeOptions): Analysis {
  const device = deviceOf(options.device);
  const kernel = recoverGenerated(runnable);
  const plan = kernel?.plan ?? null;
  const { problem } = runnable;
  const report = occupancyOf(runnable, plan, device, options.resources);
  const compiled = kernel === null ? options.accesses : undefined;
  const accesses = kernel === null ? (compiled ?? NO_ACCESSES) : warpAccesses(kernel);
  const waves = wavesOf(plan, device, report);
  const prediction =
    plan === null
      ? null
      : predictionReport({
          plan,
          device,
          occupancy: report,
          costs: analyzedCosts(accesses.global, accesses.shared),
        });
  const { roofline, machineRooflines } = rooflines(
    kernelOnRoofline(problem, plan),
    device,
    options.measurements ?? [],
    options.calibrations,
  );
  const { resources } = options;
  const spillBytes = (resources?.spillStores ?? 0) + (resources?.spillLoads ?? 0);
  const bytes = (value: number) => figure(value, 'B', 'derived');
  const read = (value = NaN) => figure(value, 'B', 'compiler');
  const inSites = kernel === null ? NO_ACCESSES : accesses;
  const memory = { globalMemory: inSites.global, sharedMemory: inSites.shared };
  const noteInput = { plan, device, occupancy: report, waves, spillBytes, ...memory };
  return {
    specKey: runnable.specKey,
    device: options.device,
    target: runnable.target,
    occupancy: report,
    traffic: {
      dram: bytes(compulsoryBytes(problem)),
      l2: plan === null ? read(compiled?.globalBytes) : bytes(requestedBytes(plan)),
      shared: plan === null ? read(compiled?.sharedBytes) : bytes(sharedTrafficBytes(plan)),
    },
    roofline: prediction === null ? roofline : withPrediction(roofline, prediction),
    machineRooflines,
    globalMemory: accesses.global,
    sharedMemory: accesses.shared,
    waves,
    prediction,
    numerics: plan === null ? null : numericsOf(plan),
    notes: [
      ...notesOf(noteInput),
      ...(compiled?.notes ?? []),
      ...limitNotes({ runnable, kernel, device, report, compiled }),
    ],
  };
}

function occupancyOf(
  runnable: Runnable,
  plan: Plan | null,
  device: Device,
  resources: CompiledResources | undefined,
): OccupancyReport | null {
  const { computeCapability } = device;
  const registers = resources?.registers ?? plan?.registersEstimate;
  if (computeCapability === undefined || registers === undefined) return null;
  const sharedBytes =
    resources === undefined
      ? (plan?.sharedBytes ?? 0)
      : resources.sharedBytes + runnable.dynamicSharedBytes;
  const { x, y, z } = runnable.block;
  const launch = {
    computeCapability,
    threadsPerBlock: x * y * z,
    registersPerThread: registers,
    sharedBytesPerBlock: sharedBytes,
  };
  return occupancyReport(plan, launch, resources === undefined ? 'derived' : 'compiler');
}
