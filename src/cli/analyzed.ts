/**
 * Sections of `analyze`: verdict, memory details, losses and edits of an analysis, and their text.
 */
import type { Analysis } from '../core/report/analysis';
import { analyze } from '../core/report/analyze';
import { verdictOf, type Verdict } from '../core/report/verdict';
import { balanceText } from '../core/occupancy/waves';
import { deviceOf, findDevice, type DeviceId } from '../core/hardware/devices';
import { recoverGenerated } from '../core/kernel/generatedKernel';
import type { Runnable } from '../core/kernel/kernel';
import type { Measurement } from '../core/measure/measurement';
import type { CompiledAccesses } from '../core/memory/compiledAccesses';
import type { CompiledResources } from '../core/occupancy/report';
import { waveEdits, type WaveEdit } from '../core/search/rank/waveEdits';
import { epilogueNames } from '../core/spec/epilogue';
import type { ResolvedProblem } from '../core/spec/resolved';
import type { Figure } from '../core/text/figure';
import { sourceHashOf } from '../core/text/hash';
import { describeMemory, memoryDetails, type MemoryDetails } from './memoryDetails';
import { placementOf, placementRows } from './placement';
import { describeGap, rooflineGap, type RooflineGap } from './roofGap';
import { number, percent, quantity, table, type Cell } from './table';
import { describeWaveEdits } from './waveAdvice';

export interface Explained {
  readonly memory: MemoryDetails;
  readonly verdict: Verdict;
  readonly why: RooflineGap;
  /** Edits that distribute the work over the SMs more evenly. */
  readonly filling: readonly WaveEdit[];
}

export interface AnalyzedOn {
  readonly device: DeviceId;
  /** Recorded runs, of which those of this source and of the same accumulator type are used. */
  readonly runs: readonly Measurement[];
  readonly resources?: CompiledResources | undefined;
  readonly accesses?: CompiledAccesses | undefined;
}

export function analysisOf(
  runnable: Runnable,
  { device, runs, resources, accesses }: AnalyzedOn,
): Analysis {
  const sourceHash = sourceHashOf(runnable);
  return analyze(runnable, {
    measurements: runs.filter(run => run.sourceHash === sourceHash),
    calibrations: runs.filter(
      ({ resolved }) => resolved?.problem.accumulator === runnable.problem.accumulator,
    ),
    device,
    ...(resources && { resources }),
    ...(accesses && { accesses }),
  });
}

/** Explains an analysis: what limits the kernel, and the edits that raise its predicted rate. */
export function explain(
  runnable: Runnable,
  analysis: Analysis,
  options: Parameters<typeof memoryDetails>[2],
): Explained {
  const memory = memoryDetails(runnable, analysis, options);
  const plan = recoverGenerated(runnable)?.plan ?? null;
  return {
    memory,
    verdict: verdictOf(analysis.roofline, memory.levelRoofline),
    why: rooflineGap(analysis, plan),
    filling: plan === null ? [] : waveEdits(plan, deviceOf(options.device), analysis.waves),
  };
}

export const describeAnalysis = (
  { problem }: Pick<Runnable, 'problem'>,
  analysis: Analysis,
  { memory, verdict, why, filling }: Explained,
): readonly string[] => [
  describe(problem, { analysis, verdict, memory: describeMemory(memory) }),
  ...describeGap(analysis, why),
  ...describeWaveEdits(analysis.waves, filling),
];

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
