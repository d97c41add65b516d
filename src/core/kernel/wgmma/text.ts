/** The kernel of `wgmma` as text: the hand-written parts of shaders/cuda/wgmma with the plan's constants in front. */
import barriers from '../../../../shaders/cuda/wgmma/barriers.cuh';
import kernel from '../../../../shaders/cuda/wgmma/kernel.cuh';
import output from '../../../../shaders/cuda/wgmma/output.cuh';
import tiles from '../../../../shaders/cuda/wgmma/tiles.cuh';
import tma from '../../../../shaders/cuda/wgmma/tma.cuh';
import warpgroup from '../../../../shaders/cuda/wgmma/warpgroup.cuh';
import type { PiecesPlan } from '../../plan/plan';
import type { DType } from '../../types/dtype';
import { releasesOf } from './model';
import { cudaType, HEADERS } from '../print/cudaTypes';
import { resolveConditions } from './conditions';
import { instructionHelper } from './instruction';
import {
  descriptors,
  elementBytes,
  flagsOf,
  loads,
  signature,
  storeParameters,
  stores,
  type GroupPlan,
} from './pieces';

/** Headers, constants and device functions, and the kernel as the last of them. */
export function kernelText(plan: GroupPlan): readonly string[] {
  const flags = flagsOf(plan);
  const part = (text: string): readonly string[] => [
    ...withPieces(resolveConditions(text, flags).trim(), plan).split('\n'),
    '',
  ];
  return [
    ...includes(plan),
    ...types(plan),
    ...constants(plan),
    '',
    ...[barriers, tma, warpgroup, tiles].flatMap(part),
    ...instructionHelper(plan.wgmma, plan.wgmma.element),
    ...[output, kernel].flatMap(part),
  ];
}

/** Lines of the texts that stand for what `pieces` prints, each in its place. */
function withPieces(text: string, plan: GroupPlan): string {
  const pieces: Readonly<Record<string, readonly string[]>> = {
    LOADS: loads(plan),
    STORE: stores(plan),
    DESCRIPTORS: descriptors(plan),
  };
  return text
    .replace('SIGNATURE', signature(plan).join('\n'))
    .replace('STORE_PARAMETERS', storeParameters(plan))
    .replace(/^( *)(LOADS|STORE|DESCRIPTORS)$/gm, (_, indent: string, name: string) =>
      (pieces[name] ?? []).map(line => (line === '' ? '' : `${indent}${line}`)).join('\n'),
    );
}

/** The type that the header of CUDA's driver declares, and those of elements that are moved or converted by name. */
function includes(plan: GroupPlan): readonly string[] {
  const types = [plan.dtypes.a, plan.wgmma.element, plan.dtypes.c];
  const named = types.map(dtype => HEADERS[dtype]).filter(name => name !== undefined);
  const headers = [...new Set(['cstdint', 'cuda.h', ...named])].sort();
  return [...headers.map(header => `#include <${header}>`), ''];
}

const PAIRS: Readonly<Partial<Record<DType, string>>> = {
  f32: 'float2',
  f16: '__half2',
  bf16: '__nv_bfloat162',
};

/** Of what is stored from registers. */
function types(plan: GroupPlan): readonly string[] {
  const { TMA_STORE, PAIRS: inPairs } = flagsOf(plan);
  if (TMA_STORE) return [];
  const { c } = plan.dtypes;
  return [
    `using Output = ${cudaType(c)};`,
    ...(inPairs ? [`using Pair = ${PAIRS[c] ?? ''};`] : []),
    '',
  ];
}

function constants(plan: GroupPlan): readonly string[] {
  const { tile, threads, wgmma } = plan;
  const { consumers, cluster, stages, raster, registers, output: stored, splitK, pieces } = wgmma;
  const named: readonly (readonly [name: string, value: number | string, comment: string])[] = [
    ['BM', tile.m, 'rows of C of a tile'],
    ['BN', tile.n, 'columns of C of a tile, and of the instruction'],
    ['BK', tile.k, 'depth of the tiles in shared memory'],
    ['ELEMENT_BYTES', elementBytes(plan), 'of A and B'],
    ['STAGES', stages, 'tiles of A and of B that shared memory holds'],
    ['CONSUMERS', consumers, 'warp groups that multiply'],
    ['THREADS', threads, 'threads a block: a producer, and the consumers'],
    ['CLUSTER_M', cluster.m, 'blocks of a cluster along M, which share B'],
    ['CLUSTER_N', cluster.n, 'blocks of a cluster along N, which share A'],
    ...(splitK === 1
      ? []
      : ([['SPLIT_K', splitK, 'blocks of a cluster that each have a part of K']] as const)),
    ...(pieces === undefined
      ? []
      : ([
          ['PIECES', pieces.count, 'matrices whose sum A is, or B'],
          ['PRODUCTS', pieces.products.length, 'of them that are summed up, the smallest first'],
          [
            'PIECES_A',
            packed(pieces, 0),
            'pieces of A in these products, the first in the low 4 bits',
          ],
          ['PIECES_B', packed(pieces, 1), 'pieces of B'],
          ['PROMOTION', pieces.promotion, 'steps that tensor cores sum up'],
        ] as const)),
    [
      'GROUP',
      raster.group,
      `cluster tiles along ${raster.order === 'row' ? 'M' : 'N'} that are walked together`,
    ],
    ['RELEASES', releasesOf(wgmma), 'arrivals after which a buffer is filled again'],
    ...(registers === undefined
      ? []
      : ([
          ['PRODUCER_REGISTERS', registers.producer, 'registers that the producer keeps'],
          ['CONSUMER_REGISTERS', registers.consumer, 'registers of a thread that multiplies'],
        ] as const)),
    ...(stored.by === 'registers'
      ? []
      : ([
          ['OUT_BUFFERS', stored.buffers, 'boxes of C in shared memory of a warp'],
          ['OUT_COLUMNS', stored.columns, 'columns of a box'],
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

/** Which piece each product takes: a digit of 4 bits for each, the first product in the lowest. */
const packed = ({ products }: PiecesPlan, side: 0 | 1): string =>
  `0x${products
    .map(product => product[side])
    .reverse()
    .join('')}`;
