/** Tools that run kernels: verification and benchmark. */
import * as v from 'valibot';
import { BASELINES } from '../../../core/measure/backend';
import { BACKENDS } from '../../../core/measure/measurement';
import { describe } from '../../measure';
import { describeTogether, fastestOf } from '../../together';
import { invalidInput } from '../../result';
import { kernelArguments, kernelsArgument, recordArgument } from '../arguments';
import { kept, runAll, runOne, select, type Selected } from '../measure';
import { measurementOutput } from '../runs';
import { tool } from '../tool';

export const verifyKernel = tool({
  name: 'verify_kernel',
  title: 'Verify a kernel',
  description:
    'Runs one kernel and compares C with a reference within an error bound. simulate interprets generated kernels, also wgmma, up to m n k batch = 2^24; cpu compiles CUDA source for the CPU, up to 2^31; webgpu and cuda run on a GPU.',
  effects: 'may-run',
  destructive: true,
  input: v.strictObject({
    ...kernelArguments,
    backend: v.optional(
      v.pipe(
        v.picklist(BACKENDS),
        v.description('Default: simulate. The others require --allow-run.'),
      ),
      'simulate',
    ),
    small: v.optional(
      v.pipe(
        v.boolean(),
        v.description(
          'Reduce m, n and k to at most 128 and keep the schedule, for simulate and cpu; default: false.',
        ),
      ),
      false,
    ),
    record: recordArgument,
  }),
  output: measurementOutput,
  run: async ({ backend, small, record, ...given }, call) => {
    const kernel = await select(given, call, { backend, small });
    const measurement = await runOne(kernel, { backend, mode: 'verify' }, call);
    const value = await kept(measurement, kernel.name, { wanted: record !== false, call });
    const { message, recorded } = value;
    const hint =
      measurement.outcome === 'constraint' && kernel.kind === 'spec' && !small
        ? ['Pass small: true to verify the same schedule on a smaller problem.']
        : [];
    return {
      value,
      text: [
        `${measurement.outcome}: ${value.name}`,
        ...(message === undefined ? [] : [message]),
        ...hint,
        describe(measurement),
        ...(recorded === undefined ? [] : [`Recorded: ${recorded}`]),
      ].join('\n'),
    };
  },
});

export const benchmarkKernels = tool({
  name: 'benchmark_kernels',
  title: 'Benchmark kernels',
  description:
    'Verifies 1 to 8 kernels of one problem on a GPU, then times the correct ones in interleaved rounds, optionally beside cuBLAS. Kernels with incorrect results are never timed.',
  effects: 'runs',
  destructive: true,
  input: v.strictObject({
    kernels: kernelsArgument(1, 'Specs or kernels to time.'),
    backend: v.picklist(['cuda', 'webgpu']),
    baselines: v.optional(
      v.pipe(
        v.array(v.picklist(BASELINES)),
        v.maxLength(BASELINES.length),
        v.description('Libraries to time on the same matrices (cuda only).'),
      ),
      [],
    ),
    record: recordArgument,
  }),
  output: v.object({
    kernels: v.array(measurementOutput),
    fastest: v.nullable(v.string()),
  }),
  run: async ({ kernels, backend, baselines, record }, call) => {
    if (baselines.length > 0 && backend !== 'cuda')
      throw invalidInput('baselines requires backend cuda. Fix: omit baselines.');
    const selected: Selected[] = [];
    for (const given of kernels) {
      const problem = selected[0]?.runnable.problem;
      selected.push(await select(given, call, { backend, ...(problem && { problem }) }));
    }
    const measured = await runAll(selected, { backend, baselines }, call);
    const named = measured.map((measurement, index) => ({
      ...measurement,
      path: selected[index]?.name ?? measurement.specKey,
    }));
    const results = [];
    for (const one of named)
      results.push(await kept(one, one.path, { wanted: record !== false, call }));
    const messages = results.flatMap(({ name, message }) =>
      message === undefined ? [] : [`${name}: ${message}`],
    );
    const [only] = named;
    return {
      value: { kernels: results, fastest: fastestOf(named)?.path ?? null },
      text: [
        named.length === 1 && only !== undefined ? describe(only) : describeTogether(named),
        ...messages,
      ].join('\n'),
    };
  },
});
