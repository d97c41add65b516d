/** Tools that analyze kernels: what limits one kernel, and a comparison of several. */
import * as v from 'valibot';
import { isDeviceId, type DeviceId } from '../../../core/hardware/devices';
import { closestDevice } from '../../../core/hardware/closestDevice';
import { sourceHashOf } from '../../../core/text/hash';
import { rateText } from '../../../core/text/numbers';
import { newestRuns } from '../../../core/measure/newestRuns';
import type { Measurement } from '../../../core/measure/measurement';
import type { Runnable } from '../../../core/kernel/kernel';
import { deviceOfInput, kernelOn } from '../../kernel';
import { describeMemory } from '../../memoryDetails';
import { compiledResources, readAccesses } from '../../resources';
import { invalidInput } from '../../result';
import { measurementsOf } from '../../runHistory';
import { percent, table } from '../../table';
import { kernelArguments, kernelsArgument, type KernelArguments } from '../arguments';
import { notAllowed, searchIn } from '../settings';
import { kernelSubject, type KernelSubject } from '../subject';
import { analyzed, summarySchema, summaryText, type Analyzed } from '../summary';
import { tool, type Call } from '../tool';

const DETAILS = ['summary', 'memory'] as const;

interface Loaded extends KernelSubject {
  readonly runnable: Runnable;
  readonly device: DeviceId;
}

/** Reads a kernel. For a source, `device` replaces the device of its annotation. */
async function load(given: KernelArguments, call: Call): Promise<Loaded> {
  const subject = await kernelSubject(given, call);
  const { input } = subject;
  const device = input.kind === 'kernel' ? named(given.device) : undefined;
  const on = device ?? deviceOfInput(input);
  return {
    ...subject,
    device: on,
    runnable: input.kind === 'spec' ? kernelOn(input, on) : input.runnable,
  };
}

function named(device: string | undefined): DeviceId | undefined {
  if (device === undefined || isDeviceId(device)) return device;
  const found = closestDevice(device)?.device.id;
  if (found !== undefined && isDeviceId(found)) return found;
  throw invalidInput(`Unknown device "${device}". Fix: choose an id from list_devices.`);
}

async function analysisOf(
  given: KernelArguments,
  call: Call,
  { compile, runs }: { readonly compile: boolean; readonly runs: readonly Measurement[] },
): Promise<Analyzed & Loaded> {
  const loaded = await load(given, call);
  const { runnable, device, input, mayRead } = loaded;
  if (!compile) return { ...loaded, ...analyzed(runnable, { device, runs }) };
  if (!call.settings.allowRun) throw notAllowed('Compiling (compile)');
  const compilation = {
    runnable,
    path: input.path,
    device,
    search: searchIn(call.settings),
    mayRead,
  };
  const resources = await compiledResources(compilation, call);
  const accesses = await readAccesses(compilation, call);
  return { ...loaded, ...analyzed(runnable, { device, runs, resources, accesses }) };
}

export const analyzeKernel = tool({
  name: 'analyze_kernel',
  title: 'Analyze a kernel',
  description:
    'Reports what limits a kernel on a GPU, without running it: roofline verdict, predicted time, occupancy, losses with the best edit for each, bank conflicts and uncoalesced accesses. detail "memory" adds traffic and ceilings per memory level, and remedies for bank conflicts (about 4 kB).',
  effects: 'may-run',
  input: v.strictObject({
    ...kernelArguments,
    detail: v.optional(v.picklist(DETAILS), 'summary'),
    compile: v.optional(
      v.pipe(
        v.boolean(),
        v.description(
          'Compile with nvcc, for exact registers; required for memory accesses of hand-written CUDA; default: false.',
        ),
      ),
      false,
    ),
  }),
  output: v.object({ ...summarySchema.entries, report: v.optional(v.string()) }),
  run: async ({ detail, compile, ...given }, call) => {
    const runs = await measurementsOf(call.settings.root);
    const found = await analysisOf(given, call, { compile, runs });
    const { explained, summary } = found;
    const text = summaryText(summary);
    if (detail === 'summary') return { value: summary, text };
    const report = describeMemory(explained.memory).join('\n').trim();
    return { value: { ...summary, report }, text: [text, report].join('\n\n') };
  },
});

const row = v.object({
  name: v.string(),
  specKey: v.string(),
  target: v.string(),
  predictedMs: v.nullable(v.number()),
  predictedTflops: v.nullable(v.number()),
  occupancy: v.nullable(v.number()),
  registers: v.nullable(v.number()),
  sharedBytes: v.nullable(v.number()),
  limit: v.string(),
  measured: v.array(
    v.object({
      backend: v.string(),
      device: v.string(),
      outcome: v.string(),
      medianMs: v.nullable(v.number()),
      tflops: v.nullable(v.number()),
      at: v.nullable(v.string()),
    }),
  ),
});
type Row = v.InferOutput<typeof row>;

export const compareKernels = tool({
  name: 'compare_kernels',
  title: 'Compare kernels',
  description:
    'Compares 2 to 8 specs or kernels without running them: predicted times, occupancy, resources, limits, and their newest recorded runs. Use benchmark_kernels to measure them together.',
  effects: 'none',
  input: v.strictObject({ kernels: kernelsArgument(2, 'Specs or kernels to compare.') }),
  output: v.object({ kernels: v.array(row), fastestPredicted: v.nullable(v.string()) }),
  run: async ({ kernels }, call) => {
    const runs = await measurementsOf(call.settings.root);
    const rows: Row[] = [];
    for (const given of kernels) {
      const { runnable, summary, input } = await analysisOf(given, call, { compile: false, runs });
      const name = input.path === 'spec' ? summary.specKey : input.path;
      rows.push(rowOf(name, { runnable, summary, runs }));
    }
    const [fastest] = rows
      .filter(({ predictedMs }) => predictedMs !== null)
      .toSorted((one, other) => (one.predictedMs ?? 0) - (other.predictedMs ?? 0));
    const value = { kernels: rows, fastestPredicted: fastest?.name ?? null };
    return { value, text: comparison(rows) };
  },
});

function rowOf(
  name: string,
  {
    runnable,
    summary,
    runs,
  }: Pick<Analyzed, 'summary'> & {
    readonly runnable: Runnable;
    readonly runs: readonly Measurement[];
  },
): Row {
  const hash = sourceHashOf(runnable);
  const own = runs.filter(run => run.sourceHash === hash);
  const { specKey, target, predicted, occupancy, verdict } = summary;
  return {
    name,
    specKey,
    target,
    predictedMs: predicted?.milliseconds ?? null,
    predictedTflops: predicted?.tflops ?? null,
    occupancy: occupancy?.occupancy ?? null,
    registers: occupancy?.registers ?? null,
    sharedBytes: occupancy?.sharedBytes ?? null,
    limit: verdict,
    measured: newestRuns(own, () => true).map(({ run }) => ({
      backend: run.backend,
      device: run.device.name,
      outcome: run.outcome,
      medianMs: run.timing?.medianMs ?? null,
      tflops: run.timing === undefined ? null : run.timing.gflops / 1000,
      at: run.at ?? null,
    })),
  };
}

function comparison(rows: readonly Row[]): string {
  const measured = rows.flatMap(({ name, measured: runs }) =>
    runs.map(
      ({ backend, device, outcome, tflops }) =>
        `${name}: ${outcome} on ${device} (${backend})${tflops === null ? '' : `, ${rateText(tflops)}`}`,
    ),
  );
  return [
    table([
      ['kernel', 'predicted ms', 'TFLOP/s', 'occupancy', 'registers', 'shared B'],
      ...rows.map(one => [
        one.name,
        one.predictedMs,
        one.predictedTflops,
        one.occupancy === null ? null : percent(one.occupancy),
        one.registers,
        one.sharedBytes,
      ]),
    ]),
    ...rows.map(({ name, limit }) => `${name}: ${limit}`),
    ...(measured.length === 0 ? ['No recorded run of these kernels.'] : measured),
  ].join('\n');
}
