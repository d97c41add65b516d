/**
 * Adapts an analysis to a different machine. Occupancy, waves, prediction and their notes are
 * removed because they apply only to the analyzed device.
 */
import type { Device } from '../hardware/devices';
import type { Plan } from '../plan/plan';
import type { Analysis } from './analysis';
import { notesOf } from './notes/notes';
import type { Roofline } from '../roofline/contract';

export interface AnalyzedKernel {
  readonly analysis: Analysis;
  readonly device: Device;
  readonly plan: Plan | null;
}

export function onMachine(analyzed: AnalyzedKernel, roofline: Roofline): Analysis {
  const { analysis, device, plan } = analyzed;
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
