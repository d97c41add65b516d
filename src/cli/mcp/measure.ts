/** Runs kernels for `verify_kernel` and `benchmark_kernels`, and records the results. */
import type { BaselineId } from '../../core/measure/backend';
import type { BackendId, Measurement } from '../../core/measure/measurement';
import type { Runnable } from '../../core/kernel/kernel';
import { smaller } from '../../core/simulate/smaller';
import { toSpec } from '../../core/spec/toSpec';
import { checkAndPlan } from '../../core/defaults/check';
import { difference } from '../together';
import { runTogether } from '../../host/cuda/together';
import { EXIT, Failure, invalidInput } from '../result';
import { runKernel, runsOn, SEED, toRun, type ToRun } from '../measure';
import type { KernelArguments } from './arguments';
import { backendIn, notAllowed, searchIn, WHERE } from './settings';
import { brief, record, type MeasurementOutput } from './runs';
import { kernelSubject, withTargets, type KernelSubject } from './subject';
import type { Call } from './tool';

export interface Selected extends ToRun {
  readonly name: string;
  readonly kind: 'spec' | 'kernel';
}

interface Options {
  readonly backend: BackendId;
  /** Whether the problem is reduced to the size that simulate runs quickly. */
  readonly small?: boolean;
  readonly problem?: Runnable['problem'];
}

/** Reads a kernel and selects the source that the backend runs. */
export async function select(
  given: KernelArguments,
  call: Call,
  { backend, small = false, problem }: Options,
): Promise<Selected> {
  if (backend !== 'simulate' && !call.settings.allowRun) throw notAllowed(`Backend ${backend}`);
  const runner = backendIn(call.settings, backend);
  const subject = await kernelSubject(given, call, {
    runsOn: spec => runsOn(spec, runner),
    ...(problem === undefined ? {} : { problem }),
  });
  const { input } = small ? reduced(subject) : subject;
  const selected = toRun(input, backend);
  const isNamed = input.kind === 'kernel' || input.path !== 'spec';
  return { ...selected, kind: input.kind, name: isNamed ? input.path : selected.runnable.specKey };
}

/** Keeps the schedule, which is complete before the problem is reduced. */
function reduced(subject: KernelSubject): KernelSubject {
  const { input } = subject;
  if (input.kind === 'kernel')
    throw invalidInput('small applies to specs, whose problem can be reduced. Fix: omit small.');
  const { report } = checkAndPlan(input.spec);
  const { targets } = input.spec;
  const spec = smaller(withTargets(toSpec(report.resolved), targets));
  return { ...subject, input: { ...input, spec } };
}

export async function runOne(
  { runnable, scheduleFrom }: Selected,
  { backend, mode }: { readonly backend: BackendId; readonly mode: 'verify' | 'time' },
  call: Call,
): Promise<Measurement> {
  const measurement = await runKernel(
    runnable,
    { mode },
    {
      backend: backendIn(call.settings, backend),
      scheduleFrom,
      abort: call.abort,
      note: call.note,
    },
  );
  throwIfCancelled(measurement);
  return { ...measurement, ...(scheduleFrom === undefined ? {} : { scheduleFrom }) };
}

function throwIfCancelled({ outcome }: Pick<Measurement, 'outcome'>): void {
  if (outcome === 'cancelled') throw new Failure(EXIT.interrupted, 'Interrupted.');
}

/** Verifies and times kernels of one problem: on a GPU in interleaved rounds, else one by one. */
export async function runAll(
  kernels: readonly Selected[],
  {
    backend,
    baselines,
  }: { readonly backend: BackendId; readonly baselines: readonly BaselineId[] },
  call: Call,
): Promise<readonly Measurement[]> {
  const [first] = kernels;
  for (const { name, runnable } of kernels) {
    const field = first && difference(first.runnable.problem, runnable.problem);
    if (field !== undefined) {
      throw invalidInput(
        `Kernels that are timed together must have the same problem, but ${field} of ${name} differs from ${first?.name}. Fix: change the problem, or use one call per problem.`,
      );
    }
  }
  if (backend !== 'cuda') {
    const measured: Measurement[] = [];
    for (const kernel of kernels)
      measured.push(await runOne(kernel, { backend, mode: 'time' }, call));
    return measured;
  }
  const { settings, abort, note } = call;
  const { gpu = 0, python } = settings;
  const measured = await runTogether(
    {
      runnables: kernels.map(({ runnable }) => runnable),
      mode: 'time',
      seed: SEED,
      baselines,
    },
    { where: WHERE, search: searchIn(settings), gpu, ...(python === undefined ? {} : { python }) },
    {
      abort,
      progress: ({ stage }) => {
        note(stage);
      },
    },
  );
  measured.forEach(throwIfCancelled);
  return measured.map((measurement, index) => {
    const scheduleFrom = kernels[index]?.scheduleFrom;
    return { ...measurement, ...(scheduleFrom === undefined ? {} : { scheduleFrom }) };
  });
}

/** Returns the short form of a measurement, which it records if wanted. */
export async function kept(
  measurement: Measurement,
  name: string,
  { wanted, call }: { readonly wanted: boolean; readonly call: Call },
): Promise<MeasurementOutput> {
  const output = brief(measurement, name);
  const isRun = measurement.backend !== 'simulate' && measurement.outcome !== 'unavailable';
  if (!wanted || !isRun || !call.settings.allowRun) return output;
  const result = await record(measurement, call.settings);
  if ('recorded' in result) return { ...output, recorded: result.recorded };
  const message = [output.message, `The run was not recorded: ${result.failed}`];
  return { ...output, message: message.filter(text => text !== undefined).join('\n') };
}
