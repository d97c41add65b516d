/**
 * Source of the `wgmma` kernel: the plan's constants followed by the hand-written sections in
 * shaders/cuda/wgmma.
 */
import barriers from '../../../../shaders/cuda/wgmma/barriers.cuh';
import kernel from '../../../../shaders/cuda/wgmma/kernel.cuh';
import oneWarpGroup from '../../../../shaders/cuda/wgmma/oneWarpGroup.cuh';
import output from '../../../../shaders/cuda/wgmma/output.cuh';
import ring from '../../../../shaders/cuda/wgmma/ring.cuh';
import tiles from '../../../../shaders/cuda/wgmma/tiles.cuh';
import tma from '../../../../shaders/cuda/wgmma/tma.cuh';
import warpgroup from '../../../../shaders/cuda/wgmma/warpgroup.cuh';
import type { Fp32Emulation } from '../../plan/plan';
import { isSpecialized } from '../../plan/wgmma/specialization';
import { prefetchedSteps, weightsOf } from '../../plan/wgmma/weightPrefetch';
import { emptyArrivalsOf } from './model';
import { cudaType, HEADERS, PAIRS } from '../print/cudaTypes';
import { resolveConditions } from './conditions';
import { instructionHelper } from './instruction';
import { epilogueCall, epilogueText } from './epilogue';
import { sourceLoads, sourceStore, sourceText } from './source';
import { gateCall } from './gate';
import { loads, weightLoads } from './loads';
import { reducersConstant, reducersName } from './reducers';
import { partialResult } from './twoPass';
import {
  descriptors,
  elementBytes,
  flagsOf,
  prefetches,
  signature,
  storeParameters,
  stores,
  type PlanWithWgmma,
} from './parts';

export function kernelText(plan: PlanWithWgmma): readonly string[] {
  const flags = flagsOf(plan);
  const part = (text: string): readonly string[] => [
    ...fillPlaceholders(resolveConditions(text, flags).trim(), plan).split('\n'),
    '',
  ];
  return [
    ...includes(plan),
    ...types(plan),
    ...constants(plan),
    '',
    ...[barriers, tma, warpgroup, tiles].flatMap(part),
    ...instructionHelper(plan.wgmma, plan.wgmma.element, flags.GATED ? 'COLUMNS' : 'BN'),
    ...part(output),
    ...epilogueText(plan),
    ...sourceText(plan),
    ...part(`${ring.trimEnd()}\n${flags.SPECIALIZED ? kernel : oneWarpGroup}`),
  ];
}

function fillPlaceholders(text: string, plan: PlanWithWgmma): string {
  const blocks: Readonly<Record<string, readonly string[]>> = {
    LOADS: loads(plan),
    WEIGHT_LOADS: weightLoads(plan),
    STORE: flagsOf(plan).SOURCE ? [sourceStore(plan)] : stores(plan),
    LOAD_BOXES: sourceLoads(plan),
    DESCRIPTORS: descriptors(plan),
    PARTIAL: partialResult(plan),
    APPLY_EPILOGUE: epilogueCall(plan),
    APPLY_GATE: [gateCall(plan)],
  };
  return text
    .replaceAll('REDUCERS', reducersName(plan))
    .replace('SIGNATURE', signature(plan).join('\n'))
    .replace('STORE_PARAMETERS', storeParameters(plan))
    .replace(
      /^( *)(LOADS|WEIGHT_LOADS|LOAD_BOXES|STORE|DESCRIPTORS|PARTIAL|APPLY_EPILOGUE|APPLY_GATE)$/gm,
      (_, indent: string, name: string) =>
        (blocks[name] ?? []).map(line => (line === '' ? '' : `${indent}${line}`)).join('\n'),
    );
}

function includes(plan: PlanWithWgmma): readonly string[] {
  const types = [...Object.values(plan.dtypes), plan.wgmma.element];
  const named = types.map(dtype => HEADERS[dtype]).filter(name => name !== undefined);
  const headers = [...new Set(['cstdint', 'cuda.h', ...named])].sort();
  return [...headers.map(header => `#include <${header}>`), ''];
}

function types(plan: PlanWithWgmma): readonly string[] {
  const { TMA_STORE, TWO_PASS, PAIRED: inPairs } = flagsOf(plan);
  if (TMA_STORE) return [];
  if (TWO_PASS) {
    return [
      'using Output = float;  // element type of the partial results',
      ...(inPairs
        ? ['using Pair = float2;  // two adjacent partial results, stored together']
        : []),
      '',
    ];
  }
  const { c } = plan.dtypes;
  return [
    `using Output = ${cudaType(c)};  // element type of C`,
    ...(inPairs
      ? [`using Pair = ${PAIRS[c] ?? ''};  // two adjacent elements of C, stored together`]
      : []),
    '',
  ];
}

const prefetchedConstant = (plan: PlanWithWgmma) => {
  if (!prefetches(plan)) return [];
  const weights = weightsOf(plan.spec.problem);
  const steps = prefetchedSteps(plan.wgmma[weights]);
  const comment = `k-iterations whose tiles of ${weights.toUpperCase()} are loaded into the L2 cache in advance`;
  return [['PREFETCHED', steps, comment]] as const;
};

function constants(plan: PlanWithWgmma): readonly string[] {
  const { tile, threads, wgmma } = plan;
  const {
    consumers,
    cluster,
    stages,
    raster,
    registers,
    output: stored,
    splitK,
    twoPass,
    fp32Emulation,
  } = wgmma;
  const named: readonly (readonly [name: string, value: number | string, comment: string])[] = [
    ['BM', tile.m, 'rows of C per tile'],
    [
      'BN',
      tile.n,
      `columns of C per tile${wgmma.instruction === 'mma' || flagsOf(plan).GATED ? '' : ' and per wgmma instruction'}`,
    ],
    ...(flagsOf(plan).GATED
      ? ([['COLUMNS', 2 * tile.n, 'columns of B and of the second B per tile']] as const)
      : []),
    ['BK', tile.k, 'K extent of the shared-memory tiles'],
    ['ELEMENT_BYTES', elementBytes(plan), 'bytes per element of A and B'],
    ['STAGES', stages, 'pipeline stages (pairs of A and B tiles in shared memory)'],
    ...(isSpecialized(wgmma)
      ? ([
          ['CONSUMERS', consumers, 'consumer warp groups'],
          ['THREADS', threads, 'threads per block: one producer warp group plus the consumers'],
        ] as const)
      : ([['THREADS', threads, 'threads per block: one warp group']] as const)),
    ...prefetchedConstant(plan),
    ['CLUSTER_M', cluster.m, 'CTAs per cluster along M, which share B tiles'],
    ['CLUSTER_N', cluster.n, 'CTAs per cluster along N, which share A tiles'],
    ...(splitK === 1
      ? []
      : ([
          ['SPLIT_K', splitK, 'split-K slices: CTAs of a cluster that share a tile of C'],
        ] as const)),
    ...reducersConstant(plan),
    ...(twoPass === undefined
      ? []
      : ([['SPLIT_K', twoPass.slices, 'split-K slices, which a second kernel reduces']] as const)),
    ...(fp32Emulation === undefined
      ? []
      : ([
          [
            'TERMS',
            fp32Emulation.count,
            `${fp32Emulation.dtype} terms whose sum approximates an f32 element`,
          ],
          [
            'PRODUCTS',
            fp32Emulation.products.length,
            'products of terms, accumulated smallest first',
          ],
          [
            'TERMS_A',
            packTermIndices(fp32Emulation, 0),
            'A term of each product, 4 bits each, lowest bits first',
          ],
          [
            'TERMS_B',
            packTermIndices(fp32Emulation, 1),
            'B term of each product, encoded like TERMS_A',
          ],
          ['PROMOTION_INTERVAL', fp32Emulation.promotion, 'k-iterations between FP32 promotions'],
        ] as const)),
    [
      'RASTER_GROUP',
      raster.group,
      `cluster tiles along ${raster.order === 'row' ? 'M' : 'N'} per raster group`,
    ],
    ...(isSpecialized(wgmma)
      ? ([
          ['EMPTY_ARRIVALS', emptyArrivalsOf(wgmma), 'arrival count of each "empty" mbarrier'],
        ] as const)
      : []),
    ...(registers === undefined
      ? []
      : ([
          ['PRODUCER_REGISTERS', registers.producer, 'registers per producer thread'],
          ['CONSUMER_REGISTERS', registers.consumer, 'registers per consumer thread'],
        ] as const)),
    ...(stored.by === 'registers'
      ? []
      : ([
          ...(stored.by === 'tma'
            ? ([
                ['STORE_BUFFERS', stored.buffers, 'TMA store boxes in shared memory per warp'],
              ] as const)
            : []),
          [
            'STORE_COLUMNS',
            stored.columns,
            `columns of C per ${stored.by === 'tma' ? 'TMA store' : 'staged'} box`,
          ],
        ] as const)),
  ];
  const lines = named.map(([name, value]) =>
    typeof value === 'string'
      ? `constexpr unsigned long long ${name} = ${value};`
      : `constexpr int ${name} = ${value};`,
  );
  const width = Math.max(...lines.map(line => line.length));
  return named.map(([, , comment], i) => `${(lines[i] ?? '').padEnd(width)}  // ${comment}`);
}

/**
 * Packs the term index of each product into 4-bit digits; the first product has the lowest digit.
 */
const packTermIndices = ({ products }: Fp32Emulation, side: 0 | 1): string =>
  `0x${products
    .map(product => product[side])
    .reverse()
    .join('')}`;
