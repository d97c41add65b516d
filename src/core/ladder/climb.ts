/** One problem on every rung: what is legal and what it asks for, what was measured, and what each step gained and why. */
import { t } from '@vscode/l10n';
import type { Analysis } from '../analysis/analysis';
import { analyze, type CompiledResources } from '../analysis/analyze';
import type { DeviceId } from '../device/devices';
import { emit } from '../emit/emit';
import type { Kernel } from '../emit/kernel';
import { precise } from '../language/numbers';
import type { Measurement } from '../measure/measurement';
import type { Violation } from '../plan/plan';
import { DEFAULT_WEBGPU_LIMITS } from '../plan/limits';
import { plan } from '../plan/planner';
import { LADDER_WEBGPU_LIMITS, ladderOf, type Rung } from '../spec/ladder';
import { resolve } from '../spec/resolve';
import type { GemmSpec, Target } from '../spec/schema';
import { demandOf } from './demand';
import { reasonsBetween, type Reason } from './reasons';

/** A rung for a problem: its kernel, or why there is none. */
export type Hold =
  | { readonly ok: true; readonly number: number; readonly rung: Rung; readonly kernel: Kernel }
  | {
      readonly ok: false;
      readonly number: number;
      readonly rung: Rung;
      readonly violations: readonly Violation[];
    };

/** Every rung of a target for a spec's problem and device; the spec's schedule counts for nothing. */
export function holdsOf(spec: GemmSpec, target: Target): readonly Hold[] {
  return ladderOf(target, resolve({ ...spec, targets: [target] })).map((rung, index) => {
    const planned = plan(resolve(specOfRung(spec, rung, target)), target);
    const common = { number: index + 1, rung };
    return planned.ok
      ? { ok: true, ...common, kernel: emit(planned.plan) }
      : { ok: false, ...common, violations: planned.violations };
  });
}

/** Rungs that ask an adapter for WebGPU's defaults where they need no more, so that one with small limits runs those. */
export function frugalHoldsOf(spec: GemmSpec, target: Target): readonly Hold[] {
  const holds = holdsOf(spec, target);
  if (target !== 'wgsl' || spec.webgpuLimits !== undefined) return holds;
  const frugal = holdsOf({ ...spec, webgpuLimits: DEFAULT_WEBGPU_LIMITS }, target);
  return holds.map((hold, index) => (frugal[index]?.ok === true ? frugal[index] : hold));
}

/** The spec of a rung, as a file would have it. */
export function specOfRung(spec: GemmSpec, { schedule }: Rung, target: Target): GemmSpec {
  const limits =
    target === 'wgsl' ? { webgpuLimits: spec.webgpuLimits ?? LADDER_WEBGPU_LIMITS } : {};
  return { ...spec, ...limits, schedule, targets: [target] };
}

export interface Gain {
  /** Number of the rung it is compared with: the one before it that is legal. */
  readonly over: number;
  /** How many times as fast; null where one of the two was not timed. */
  readonly factor: number | null;
  readonly reasons: readonly Reason[];
  /** One sentence. */
  readonly text: string;
}

/** A rung with all that is known of it. */
export interface Step {
  readonly hold: Hold;
  readonly analysis: Analysis | null;
  readonly measurement: Measurement | null;
  readonly gain: Gain | null;
}

/** @param runs by number of rung: those that ran */
export function stepsOf(
  holds: readonly Hold[],
  runs: ReadonlyMap<number, Measurement>,
  device: DeviceId,
): readonly Step[] {
  const steps: Step[] = [];
  for (const hold of holds) {
    const measurement = runs.get(hold.number) ?? null;
    const analysis = hold.ok ? analysisOf(hold.kernel, measurement, device) : null;
    const before = steps.findLast(step => step.hold.ok);
    const gain = before === undefined ? null : gainOf(before, { hold, analysis, measurement });
    steps.push({ hold, analysis, measurement, gain });
  }
  return steps;
}

function analysisOf(kernel: Kernel, run: Measurement | null, device: DeviceId): Analysis {
  const resources: CompiledResources | undefined = run?.resources;
  return analyze(kernel, {
    device,
    ...(resources === undefined ? {} : { resources }),
    ...(run === null ? {} : { measurements: [run] }),
  });
}

function gainOf(before: Step, after: Omit<Step, 'gain'>): Gain | null {
  const [was, is] = [before, after].map(({ hold, analysis }) =>
    hold.ok && analysis !== null ? demandOf(hold.kernel, analysis) : undefined,
  );
  if (was === undefined || is === undefined) return null;
  const [slow, fast] = [before.measurement?.timing, after.measurement?.timing];
  const factor =
    slow === undefined || fast === undefined || slow.gflops === 0
      ? null
      : fast.gflops / slow.gflops;
  const reasons = reasonsBetween(was, is);
  return { over: before.hold.number, factor, reasons, text: gainText(factor, reasons) };
}

/** What goes with the measured direction first; a rung that changes no figure says so. */
export function gainText(factor: number | null, reasons: readonly Reason[]): string {
  const texts = (effect: Reason['effect']): string =>
    reasons
      .filter(reason => reason.effect === effect)
      .map(({ text }) => text)
      .join(', ');
  const slower = factor !== null && factor < 1;
  const [first, second] = slower
    ? [texts('worse'), texts('better')]
    : [texts('better'), texts('worse')];
  const why =
    first === '' && second === ''
      ? t('no derived figure changes')
      : first === '' || second === ''
        ? first || second
        : slower
          ? t('{0}; in spite of {1}', first, second)
          : t('{0}; against it {1}', first, second);
  return factor === null ? why : t('{0}x: {1}', precise(factor), why);
}
