/** Result type of `analyze`: the analysis of one kernel on one device. */
import type { PredictionReport } from '../model/report';
import type { Numerics } from '../plan/numerics';
import type { Target } from '../spec/schema';
import type { Figure } from '../text/figure';
import type { Note } from '../text/note';
import type { OccupancyReport, Waves } from '../occupancy/report';
import type { GlobalAccess, SharedAccess } from '../memory/access';
import type { Roofline } from '../roofline/contract';

export interface Analysis {
  readonly specKey: string;
  readonly device: string;
  readonly target: Target;
  /**
   * Occupancy of the kernel; null if the register count is unknown, if the launch is invalid, or
   * for non-NVIDIA devices, which have no published occupancy rules.
   */
  readonly occupancy: OccupancyReport | null;
  readonly traffic: { readonly dram: Figure; readonly l2: Figure; readonly shared: Figure };
  /**
   * Roofline of the analyzed device. Contains a measured point only if the kernel was measured on
   * this kind of device.
   */
  readonly roofline: Roofline;
  /**
   * Rooflines of other machines on which this kernel was measured, with the ceilings measured
   * there.
   */
  readonly machineRooflines: readonly Roofline[];
  readonly globalMemory: readonly GlobalAccess[];
  readonly sharedMemory: readonly SharedAccess[];
  readonly waves: Waves | null;
  /**
   * Result of the time model. Null for WGSL, for kernels without a plan, and if the model lacks the
   * occupancy or a rate of the device.
   */
  readonly prediction: PredictionReport | null;
  /** Numerics contract; null for kernels without a plan, whose accumulation order is unknown. */
  readonly numerics: Numerics | null;
  readonly notes: readonly Note[];
}
