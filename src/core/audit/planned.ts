/** The default kernel of a shape, and its predicted time. */
import { t } from '@vscode/l10n';
import type { DispatchTable } from '../defaults/dispatch/table';
import { checkAndPlan } from '../defaults/check';
import type { DeviceId } from '../hardware/devices';
import { emit } from '../kernel/emit';
import type { Kernel } from '../kernel/kernel';
import { analyze } from '../report/analyze';
import type { Roofline } from '../roofline/contract';
import type { GemmSpec } from '../spec/schema';
import { toSpec } from '../spec/toSpec';
import type { Shape } from './shapes';

export interface PlannedShape {
  readonly shape: Shape;
  readonly kernel: Kernel;
  /** The spec with its complete schedule. */
  readonly spec: GemmSpec;
  readonly scheduleFrom: string;
  /** Predicted time of one call; null if the device has no time model. */
  readonly predictedMs: number | null;
  /** Roofline of the kernel on the device. */
  readonly roofline: Roofline;
}

/** A shape without a kernel; `why` contains the violated rules. */
export interface UnplannedShape {
  readonly shape: Shape;
  readonly why: string;
}

export const isPlanned = (one: PlannedShape | UnplannedShape): one is PlannedShape =>
  'kernel' in one;

export interface PlanOptions {
  readonly device: DeviceId;
  /** Tables that include the schedules adopted in the workspace. */
  readonly tables?: readonly DispatchTable[];
}

export function planShape(
  shape: Shape,
  { device, tables }: PlanOptions,
): PlannedShape | UnplannedShape {
  const spec: GemmSpec = { version: 1, problem: shape.problem, device, targets: ['cuda'] };
  const { report, plans } = checkAndPlan(spec, tables);
  if (!plans.cuda.ok) {
    const [first] = report.violations;
    return { shape, why: first?.message ?? t('No CUDA kernel is legal for this problem.') };
  }
  const kernel = emit(plans.cuda.plan);
  const { prediction, roofline } = analyze(kernel, { device });
  return {
    shape,
    kernel,
    spec: toSpec({ ...report.resolved, targets: ['cuda'] }),
    scheduleFrom: report.scheduleFrom.text,
    predictedMs: prediction?.milliseconds.value ?? null,
    roofline,
  };
}

/**
 * Returns an estimate of the time of all calls in milliseconds: the prediction, or the time at the
 * roofline. The longest shapes are measured first.
 */
export function estimateMs({ shape, predictedMs, roofline }: PlannedShape): number {
  const attained = roofline.attainable.value;
  const { m, n, k, batch } = shape.resolved;
  const atRoof = attained > 0 ? (2 * m * n * k * batch) / (attained * 1e9) : 0;
  return shape.weight * (predictedMs ?? atRoof);
}
