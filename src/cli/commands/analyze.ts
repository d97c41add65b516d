/**
 * `analyze SPEC|FILE`: reports occupancy, traffic, roofline, memory access and waves on a device.
 */
import { isDeviceId } from '../../core/hardware/devices';
import { analysisOf, describeAnalysis, explain } from '../analyzed';
import { analyzeBare, bareOptions } from '../bareKernels';
import {
  adapter,
  adapterNamed,
  command,
  device,
  set,
  specOrFileArgument,
  target,
} from '../command';
import { runsOf } from '../gate';
import { deviceOfInput, kernelOn, readInput, requireSource } from '../kernel';
import { placementOf } from '../placement';
import { EXIT, invalidInput } from '../result';
import { compiledResources, readAccesses } from '../resources';
import { describeSweep, sweepJson, sweepOf, sweepOptions } from '../sweep';

export const analyzeCommand = command({
  name: 'analyze',
  description: 'Analyze occupancy, traffic, roofline, memory access and waves',
  args: {
    spec: specOrFileArgument,
    set,
    device,
    target,
    adapter,
    pictures: {
      type: 'boolean',
      description:
        'Draw the worst-case request of each access: banks by wavefront, sectors by line, lanes by row',
    },
    estimate: {
      type: 'boolean',
      description: 'Estimate registers instead of compiling the kernel (faster)',
    },
    runs: {
      type: 'string',
      valueHint: 'FILE',
      description:
        "Plot this kernel's points and its GPU's measured ceilings from runs (.jsonl) or a Measurement",
    },
    ...bareOptions,
    ...sweepOptions,
  },
  run: async (options, context) => {
    const wanted = options.device;
    if (wanted !== undefined && !isDeviceId(wanted)) {
      throw invalidInput(
        `Unknown device "${wanted}". Fix: choose a device from \`gemm-explorer devices\`.`,
      );
    }
    requireSource(options.spec, 'analyze reads kernels', /\.(?:cuh?|wgsl|ptx|cubin)$/i);
    const overrides = { ...options, adapter: adapterNamed(options.adapter) };
    const bare =
      options.estimate === true ? undefined : await analyzeBare(options.spec, overrides, context);
    if (bare !== undefined) return bare;
    const input = await readInput(options.spec, overrides);
    const deviceId = wanted ?? deviceOfInput(input);
    const runnable = input.kind === 'spec' ? kernelOn(input, deviceId) : input.runnable;
    const compilation = { runnable, path: options.spec, device: deviceId };
    const isCompiled = options.estimate !== true;
    const resources = isCompiled ? await compiledResources(compilation, context) : undefined;
    const accesses = isCompiled ? await readAccesses(compilation, context) : undefined;
    const runs = options.runs === undefined ? [] : await runsOf(options.runs, '--runs');
    const analysis = analysisOf(runnable, { device: deviceId, runs, resources, accesses });
    const sweep = sweepOf(options, runnable, analysis);
    if (sweep !== null) {
      return {
        exit: EXIT.yes,
        json: { ...analysis, sweep: sweepJson(sweep) },
        text: describeSweep(sweep, analysis, options.csv === true),
      };
    }
    const explained = explain(runnable, analysis, {
      device: deviceId,
      pictures: options.pictures === true,
      read: accesses?.pictures ?? [],
    });
    const { memory, verdict, why, filling } = explained;
    const text = describeAnalysis(runnable, analysis, explained);
    const placed = { ...placementOf(analysis), waveEdits: filling };
    const from = input.kind === 'spec' ? { scheduleFrom: input.scheduleFrom } : {};
    const json = { ...analysis, verdict, ...placed, ...memory, ...why, ...from };
    const messages =
      input.kind === 'spec' && input.scheduleFrom.from !== 'spec'
        ? [`Schedule: ${input.scheduleFrom.text}`]
        : [];
    return { exit: EXIT.yes, json, text: [...text, ...messages].join('\n') };
  },
});
