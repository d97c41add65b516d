/** Measures one shape on one GPU: our kernel beside cuBLAS and cuBLASLt, in interleaved rounds. */
import { raceTimes } from '../../core/audit/budget';
import type { PlannedShape } from '../../core/audit/planned';
import type { BaselineId } from '../../core/measure/backend';
import type { Measurement } from '../../core/measure/measurement';
import { measurementBuilder } from '../cuda/result';
import type { CompiledKernel } from '../cuda/runner/compileKernel';
import type { OpenedGpu } from '../cuda/runner/gpus';
import type { RunnerProgram } from '../cuda/runner/program';
import { raceKernels } from '../cuda/runner/race';
import { racedMeasurement } from '../cuda/runner/racedMeasurement';

const BASELINES: readonly BaselineId[] = ['cublas', 'cublaslt'];
/** Seed of the inputs, which are the same for all shapes. */
const SEED = 1;
/**
 * Maximum M x N x K for which every element is verified; for larger problems, a sample of tiles is
 * verified.
 */
const VERIFY_LIMIT = 2 ** 33;
/** Longest time of a shape in milliseconds, after which its kernel is stopped. */
const LONGEST_MS = 60_000;

export async function raceShape(
  { kernel }: PlannedShape,
  compiled: CompiledKernel,
  { context, ready }: OpenedGpu,
  { program, batchMs }: { readonly program: RunnerProgram; readonly batchMs: number },
): Promise<Measurement> {
  const { machine, options } = context;
  const report = measurementBuilder(kernel, options.where);
  const { name, driver } = ready.device;
  const device = { ...machine.device, name, ...(driver === null ? {} : { driver }) };
  const { kernelKey, resources } = compiled;
  const more = { device, kernelKey, ...(resources === undefined ? {} : { resources }) };
  const raced = await raceKernels(
    {
      kernels: [{ runnable: kernel, compiled }],
      seed: SEED,
      cache: 'cold',
      baselines: BASELINES,
      verifyLimit: VERIFY_LIMIT,
      timing: raceTimes(batchMs),
      deadlineMs: LONGEST_MS,
    },
    program,
    // The stages of single shapes would hide the results.
    { ...context, progress: () => undefined },
  );
  if (!raced.ok) return report(raced.outcome, raced.message, more);
  return racedMeasurement(
    { runnable: kernel, seed: SEED, cache: 'cold', baselines: BASELINES },
    raced.answer,
    0,
    { ready: raced.ready, report, more, notes: [] },
  );
}
