/**
 * `analyze SPEC|FILE`: reports occupancy, traffic, roofline, memory access and waves on a device.
 */
import type { Analysis } from '../../core/report/analysis';
import { analyze } from '../../core/report/analyze';
import { verdictOf, type Verdict } from '../../core/report/verdict';
import { balanceText } from '../../core/occupancy/waves';
import {
  DEFAULT_DEVICE,
  deviceOf as rowOf,
  findDevice,
  isDeviceId,
  type DeviceId,
} from '../../core/hardware/devices';
import { recoverGenerated } from '../../core/kernel/generatedKernel';
import { sourceHashOf } from '../../core/text/hash';
import { deviceNamed } from '../../core/kernel/kernel';
import { waveEdits } from '../../core/search/rank/waveEdits';
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
import { kernelOn, readInput, requireSource, type KernelInput, type SpecInput } from '../kernel';
import { describeMemory, memoryDetails } from '../memoryDetails';
import { placementOf, placementRows } from '../placement';
import { EXIT, invalidInput } from '../result';
import { compiledResources, readAccesses } from '../resources';
import { describeWaveEdits } from '../waveAdvice';
import { describeSweep, sweepJson, sweepOf, sweepOptions } from '../sweep';
import { number, percent, quantity, table, type Cell } from '../table';
import { describeGap, rooflineGap } from '../roofGap';
import { epilogueNames } from '../../core/spec/epilogue';
import type { ResolvedProblem } from '../../core/spec/resolved';
import type { Figure } from '../../core/text/figure';

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
    const deviceId = wanted ?? deviceOf(input);
    const runnable = input.kind === 'spec' ? kernelOn(input, deviceId) : input.runnable;
    const compilation = { runnable, path: options.spec, device: deviceId };
    const isCompiled = options.estimate !== true;
    const resources = isCompiled ? await compiledResources(compilation, context) : undefined;
    const accesses = isCompiled ? await readAccesses(compilation, context) : undefined;
    const runs = options.runs === undefined ? [] : await runsOf(options.runs, '--runs');
    const sourceHash = sourceHashOf(runnable);
    const analysis = analyze(runnable, {
      measurements: runs.filter(run => run.sourceHash === sourceHash),
      calibrations: runs.filter(
        ({ resolved }) => resolved?.problem.accumulator === runnable.problem.accumulator,
      ),
      device: deviceId,
      ...(resources && { resources }),
      ...(accesses && { accesses }),
    });
    const sweep = sweepOf(options, runnable, analysis);
    if (sweep !== null) {
      return {
        exit: EXIT.yes,
        json: { ...analysis, sweep: sweepJson(sweep) },
        text: describeSweep(sweep, analysis, options.csv === true),
      };
    }
    const pictures = options.pictures === true;
    const memory = memoryDetails(runnable, analysis, {
      device: deviceId,
      pictures,
      read: accesses?.pictures ?? [],
    });
    const plan = recoverGenerated(runnable)?.plan ?? null;
    const verdict = verdictOf(analysis.roofline, memory.levelRoofline);
    const why = rooflineGap(analysis, plan);
    const filling = plan === null ? [] : waveEdits(plan, rowOf(deviceId), analysis.waves);
    const text = [
      describe(runnable.problem, { analysis, verdict, memory: describeMemory(memory) }),
      ...describeGap(analysis, why),
      ...describeWaveEdits(analysis.waves, filling),
    ];
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

function deviceOf(input: SpecInput | KernelInput): DeviceId {
  const named = input.kind === 'spec' ? input.spec.device : deviceNamed(input.runnable);
  return named !== undefined && isDeviceId(named) ? named : DEFAULT_DEVICE;
}

const figure = ({ value, unit, from }: Figure): string =>
  Number.isNaN(value) ? 'unknown' : `${quantity(value, unit)} (${from})`;

function noOccupancy({ device, target }: Analysis): string {
  if (findDevice(device)?.computeCapability === undefined) {
    return 'the occupancy rules of this device are not published';
  }
  return target === 'cuda'
    ? 'unknown: the kernel was not compiled, so the register count is unknown'
    : 'unknown: the register count of hand-written WGSL cannot be determined';
}

interface Described {
  readonly analysis: Analysis;
  readonly verdict: Verdict;
  readonly memory: readonly string[];
}

function describe(
  { epilogue }: Pick<ResolvedProblem, 'epilogue'>,
  { analysis, verdict, memory }: Described,
): string {
  const { specKey, device, target, occupancy, traffic, roofline, waves, notes } = analysis;
  const facts: Cell[][] = [
    ['kernel', `${specKey} (${target}) on ${device}`],
    ...(epilogue === undefined ? [] : [['epilogue', epilogueNames(epilogue).join(', ')]]),
    ...(occupancy === null
      ? [['occupancy', noOccupancy(analysis)]]
      : [
          ['occupancy', `${percent(occupancy.occupancy)} (${occupancy.limiters.join(', ')})`],
          ['registers', figure(occupancy.registers)],
          ['shared memory', figure(occupancy.sharedBytes)],
        ]),
    ...placementRows(placementOf(analysis)).map(row => [...row]),
    ['traffic, DRAM', figure(traffic.dram)],
    ['traffic, L2', figure(traffic.l2)],
    ['traffic, shared', figure(traffic.shared)],
    ['ridge point', figure(roofline.deviceRatio)],
    ['textbook intensity', figure(roofline.problemRatio)],
    ['intensity without caches', figure(roofline.kernelRatio)],
    ['attainable', `${figure(roofline.attainable)}, for compulsory DRAM traffic`],
    ['verdict', verdict.text],
    ...(waves === null
      ? []
      : [
          [
            'waves',
            `${number(waves.waves)} of ${waves.blocksPerWave} blocks, ${number(waves.tail.blocks.value)} in the last wave`,
          ],
          ['load balance', `${balanceText(waves.balance.value)} (average / maximum blocks per SM)`],
          [
            'padding',
            `${figure(waves.paddingFlops)}, ${percent(waves.paddingFlopFraction)} of all FLOPs`,
          ],
        ]),
  ];
  const access: Cell[][] = [
    ...analysis.globalMemory.map(
      ({
        site,
        op,
        widthBytes,
        sectorsPerRequest,
        idealSectors,
        usedBytesPerRequest,
        movedBytesPerRequest,
      }) => [
        site,
        `global ${op}`,
        widthBytes,
        `sectors: ${number(sectorsPerRequest)}, ideal ${number(idealSectors)}`,
        `${number(usedBytesPerRequest)} of ${number(movedBytesPerRequest)} bytes used`,
      ],
    ),
    ...analysis.sharedMemory.map(
      ({ site, op, widthBytes, wavefrontsPerRequest, idealWavefronts, conflictsPerRequest }) => [
        site,
        `shared ${op}`,
        widthBytes,
        `wavefronts: ${number(wavefrontsPerRequest)}, ideal ${number(idealWavefronts)}`,
        `${number(conflictsPerRequest)} from conflicts`,
      ],
    ),
  ];
  return [
    table(facts),
    ...(access.length === 0
      ? []
      : ['', table([['site', 'access', 'bytes', 'per request', ''], ...access])]),
    ...memory,
    ...(notes.length === 0 ? [] : ['', ...notes.map(({ level, text }) => `${level}: ${text}`)]),
  ].join('\n');
}
