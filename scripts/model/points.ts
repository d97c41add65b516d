/** Converts recorded runs to inputs of the time model. */
import { analyze } from '../../src/core/report/analyze';
import { deviceOf } from '../../src/core/hardware/devices';
import { emit } from '../../src/core/kernel/emit';
import type { Measurement } from '../../src/core/measure/measurement';
import type { Calibration } from '../../src/core/model/calibration';
import { machineFor, type Machine } from '../../src/core/model/machine';
import { predict, type Prediction } from '../../src/core/model/predict';
import { analyzedCosts, type SiteCosts } from '../../src/core/model/siteCosts';
import type { Plan } from '../../src/core/plan/plan';
import { plan } from '../../src/core/plan/planner';

const DEVICE = 'h200';

export interface Point {
  readonly specKey: string;
  readonly schedule: string;
  readonly plan: Plan;
  readonly costs: SiteCosts;
  readonly machine: Machine;
  /**
   * Resident blocks per SM with the register count of the compiler, and with the estimate before
   * compilation.
   */
  readonly blocksPerSm: Readonly<Record<'compiled' | 'estimated', number>>;
  readonly milliseconds: number;
  readonly gflops: number;
}

export const predicted = (
  { plan, costs, machine, blocksPerSm }: Point,
  calibration: Calibration,
  registers: keyof Point['blocksPerSm'],
): Prediction =>
  predict({ plan, costs, machine, calibration, blocksPerSm: blocksPerSm[registers] });

/** Returns one point per timed run whose kernel is legal and fits on an SM. */
export const pointsOf = (runs: readonly Measurement[]): readonly Point[] => runs.flatMap(pointOf);

function pointOf(run: Measurement): readonly Point[] {
  const { resolved, timing, resources, specKey } = run;
  if (resolved === null || timing === undefined) return [];
  const planned = plan(resolved, 'cuda');
  const machine = machineFor(deviceOf(DEVICE), resolved.problem.accumulator);
  if (!planned.ok || machine === null) return [];
  const kernel = emit(planned.plan);
  const estimated = analyze(kernel, { device: DEVICE });
  const compiled = analyze(kernel, {
    device: DEVICE,
    // Runs record total shared memory, but the compiler reports only static shared memory.
    ...(resources === undefined
      ? {}
      : {
          resources: {
            ...resources,
            sharedBytes: resources.sharedBytes - kernel.dynamicSharedBytes,
          },
        }),
  });
  const blocks = (of: typeof estimated): number => of.occupancy?.blocksPerSm ?? 0;
  if (blocks(estimated) === 0 || blocks(compiled) === 0) return [];
  return [
    {
      specKey,
      plan: planned.plan,
      machine,
      schedule: JSON.stringify(resolved.schedule),
      costs: analyzedCosts(estimated.globalMemory, estimated.sharedMemory),
      blocksPerSm: { compiled: blocks(compiled), estimated: blocks(estimated) },
      milliseconds: timing.medianMs,
      gflops: timing.gflops,
    },
  ];
}
