/** Converts a response of the runner to a Measurement. */
import type { RunRequest } from '../../../core/measure/backend';
import {
  NOT_VERIFIED,
  type Baseline,
  type MeasuredCeilings,
  type Measurement,
  type Timing,
} from '../../../core/measure/measurement';
import { implausible, limitsOf } from '../../../core/measure/plausible';
import { interquartileRange, intervalOf, median, timingOf } from '../../../core/measure/statistics';
import { type ResolvedProblem, flops } from '../../../core/spec/resolved';
import { checkedOf } from '../../../core/verify/bound';
import type { Evidence } from '../../../core/verify/judge/evidence';
import type { JudgeId } from '../../../core/verify/judge/ids';
import { judge, withJudgement } from '../../../core/verify/judge/judge';
import { inputsText } from '../../../core/verify/inputs';
import type { Report } from '../result';
import type { Ready, RunnerResult, RunnerTiming } from './protocol';

type TimedRun = Extract<NonNullable<RunnerResult['baselines']>[number], object>;

export interface Known {
  readonly ready: Ready;
  readonly report: Report;
  /** Fields that the Measurement has for every outcome. */
  readonly more: Partial<Measurement>;
  readonly ceilings?: MeasuredCeilings;
  readonly notes: readonly string[];
}

/** Converts and judges a response. A rejected kernel has no times and is not correct. */
export function measurementOf(
  request: RunRequest,
  result: RunnerResult,
  known: Known,
): Measurement {
  const { runnable, seed } = request;
  const subject = {
    problem: checkedOf(runnable),
    source: runnable.source,
    isGenerated: runnable.spec !== undefined,
  };
  const verification = result.verification ?? NOT_VERIFIED;
  const judged = judge(subject, seed, verification, evidenceOf(result));
  if ((result.judge?.failed.length ?? 0) === 0)
    return withJudgement(unjudged(request, result, known), judged);
  // The kernel was not timed to the end, so the result has no times.
  const { report, more } = known;
  const [first] = result.judge?.failed ?? [];
  const wrong = { ...more, verification: first?.verification ?? verification };
  return withJudgement(report('incorrect', first?.message ?? '', wrong), judged);
}

const evidenceOf = ({ judge: found }: RunnerResult): Evidence =>
  found === undefined ? { launches: [] } : { ...found, launches: found.failed };

function unjudged(
  { runnable, mode, baselines: requestedBaselines = [] }: RunRequest,
  result: RunnerResult,
  { ready, report, more, ceilings, notes }: Known,
): Measurement {
  const { problem } = runnable;
  const timed = result.outcome === 'correct' && mode === 'time';
  if (timed && result.timing === undefined) {
    return report('launch-error', 'The CUDA runner returned no timing.', more);
  }
  const messages = [result.message, ...(result.notes ?? []), ...notes].filter(Boolean).join(' ');
  const verified = { ...more, verification: result.verification ?? NOT_VERIFIED };
  if (!timed || result.timing === undefined) return report(result.outcome, messages, verified);

  const timing = timingFrom(result.timing, problem);
  const limits = limitsOf(runnable, ready.device, timing.clocks, ceilings);
  const why = implausible(problem, timing, limits);
  if (why !== undefined) {
    const findings = [{ id: 'implausible-time' satisfies JudgeId, message: why }];
    return report('launch-error', why, { ...verified, findings });
  }
  const libraries = requestedBaselines.flatMap(id => {
    const found = result.baselines?.find(one => one.id === id);
    return found === undefined ? [] : [baselineFrom(found, timing, problem)];
  });
  const [first] = libraries;
  return report(result.outcome, messages, {
    ...verified,
    timing,
    ...energyFrom(result.timing, problem),
    ...(first === undefined ? {} : { baseline: first, baselines: libraries }),
    ...(ceilings === undefined ? {} : { ceilings }),
  });
}

function timingFrom(timing: RunnerTiming, problem: ResolvedProblem): Timing {
  const { timer, quantumNs, warmUp, batch, cache, batchMs, sets, graph } = timing;
  const { clocks, powerW, temperatureC } = timing;
  return {
    ...timingOf({
      timer,
      quantumNs,
      warmUp,
      batch,
      problem,
      cache,
      batchTimesMs: batchMs,
      inputs: inputsText(problem),
    }),
    ...(clocks && { clocks }),
    ...(sets === undefined ? {} : { sets }),
    ...(graph === undefined ? {} : { graph }),
    ...(powerW && { powerW }),
    ...(temperatureC && { temperatureC }),
  };
}

/** Returns the energy per launch, the reason why it is unknown, or neither. */
function energyFrom(
  { energy: found, energyUnknown }: Pick<RunnerTiming, 'energy' | 'energyUnknown'>,
  problem: ResolvedProblem,
): Pick<Measurement, 'energy' | 'energyUnknown'> {
  if (found === undefined) return energyUnknown === undefined ? {} : { energyUnknown };
  const { watts, launchMs, windowMs } = found;
  const joules = (watts * launchMs) / 1000;
  return { energy: { joules, gflopsPerWatt: flops(problem) / 1e9 / joules, watts, windowMs } };
}

function baselineFrom(
  { id, name, batch, batchMs, ...timed }: TimedRun,
  { medianMs: ours, quantumNs }: Timing,
  problem: ResolvedProblem,
): Baseline {
  const medianMs = median(batchMs) / batch;
  const timerErrorMs = (quantumNs * 1e-6) / batch;
  const { energy } = energyFrom(timed, problem);
  return {
    id,
    name,
    medianMs,
    gflops: flops(problem) / (medianMs * 1e6),
    ratio: medianMs / ours,
    iqrMs: interquartileRange(batchMs) / batch,
    ...intervalOf(
      batchMs.map(time => time / batch),
      timerErrorMs,
    ),
    errorPercent: (100 * timerErrorMs) / medianMs,
    ...(energy === undefined ? {} : { energy }),
  };
}
