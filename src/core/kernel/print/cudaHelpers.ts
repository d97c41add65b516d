/** Device functions of emitted CUDA code; a function is printed only if it is called. */
import type { KernelIr } from '../ir/ir';
import { DTYPE_BYTES, type DType } from '../../types/dtype';
import { callsFragments } from './cudaFragments';
import type { MoveType } from './dialect';
import { convertedText, cudaType, HEADERS, vectorType } from './cudaTypes';

export function includesOf(ir: KernelIr, body: readonly string[]): readonly string[] {
  const types = [...Object.values(ir.dtypes), ir.accumulator, ir.factor ?? ir.accumulator];
  const headers = [
    ...types.map(dtype => HEADERS[dtype]).filter(header => header !== undefined),
    ...(callsFragments(body) ? ['cstdint'] : []),
    ...(body.some(line => line.includes('__pipeline_')) ? ['cuda_pipeline_primitives.h'] : []),
  ];
  const unique = [...new Set(headers)].sort();
  return unique.length === 0 ? [] : [...unique.map(header => `#include <${header}>`), ''];
}

export const moveName = ({ width, from, to, stores }: MoveType): string =>
  `${from === to ? 'copy' : stores ? 'store' : 'load'}${width}`;

const FMA2 = [
  '// acc += a * b for 2 adjacent accumulators, in one HFMA2 instruction.',
  '__device__ __forceinline__ void fma2(__half* acc, __half a, const __half* b) {',
  '  auto& pair = *reinterpret_cast<__half2*>(acc);',
  '  pair = __hfma2(__half2half2(a), *reinterpret_cast<const __half2*>(b), pair);',
  '}',
  '',
];

const ALL_LANES = [
  'constexpr unsigned ALL_LANES = 0xffffffff;  // mask of all lanes of a warp',
  '',
];

export function helpersOf(moves: readonly MoveType[], body: readonly string[]): readonly string[] {
  const byName = new Map(moves.map(move => [`${moveName(move)} ${move.from} ${move.to}`, move]));
  const sorted = [...byName.values()].sort((left, right) => left.width - right.width);
  return [
    ...sorted.flatMap(move => (move.from === move.to ? copy(move) : convertingMove(move))),
    ...(body.some(line => line.includes('fma2(')) ? FMA2 : []),
    ...(body.some(line => line.includes('ALL_LANES')) ? ALL_LANES : []),
  ];
}

const signature = (move: MoveType): string =>
  `__device__ __forceinline__ void ${moveName(move)}(${cudaType(move.to)}* to, const ${cudaType(move.from)}* from) {`;

function copy(move: MoveType): readonly string[] {
  const { width, from } = move;
  const vector = vectorType(from, width);
  return [
    `// Vectorized copy of ${width} elements in one ${width * DTYPE_BYTES[from]}-byte access; both addresses must be ${width * DTYPE_BYTES[from]}-byte aligned.`,
    signature(move),
    `  *reinterpret_cast<${vector}*>(to) = *reinterpret_cast<const ${vector}*>(from);`,
    '}',
    '',
  ];
}

function convertingMove(move: MoveType): readonly string[] {
  const { width, from, to, stores } = move;
  const memory: DType = stores ? to : from;
  const bytes = width * DTYPE_BYTES[memory];
  const vector = vectorType(memory, width);
  const access = (into: string, outOf: string): string =>
    `  *reinterpret_cast<${vector}*>(${into}) = *reinterpret_cast<const ${vector}*>(${outOf});`;
  const convert = (into: string, outOf: string): readonly string[] => [
    '  #pragma unroll',
    `  for (int i = 0; i < ${width}; ++i) {`,
    `    ${into}[i] = ${convertedText(`${outOf}[i]`, from, to)};`,
    '  }',
  ];
  const what = stores
    ? `Converts ${width} elements to ${cudaType(to)} and stores them in one ${bytes}-byte access.`
    : `Loads ${width} elements in one ${bytes}-byte access and converts them to ${cudaType(to)}.`;
  return [
    `// ${what}`,
    signature(move),
    `  alignas(${bytes}) ${cudaType(memory)} v[${width}];`,
    ...(stores
      ? [...convert('v', 'from'), access('to', 'v')]
      : [access('v', 'from'), ...convert('to', 'v')]),
    '}',
    '',
  ];
}
