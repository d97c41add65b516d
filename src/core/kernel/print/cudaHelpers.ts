/** Small functions that emitted CUDA calls by name, each only where it is used. */
import type { KernelIr } from '../ir/ir';
import { DTYPE_BYTES, type DType } from '../../types/dtype';
import { callsFragments } from './cudaFragments';
import type { MoveType } from './dialect';
import { convertedText, cudaType, HEADERS, vectorType } from './cudaTypes';

/** Headers that a kernel needs. */
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

/** What moves so many elements: as they are, or converted on the way from or to memory. */
export const moveName = ({ width, from, to, stores }: MoveType): string =>
  `${from === to ? 'copy' : stores ? 'store' : 'load'}${width}`;

const FMA2 = [
  '// acc += a * b for 2 neighbouring results, both in one instruction.',
  '__device__ __forceinline__ void fma2(__half* acc, __half a, const __half* b) {',
  '  auto& sum = *reinterpret_cast<__half2*>(acc);',
  '  sum = __hfma2(__half2half2(a), *reinterpret_cast<const __half2*>(b), sum);',
  '}',
  '',
];

/** The moves that a body makes, one function each, and the pair of multiply-adds. */
export function helpersOf(moves: readonly MoveType[], body: readonly string[]): readonly string[] {
  const byName = new Map(moves.map(move => [`${moveName(move)} ${move.from} ${move.to}`, move]));
  const sorted = [...byName.values()].sort((left, right) => left.width - right.width);
  return [
    ...sorted.flatMap(move => (move.from === move.to ? copy(move) : convertingMove(move))),
    ...(body.some(line => line.includes('fma2(')) ? FMA2 : []),
  ];
}

const signature = (move: MoveType): string =>
  `__device__ __forceinline__ void ${moveName(move)}(${cudaType(move.to)}* to, const ${cudaType(move.from)}* from) {`;

function copy(move: MoveType): readonly string[] {
  const { width, from } = move;
  const vector = vectorType(from, width);
  return [
    `// Moves ${width} neighbouring elements in one access of ${width * DTYPE_BYTES[from]} bytes, to which both addresses are aligned.`,
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
    ? `Converts ${width} elements to ${cudaType(to)} and writes them in one access of ${bytes} bytes.`
    : `Reads ${width} neighbouring elements in one access of ${bytes} bytes and converts them to ${cudaType(to)}.`;
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
