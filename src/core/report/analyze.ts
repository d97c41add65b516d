/** analyze(): occupancy, traffic, roofline, memory access and waves of a kernel on a device. */
import { deviceOf, matchDevice, type Device, type DeviceId } from '../hardware/devices';
import { generatedKernel } from '../kernel/generatedKernel';
import type { Kernel, Runnable } from '../kernel/kernel';
import { withAdapterRoofs } from '../measure/ceilings';
import type { Measurement } from '../measure/measurement';
import { predictionReport } from '../model/report';
import { analysedCosts } from '../model/siteCosts';
import { usesMatrixUnits } from '../plan/mma/matrix';
import { piecesOf } from '../plan/pieces';
import type { PiecesPlan, Plan } from '../plan/plan';
import type { CompiledAccesses } from '../memory/compiledAccesses';
import { warpAccesses, type WarpAccesses } from '../memory/accesses';
import type { Analysis } from './analysis';
import { limitNotes } from './notes/limitNotes';
import { notesOf } from './notes/notes';
import { launchedOccupancy } from '../occupancy/launchedOccupancy';
import {
  deviceCeilings,
  machineOf,
  measuredCeilings,
  onMatrixUnits,
  rooflineOf,
} from '../roofline/roofline';
import {
  compulsoryBytes,
  requestedBytes,
  sharedTrafficBytes,
  uncachedBytes,
} from '../plan/traffic';
import { wavesOf } from '../occupancy/waves';
import { figure } from '../text/figure';
import type { OccupancyReport, CompiledResources } from '../occupancy/report';
import type { Ceiling } from '../roofline/contract';
import { withPrediction } from '../roofline/prediction';

export interface AnalyzeOptions {
  readonly device: DeviceId;
  readonly resources?: CompiledResources;
  /** Of a text that no spec gives: its sites, read from what the compiler made of it. */
  readonly accesses?: CompiledAccesses;
  readonly measurements?: readonly Measurement[];
  /** Runs of other kernels, oldest first: the ceilings that they carry are their machine's own, whatever it ran. */
  readonly calibrations?: readonly Measurement[];
}

const NO_ACCESSES: WarpAccesses = { global: [], shared: [] };

export function analyze(runnable: Runnable | Kernel, options: AnalyzeOptions): Analysis {
  const device = deviceOf(options.device);
  const kernel = generatedKernel(runnable);
  const plan = kernel?.plan ?? null;
  const { problem } = runnable;
  const report = occupancyReport(runnable, plan, device, options.resources);
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
          costs: analysedCosts(accesses.global, accesses.shared),
        });
  const { roofline, machineRooflines } = rooflines(
    ...([runnable, plan, device, options.measurements ?? [], options.calibrations] as const),
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
    notes: [
      ...notesOf(noteInput),
      ...(compiled?.notes ?? []),
      ...limitNotes({ runnable, kernel, device, report, compiled }),
    ],
  };
}

function occupancyReport(
  runnable: Runnable,
  plan: Plan | null,
  device: Device,
  resources: CompiledResources | undefined,
): OccupancyReport | null {
  const { computeCapability } = device;
  const registers = resources?.registers ?? plan?.registersEstimate;
  if (computeCapability === undefined || registers === undefined) return null;
  const from = resources === undefined ? 'derived' : 'compiler';
  const sharedBytes =
    resources === undefined
      ? (plan?.sharedBytes ?? 0)
      : resources.sharedBytes + runnable.dynamicSharedBytes;
  const threads = runnable.block.x * runnable.block.y * runnable.block.z;
  const result = launchedOccupancy(plan, {
    computeCapability,
    threadsPerBlock: threads,
    registersPerThread: registers,
    sharedBytesPerBlock: sharedBytes,
  });
  if (!result.ok) return null;
  const { blocksPerSm, heldPerSm, activeWarps, maxWarps, limiters, limits } = result.occupancy;
  return {
    blocksPerSm,
    heldPerSm,
    activeWarps,
    maxWarps,
    occupancy: result.occupancy.occupancy,
    limiters,
    limits,
    registers: figure(registers, 'registers', from),
    sharedBytes: figure(sharedBytes, 'B', from),
    threads,
  };
}

/** The device's roofline with what was measured on such a device, and one roofline for every other machine that measured. */
export function rooflines(
  runnable: Pick<Runnable, 'problem'>,
  plan: Plan | null,
  device: Device,
  measurements: readonly Measurement[],
  calibrations: readonly Measurement[] = [],
): Pick<Analysis, 'roofline' | 'machineRooflines'> {
  const { problem } = runnable;
  const uncached = plan === null ? null : uncachedBytes(plan);
  const here = (measurement: Measurement): boolean =>
    [measurement.device.name, measurement.device.adapter].some(
      name => matchDevice(name) === device.id,
    );
  const timedElsewhere = measurements.filter(run => run.timing !== undefined && !here(run));
  const own = measurements.filter(here);
  const pieces = plan === null ? undefined : piecesOf(plan.spec.schedule);
  const bounding = (ceilings: readonly Ceiling[], of?: Device): readonly Ceiling[] =>
    plan !== null && usesMatrixUnits(plan)
      ? onMatrixUnits(ceilings, problem, of, pieces)
      : ceilings;
  const measured = bounding(
    ceilingsOfRuns([...calibrations.filter(here), ...own], problem, pieces),
  );
  const isMeasuredHere = ({ kind, from }: Ceiling): boolean =>
    from === 'measured' &&
    measured.some(ceiling => ceiling.kind === kind && ceiling.of === undefined);
  const common = { problem, uncachedBytes: uncached };
  return {
    roofline: rooflineOf({
      ...common,
      machine: device.name,
      ceilings: [
        // What this GPU reaches stands in for what another of its kind did.
        ...bounding(deviceCeilings(device, problem.accumulator), device).filter(
          one => !isMeasuredHere(one),
        ),
        ...measured,
      ],
      measurements: own,
    }),
    machineRooflines: [...new Set(timedElsewhere.map(machineOf))].map(machine => {
      const runs = timedElsewhere.filter(run => machineOf(run) === machine);
      const ceilings = bounding(ceilingsOfRuns(runs, problem, pieces));
      return rooflineOf({ ...common, machine, ceilings, measurements: runs });
    }),
  };
}

/** The best that any of these runs of one machine measured, of every level and unit. */
function ceilingsOfRuns(
  runs: readonly Measurement[],
  problem: Runnable['problem'],
  pieces: PiecesPlan | undefined,
): readonly Ceiling[] {
  const roofed = withAdapterRoofs(runs);
  const newest =
    roofed.findLast(({ ceilings }) => ceilings?.list !== undefined) ??
    roofed.findLast(({ ceilings }) => ceilings !== undefined);
  return newest === undefined ? [] : measuredCeilings(newest, problem, pieces);
}
