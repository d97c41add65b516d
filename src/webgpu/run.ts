/**
 * Runs a WGSL kernel on the GPU: verifies it and, on request, times it. Every error is reported as
 * an outcome of the Measurement.
 */
import { recoverGenerated } from '../core/kernel/generatedKernel';
import { launchesOf, type Launch as Launched, type Runnable } from '../core/kernel/kernel';
import type { RunContext, RunRequest } from '../core/measure/backend';
import type { Measurement, Outcome } from '../core/measure/measurement';
import { usesMatrixUnits } from '../core/measure/plausible';
import { timingOf } from '../core/measure/statistics';
import type { ResolvedProblem } from '../core/spec/resolved';
import { inputsText } from '../core/verify/inputs';
import { checkedOf } from '../core/verify/bound';
import { judge, withJudgement } from '../core/verify/judge/judge';
import { verifyResult } from '../core/verify/verify';
import { mapTile } from '../core/verify/wrongMap';
import { openAdapter } from './adapter';
import { PATIENCE, timeLaunches, timerTooCoarse } from './batches';
import { higherCeilings, isAboveCeiling } from '../core/measure/ceilings';
import { ceilingsKey, measureCeilings } from './ceilings';
import { delay, type Environment } from './environment';
import { observe, observeAfterTiming } from './judge';
import { initialFindings, toMeasurement, type Findings } from './findings';
import { createGuard, type Guard } from './guard';
import { requirements } from './limits';
import type { Buffers } from './arguments';
import { splitLaunch } from './splitLaunch';
import { fill, readResult, upload } from './matrices';
import { compile, type Work } from './pipeline';
import { closeSession, openSession, release, type Session } from './session';
import { asStop, Stop } from './stop';
import { openTimer, type Timer } from './timer';

/** Never rejects; an interrupted or failed run is not retried. */
export async function runOnWebgpu(
  env: Environment,
  request: RunRequest,
  context: RunContext,
): Promise<Measurement> {
  const { runnable } = request;
  const findings = initialFindings(env.where);
  const guard = createGuard(env, context.abort);
  let outcome: Outcome = 'correct';
  try {
    guard.check();
    await run(env, guard, request, context, findings);
    if (findings.verification.mismatches > 0) outcome = 'incorrect';
  } catch (error) {
    const stop = asStop(error);
    outcome = stop.outcome;
    findings.message = stop.message;
    delete findings.timing;
  } finally {
    guard.close();
  }
  const { evidence } = findings;
  delete findings.evidence;
  const measurement = toMeasurement(runnable, outcome, findings);
  if (!isJudged(env, request)) return measurement;
  const { verification } = findings;
  return withJudgement(
    measurement,
    judge({ problem: checkedOf(runnable) }, request.seed, verification, evidence),
  );
}

/** Generated kernels are not judged, because their source is known. */
const isJudged = (env: Environment, { runnable, effort = 'full', judges = true }: RunRequest) =>
  env.judges === true && judges && effort === 'full' && recoverGenerated(runnable) === null;

async function run(
  env: Environment,
  guard: Guard,
  request: RunRequest,
  context: RunContext,
  findings: Findings,
): Promise<void> {
  const { runnable } = request;
  context.progress({ stage: 'Opening the GPU' });
  const opened = await openAdapter(env, guard);
  if (!opened.available) throw new Stop('unavailable', `${opened.why} ${opened.next}`);
  findings.device = opened.device;
  const needs = requirements(runnable, opened.adapter, env.advice);
  if (!needs.ok) throw new Stop('constraint', needs.message);

  const session = await openSession(env, guard, opened.adapter, needs.descriptor);
  try {
    const ready = await verify(session, request, context, findings);
    const isCorrect = findings.verification.mismatches === 0;
    const subject = { runnable, ...ready };
    if (isJudged(env, request)) {
      context.progress({ stage: 'Judging', onGpu: true });
      findings.evidence = await observe(session, subject, request.seed, isCorrect);
    }
    if (request.mode === 'verify' || !isCorrect) return;
    const timer = await openTimer(session);
    await time(session, timer, request, ready.work, context, findings);
    if (findings.evidence !== undefined) {
      const { launches } = await observeAfterTiming(session, subject, request.seed);
      findings.evidence = {
        ...findings.evidence,
        launches: [...findings.evidence.launches, ...launches],
      };
    }
    release(session, Object.values(ready.buffers));
    if (isFull(request)) await addCeilings(session, timer, runnable, context, findings);
  } finally {
    closeSession(session);
  }
}

const isFull = ({ effort = 'full' }: RunRequest): boolean => effort === 'full';

async function verify(
  session: Session,
  { runnable, seed }: RunRequest,
  { progress }: RunContext,
  findings: Findings,
): Promise<{ readonly buffers: Buffers; readonly work: Work }> {
  const { problem, source } = runnable;
  progress({ stage: 'Compiling' });
  const pipelines: GPUComputePipeline[] = [];
  for (const { entry } of launchesOf<Launched>(runnable)) {
    pipelines.push(await compile(session, source, entry));
  }
  progress({ stage: 'Filling the matrices' });
  await delay(session.env, 0);
  const buffers = await upload(session, runnable, seed);
  progress({ stage: 'Running', onGpu: true });
  const ceiling = ceilingOf(session.env, findings.device, problem);
  const { work, probed } = await splitLaunch(session, { runnable, pipelines, buffers }, ceiling);
  if (probed) {
    progress({ stage: 'Filling the matrices' });
    await fill(session, problem, buffers, seed, ['c']);
    progress({ stage: 'Running', onGpu: true });
  }
  const c = await readResult(session, work, problem, buffers.c, fraction => {
    progress({ stage: 'Running', fraction, onGpu: true });
  });
  progress({ stage: 'Verifying' });
  await delay(session.env, 0);
  session.guard.check();
  findings.verification = verifyResult(problem, seed, c, { tile: mapTile(runnable) });
  const { mismatches, samples } = findings.verification;
  if (mismatches > 0) {
    findings.message = `${mismatches} of ${samples} elements are outside their error bound, so the kernel was not timed.`;
  }
  return { buffers, work };
}

async function time(
  session: Session,
  timer: Timer,
  { runnable: { problem }, effort = 'full' }: RunRequest,
  work: Work,
  { progress }: RunContext,
  findings: Findings,
): Promise<void> {
  progress({ stage: 'Timing', fraction: 0, onGpu: true });
  const batches = await timeLaunches(session, timer, work, PATIENCE[effort], fraction => {
    progress({ stage: 'Timing', fraction, onGpu: true });
  });
  const coarse = timerTooCoarse(batches);
  if (coarse !== undefined) {
    findings.message = coarse;
    return;
  }
  findings.timing = timingOf({ ...batches, problem, cache: 'warm', inputs: inputsText(problem) });
}

/**
 * Upper bound of the compute rate of software adapters in GFLOP/s, for a CPU with many cores and
 * wide vectors.
 */
const SOFTWARE_GFLOPS = 1000;

/**
 * Returns the upper bound of the adapter's compute rate in GFLOP/s: its measured ceiling, or the
 * constant for software adapters. Returns undefined if neither applies.
 */
function ceilingOf(
  { ceilings }: Environment,
  { adapter, name }: Measurement['device'],
  { accumulator }: ResolvedProblem,
): number | undefined {
  const measured = ceilings.get(ceilingsKey(adapter, accumulator))?.gflops;
  return measured ?? (name.includes('(software)') ? SOFTWARE_GFLOPS : undefined);
}

/**
 * Adds the ceilings to the findings. A failed measurement only adds a note, because the timing is
 * valid without ceilings; a cancelled measurement ends the run.
 */
async function addCeilings(
  session: Session,
  timer: Timer,
  { problem, source }: Runnable,
  { progress }: RunContext,
  findings: Findings,
): Promise<void> {
  const { ceilings } = session.env;
  const key = ceilingsKey(findings.device.adapter, problem.accumulator);
  const known = ceilings.get(key);
  const { timing } = findings;
  // Matrix units may exceed the ceilings, which are measured without matrix units.
  const isDoubtful =
    known !== undefined &&
    timing !== undefined &&
    !usesMatrixUnits(source) &&
    isAboveCeiling(timing, known);
  if (known !== undefined && !isDoubtful) {
    findings.ceilings = known;
    return;
  }
  progress({ stage: 'Measuring the ceilings of this adapter' });
  try {
    const measured = await measureCeilings(session, timer, problem.accumulator);
    findings.ceilings = known === undefined ? measured : higherCeilings(known, measured);
    ceilings.set(key, findings.ceilings);
  } catch (error) {
    const stop = asStop(error);
    if (stop.outcome === 'cancelled') throw stop;
    const remark = `The ceilings of this adapter could not be measured: ${stop.message}`;
    findings.message = [findings.message, remark].filter(Boolean).join(' ');
  }
}
