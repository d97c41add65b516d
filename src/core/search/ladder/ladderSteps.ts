/** Fits every rung of a ladder to a problem, and derives the gain of each rung with its reasons. */
import { t } from '@vscode/l10n';
import type { Analysis } from '../../report/analysis';
import { analyze } from '../../report/analyze';
import { deviceOf, matchDevice, type DeviceId } from '../../hardware/devices';
import { emit } from '../../kernel/emit';
import type { Kernel } from '../../kernel/kernel';
import { precise } from '../../text/numbers';
import { speedUp, type Interval } from '../../measure/intervals';
import { ratioText } from '../../measure/intervalText';
import type { Measurement } from '../../measure/measurement';
import type { Violation } from '../../plan/plan';
import { ladderOf, type Rung } from './rungs';
import { resolve } from '../../defaults/resolve';
import type { GemmSpec, Target } from '../../spec/schema';
import { demandOf, type Demand } from './demand';
import { fitRung, type AdapterLimits } from './fit';
import { reasonsBetween, type Reason, type ReasonMachine } from './reasons';
import type { CompiledResources } from '../../occupancy/report';

export type RungFit =
  | {
      readonly ok: true;
      readonly number: number;
      readonly rung: Rung;
      readonly kernel: Kernel;
      /**
       * Message about a smaller schedule and its cause; null if the schedule of the rung is used.
       */
      readonly adapted: string | null;
    }
  | {
      readonly ok: false;
      readonly number: number;
      readonly rung: Rung;
      readonly violations: readonly Violation[];
    };

/**
 * Fits every rung of a target to the problem and device of a spec; ignores the spec's schedule.
 * @param limits limits of the WebGPU adapter that will run the rungs
 */
export function fitRungs(
  spec: GemmSpec,
  target: Target,
  limits?: AdapterLimits,
): readonly RungFit[] {
  return ladderOf(target, resolve({ ...spec, targets: [target] })).map((rung, index) => {
    const fitted = fitRung(spec, rung, target, limits);
    const common = { number: index + 1, rung };
    return fitted.ok
      ? { ok: true, ...common, kernel: emit(fitted.plan), adapted: fitted.adapted }
      : { ok: false, ...common, violations: fitted.violations };
  });
}

export interface Gain {
  /** Number of the baseline rung, which is the previous legal rung. */
  readonly over: number;
  /** Measured speedup; null if either rung was not timed. */
  readonly factor: number | null;
  /** 95 % confidence interval of the factor; null if a run has no interval. */
  readonly interval: Interval | null;
  /** Predicted speedup; null if either rung has no prediction. */
  readonly predictedFactor: number | null;
  readonly reasons: readonly Reason[];
  readonly text: string;
}

export interface Step {
  readonly hold: RungFit;
  /**
   * Analysis for the spec's device, which may differ from the measuring machine; null if the rung
   * is not legal.
   */
  readonly analysis: Analysis | null;
  readonly measurement: Measurement | null;
  readonly gain: Gain | null;
}

/** Returns the predicted rate on the analyzed device in GFLOP/s; null without a prediction. */
export const predictedGflops = ({ analysis }: Pick<Step, 'analysis'>): number | null => {
  const tflops = analysis?.prediction?.tflops.value;
  return tflops === undefined ? null : 1000 * tflops;
};

/**
 * Adds the analysis, measurement and gain to each rung.
 * @param runs measurements by rung number
 */
export function stepsOf(
  holds: readonly RungFit[],
  runs: ReadonlyMap<number, Measurement>,
  device: DeviceId,
): readonly Step[] {
  const measured = machineOf(runs, device);
  const steps: (Step & { readonly demand: Demand | null })[] = [];
  for (const hold of holds) {
    const measurement = runs.get(hold.number) ?? null;
    const analysis = hold.ok ? analysisOf(hold.kernel, measurement, device) : null;
    const demand =
      !hold.ok || analysis === null
        ? null
        : demandOf(
            hold.kernel,
            measured.device === device
              ? analysis
              : analysisOf(hold.kernel, measurement, measured.device),
          );
    const before = steps.findLast(step => step.demand !== null);
    const now = { hold, analysis, measurement, demand };
    steps.push({
      ...now,
      gain: before === undefined ? null : gainOf(before, now, measured.machine),
    });
  }
  return steps.map(({ hold, analysis, measurement, gain }) => ({
    hold,
    analysis,
    measurement,
    gain,
  }));
}

/**
 * Selects the device for the reasons: the measuring GPU if it is in the device table, otherwise the
 * spec's device.
 */
function machineOf(
  runs: ReadonlyMap<number, Measurement>,
  device: DeviceId,
): { readonly device: DeviceId; readonly machine: ReasonMachine } {
  const timed = [...runs.values()].find(({ timing }) => timing !== undefined)?.device;
  if (timed === undefined) return { device, machine: { known: true } };
  const found = matchDevice(timed.name) ?? matchDevice(timed.adapter);
  return found === undefined
    ? { device, machine: { known: false, model: deviceOf(device).name } }
    : { device: found, machine: { known: true } };
}

function analysisOf(kernel: Kernel, run: Measurement | null, device: DeviceId): Analysis {
  const resources: CompiledResources | undefined = run?.resources;
  return analyze(kernel, {
    device,
    ...(resources === undefined ? {} : { resources }),
    ...(run === null ? {} : { measurements: [run] }),
  });
}

type Compared = Omit<Step, 'gain'> & { readonly demand: Demand | null };

function gainOf(before: Compared, after: Compared, machine: ReasonMachine): Gain | null {
  if (before.demand === null || after.demand === null) return null;
  const [slow, fast] = [before.measurement?.timing, after.measurement?.timing];
  const measured =
    slow === undefined || fast === undefined || slow.gflops === 0 ? null : speedUp(fast, slow);
  const [was, is] = [predictedGflops(before), predictedGflops(after)];
  const predictedFactor = was === null || is === null || was === 0 ? null : is / was;
  const reasons = reasonsBetween(before.demand, after.demand, machine);
  const gains = {
    factor: measured?.value ?? null,
    interval: measured?.interval ?? null,
    predictedFactor,
  };
  return { over: before.hold.number, ...gains, reasons, text: gainText(gains, reasons) };
}

type Factors = Pick<Gain, 'factor'> & Partial<Pick<Gain, 'interval' | 'predictedFactor'>>;

/**
 * Formats the factor and its reasons. Reasons that match the direction of the factor come first.
 */
export function gainText(
  { factor, interval = null, predictedFactor = null }: Factors,
  reasons: readonly Reason[],
): string {
  const own = reasons.filter(({ model }) => model === undefined);
  const modelled = reasons.filter(({ model }) => model !== undefined);
  const shown = factor ?? predictedFactor;
  const slower = shown !== null && shown < 1;
  const [model] = modelled.flatMap(reason => reason.model ?? []);
  const why = [
    ...(own.length > 0 || model === undefined
      ? [sentenceOf(own, slower)]
      : [t('figures derived for the measuring machine are unchanged')]),
    ...(model === undefined ? [] : [t('on {0} (model): {1}', model, sentenceOf(modelled, slower))]),
  ].join('; ');
  if (factor !== null) {
    return interval === null
      ? t('{0}x: {1}', precise(factor), why)
      : t('{0}: {1}', ratioText({ value: factor, interval }), why);
  }
  return predictedFactor === null ? why : t('{0}x predicted: {1}', precise(predictedFactor), why);
}

function sentenceOf(reasons: readonly Reason[], slower: boolean): string {
  const texts = (...effects: readonly Reason['effect'][]): string =>
    reasons
      .filter(({ effect }) => effects.includes(effect))
      .map(({ text }) => text)
      .join(', ');
  const [first, second] = slower
    ? [texts('worse'), texts('better')]
    : [texts('better'), texts('worse')];
  const neutral = texts('neutral');
  const directed =
    first === '' || second === ''
      ? first || second
      : slower
        ? t('{0}; despite {1}', first, second)
        : t('{0}; offset by {1}', first, second);
  return [directed, neutral].filter(Boolean).join(', ') || t('no derived figure changes');
}
