/** An analysis as it holds for one machine: occupancy, waves, prediction and their notes are of the analysed device alone. */
import type { Device } from '../hardware/devices';
import type { Plan } from '../plan/plan';
import type { Analysis } from './analysis';
import { notesOf } from './notes/notes';
import type { Roofline } from '../roofline/contract';

export interface AnalysedKernel {
  readonly analysis: Analysis;
  readonly device: Device;
  readonly plan: Plan | null;
}

/** Returns the analysis for the machine of `roofline`; a machine without an occupancy model gets no figure of the device's. */
export function onMachine(of: AnalysedKernel, roofline: Roofline): Analysis {
  const { analysis, device, plan } = of;
  if (roofline.machine === analysis.roofline.machine) return analysis;
  const { globalMemory, sharedMemory } = analysis;
  const none = { occupancy: null, waves: null, prediction: null };
  return {
    ...analysis,
    ...none,
    roofline,
    machineRooflines: [analysis.roofline, ...analysis.machineRooflines].filter(
      ({ machine }) => machine !== roofline.machine,
    ),
    notes: notesOf({ ...none, plan, device, globalMemory, sharedMemory, spillBytes: 0 }),
  };
}
