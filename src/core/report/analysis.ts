/** The contract of `analyze`: the analysis of one kernel on one device. */
import type { PredictionReport } from '../model/report';
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
  /** Null if the device has no published occupancy rules (WebGPU adapters other than NVIDIA's). */
  readonly occupancy: OccupancyReport | null;
  readonly traffic: { readonly dram: Figure; readonly l2: Figure; readonly shared: Figure };
  /** Roofline of the device. It holds a measured point only if such a device was measured. */
  readonly roofline: Roofline;
  /** One roofline per other machine that measured this kernel, with the ceilings measured there. */
  readonly machineRooflines: readonly Roofline[];
  readonly globalMemory: readonly GlobalAccess[];
  readonly sharedMemory: readonly SharedAccess[];
  readonly waves: Waves | null;
  /**
   * Result of the time model. Null for WGSL, without occupancy, or without a peak for the element
   * type.
   */
  readonly prediction: PredictionReport | null;
  readonly notes: readonly Note[];
}
