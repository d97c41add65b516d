/** The contract of `analyze`: what is known of a kernel on a device. */
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
  /** Null where the device has no published occupancy rules (WebGPU adapters other than NVIDIA's). */
  readonly occupancy: OccupancyReport | null;
  readonly traffic: { readonly dram: Figure; readonly l2: Figure; readonly shared: Figure };
  /** Of the device; a measured point stands here only if such a device made it. */
  readonly roofline: Roofline;
  /** Of every other machine that measured this kernel, on the ceilings measured there. */
  readonly machineRooflines: readonly Roofline[];
  readonly globalMemory: readonly GlobalAccess[];
  readonly sharedMemory: readonly SharedAccess[];
  readonly waves: Waves | null;
  /** What the time model expects; null where it says nothing (WGSL, no occupancy, no peak of the element type). */
  readonly prediction: PredictionReport | null;
  readonly notes: readonly Note[];
}
