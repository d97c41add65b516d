/** Tools that read tables and files: devices, backends, runs and glossary terms. */
import * as v from 'valibot';
import { devices } from '../../../core/hardware/devices';
import type { Device } from '../../../core/hardware/devices';
import { BACKENDS } from '../../../core/measure/measurement';
import { nearestName } from '../../../core/spec/nearestName';
import { rateText } from '../../../core/text/numbers';
import {
  namesElsewhere,
  TERMS,
  termOfPath,
  termOfWord,
  type Term,
} from '../../../core/text/glossary';
import { TARGET_OF } from '../../backends';
import { invalidInput } from '../../result';
import { measurementsOf } from '../../runHistory';
import { table } from '../../table';
import { backendIn } from '../settings';
import { brief, measurementOutput } from '../runs';
import { tool } from '../tool';

const filter = (description: string) =>
  v.optional(v.pipe(v.string(), v.maxLength(200), v.description(description)));

const holds = (wanted: string | undefined, ...texts: readonly string[]): boolean =>
  wanted === undefined || texts.some(text => text.toLowerCase().includes(wanted.toLowerCase()));

const rowOf = ({ id, name, computeCapability, multiprocessors, ...rest }: Device) => ({
  id,
  name,
  computeCapability: computeCapability ?? null,
  multiprocessors,
  peakTflops: rest.peakTflops,
  memoryBandwidthGBps: rest.memoryBandwidthGBps,
});

export const listDevices = tool({
  name: 'list_devices',
  title: 'List GPUs',
  description:
    'Lists the GPUs of the device table: id, compute capability, peak rates in TFLOP/s and memory bandwidth. Pass a filter, because the table is long.',
  effects: 'none',
  input: v.strictObject({ filter: filter('Part of an id or a name, such as "h100".') }),
  output: v.object({
    devices: v.array(
      v.object({
        id: v.string(),
        name: v.string(),
        computeCapability: v.nullable(v.string()),
        multiprocessors: v.number(),
        peakTflops: v.record(v.string(), v.optional(v.number())),
        memoryBandwidthGBps: v.number(),
      }),
    ),
  }),
  run: ({ filter: wanted }) => {
    const found = devices.filter(({ id, name }) => holds(wanted, id, name)).map(rowOf);
    if (found.length === 0) {
      const meant = nearestName(
        wanted ?? '',
        devices.map(({ id }) => id),
      );
      throw invalidInput(
        `No device matches "${wanted}". Fix: ${meant === undefined ? 'omit filter to list all devices' : `did you mean ${meant}?`}`,
      );
    }
    return {
      value: { devices: found },
      text: table([
        ['id', 'cc', 'SMs', 'f32 TFLOP/s', 'f16 tensor TFLOP/s', 'GB/s'],
        ...found.map(device => [
          device.id,
          device.computeCapability,
          device.multiprocessors,
          device.peakTflops.f32,
          device.peakTflops['f16-tensor'],
          device.memoryBandwidthGBps,
        ]),
      ]),
    };
  },
});

const USES = {
  simulate: 'verifies generated kernels up to m n k batch = 2^24, without processes',
  cpu: 'verifies CUDA source up to m n k batch = 2^31, compiled for the CPU',
  webgpu: 'verifies and times WGSL kernels',
  cuda: 'verifies and times CUDA kernels',
} as const;

export const listBackends = tool({
  name: 'list_backends',
  title: 'List backends',
  description:
    'Lists the backends that verify and time kernels, and whether they work on this machine. Call it before verify_kernel, benchmark_kernels or tune_kernel.',
  effects: 'probes',
  input: v.strictObject({}),
  output: v.object({
    allowRun: v.boolean(),
    backends: v.array(
      v.object({
        id: v.picklist(BACKENDS),
        target: v.nullable(v.string()),
        use: v.string(),
        available: v.boolean(),
        device: v.optional(v.string()),
        why: v.optional(v.string()),
        next: v.optional(v.string()),
      }),
    ),
  }),
  run: async (_, { settings }) => {
    const { allowRun } = settings;
    const backends = await Promise.all(
      BACKENDS.map(async id => {
        const known = { id, target: TARGET_OF[id] ?? null, use: USES[id] };
        if (!allowRun && id !== 'simulate') {
          const why = 'This server was started without --allow-run.';
          return { ...known, available: false, why, next: 'Fix: start it with --allow-run.' };
        }
        const found = await backendIn(settings, id).probe();
        return found.available
          ? { ...known, available: true, device: found.device.name }
          : { ...known, available: false, why: found.why, next: found.next };
      }),
    );
    const lines = backends.map(one => {
      const state = 'device' in one ? one.device : `not available: ${one.why} ${one.next}`;
      return `${one.id}: ${one.use}. ${state}`;
    });
    return { value: { allowRun, backends }, text: lines.join('\n') };
  },
});

const MAX_RUNS = 50;

export const readRuns = tool({
  name: 'read_runs',
  title: 'Read past runs',
  description:
    'Reads verified and timed runs from .gemm/runs in the root folder, newest first: outcome, time, rate, device and backend.',
  effects: 'none',
  input: v.strictObject({
    filter: filter(
      'Part of the specKey, which has types, algorithm and sizes, such as "4096x4096".',
    ),
    device: filter('Part of the name of the GPU.'),
    backend: v.optional(v.picklist(BACKENDS)),
    limit: v.optional(
      v.pipe(
        v.number(),
        v.safeInteger(),
        v.minValue(1),
        v.maxValue(MAX_RUNS),
        v.description('Maximum number of runs; default 10.'),
      ),
      10,
    ),
  }),
  output: v.object({ total: v.number(), runs: v.array(measurementOutput) }),
  run: async ({ filter: wanted, device, backend, limit }, { settings: { root } }) => {
    const found = (await measurementsOf(root)).filter(
      run =>
        holds(wanted, run.specKey) &&
        holds(device, run.device.name, run.device.adapter) &&
        (backend === undefined || run.backend === backend),
    );
    const runs = found
      .toReversed()
      .slice(0, limit)
      .map(run => brief(run));
    const rows = runs.map(({ specKey, backend: by, outcome, timing, at, device: on }) => [
      at ?? '-',
      specKey,
      `${by} on ${on}`,
      outcome,
      timing === undefined ? '-' : rateText(timing.gflops / 1000),
    ]);
    const text = runs.length === 0 ? 'No run matches.' : `${found.length} runs\n${table(rows)}`;
    return { value: { total: found.length, runs }, text };
  },
});

const termOutput = v.object({
  id: v.string(),
  name: v.string(),
  definition: v.string(),
  elsewhere: v.record(v.string(), v.string()),
  paths: v.array(v.string()),
  source: v.string(),
});

const shown = (term: Term): v.InferOutput<typeof termOutput> => ({
  id: term.id,
  name: term.name,
  definition: term.definition,
  elsewhere: Object.fromEntries(namesElsewhere(term)),
  paths: [...(term.paths ?? [])],
  source: term.source,
});

const MAX_TERMS = 5;

/** Returns the term with this id, name, identifier or path; else terms that mention it. */
function termsFor(wanted: string): readonly Term[] {
  const lower = wanted.toLowerCase();
  const exact = TERMS.find(
    ({ id, name }) => id.toLowerCase() === lower || name.toLowerCase() === lower,
  );
  const one = exact ?? termOfWord(wanted) ?? termOfPath(wanted);
  if (one !== undefined) return [one];
  const named = TERMS.filter(({ id, name }) => holds(wanted, id, name));
  return (named.length > 0 ? named : TERMS.filter(term => holds(wanted, term.definition))).slice(
    0,
    MAX_TERMS,
  );
}

export const explainTerm = tool({
  name: 'explain_term',
  title: 'Explain a term',
  description:
    'Explains a term of GEMM kernels, such as "wave quantization", a spec field such as "schedule.stages", or an identifier such as "BM"; with its names in CUTLASS, CuTe, Triton and CLBlast.',
  effects: 'none',
  input: v.strictObject({ term: v.pipe(v.string(), v.minLength(1), v.maxLength(200)) }),
  output: v.object({ terms: v.array(termOutput) }),
  run: ({ term: wanted }) => {
    const terms = termsFor(wanted.trim());
    if (terms.length === 0) {
      const meant = nearestName(
        wanted,
        TERMS.flatMap(({ id, name }) => [id, name]),
      );
      throw invalidInput(
        `The glossary has no term "${wanted}".${meant === undefined ? '' : ` Did you mean "${meant}"?`}`,
      );
    }
    const text = terms.map(term => {
      const names = namesElsewhere(term).map(([library, name]) => `${library}: ${name}`);
      return [`${term.name}: ${term.definition}`, ...names, `Source: ${term.source}`].join('\n');
    });
    return { value: { terms: terms.map(shown) }, text: text.join('\n\n') };
  },
});
