/** Small functions around what PTX has for tensor cores, each only where a body calls it. */
import type { KernelIr } from '../ir/ir';
import { valueOf } from '../ir/writeOut';
import { WORD_BYTES } from '../../plan/mma/fragments';
import { DTYPE_BYTES, type DType } from '../../types/dtype';
import { cudaType, TO_TF32 } from './cudaTypes';

export const callsFragments = (body: readonly string[]): boolean =>
  body.some(line => /\bmma\(/.test(line));

export function fragmentHelpers(ir: KernelIr, body: readonly string[]): readonly string[] {
  if (!callsFragments(body)) return [];
  const called = new Set(body.flatMap(line => /\bldmatrix\d(?:Trans)?(?=\()/.exec(line) ?? []));
  const { factor, dtypes } = ir;
  const held = dtypes.a === 'tf32' ? 'rounded' : factor === undefined ? 'words' : 'numbers';
  return [
    ...((factor ?? dtypes.a) === 'tf32' ? ROUNDED : []),
    ...[...called].sort().flatMap(name => loadHelper(name, held)),
    ...(factor === undefined ? [] : pieceHelper(factor)),
    ...multiplyHelper(ir),
  ];
}

const ROUNDED = [
  '// The bits of the nearest tf32: of what is not rounded tensor cores would cut off the end.',
  `__device__ __forceinline__ uint32_t ${TO_TF32}(float value) {`,
  '  uint32_t bits;',
  '  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));',
  '  return bits;',
  '}',
  '',
];

const listed = (count: number, text: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join(', ');

/** What lanes hold of what is loaded: words of neighbours, numbers as they are, or rounded ones. */
type Held = 'words' | 'numbers' | 'rounded';

function loadHelper(name: string, held: Held): readonly string[] {
  const rounds = held === 'rounded';
  const [type, register] = held === 'numbers' ? ['float', '=f'] : ['uint32_t', '=r'];
  const count = Number(name.charAt('ldmatrix'.length));
  const turned = name.endsWith('Trans');
  const matrices = count === 1 ? 'a matrix' : `${count} matrices`;
  const gets = turned
    ? 'lane l gets column l / 4 of rows 2 (l % 4) and the next of each'
    : `lane l gets 4 bytes of row l / 4 of each${rounds ? ', rounded' : ''}`;
  return [
    `// Loads ${matrices} of 8 rows of 16 bytes: lane i + 8 j names row i of matrix j, and ${gets}.`,
    `__device__ __forceinline__ void ${name}(${type}* to, const void* row) {`,
    '  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));',
    `  asm volatile("ldmatrix.sync.aligned.m8n8.x${count}${turned ? '.trans' : ''}.shared.b16 {${listed(count, i => `%${i}`)}}, [%${count}];"`,
    `               : ${listed(count, i => `"${register}"(to[${i}])`)}`,
    '               : "r"(address));',
    ...(rounds
      ? [
          '  #pragma unroll',
          `  for (int i = 0; i < ${count}; ++i) to[i] = ${TO_TF32}(__uint_as_float(to[i]));`,
        ]
      : []),
    '}',
    '',
  ];
}

export const NEXT_PIECE = 'nextPiece';

/** A word of pieces: one of tf32, or two of bf16. */
const pieceHelper = (factor: DType): readonly string[] =>
  factor === 'tf32'
    ? [
        '// The nearest tf32 of what is left of a number, which is then without it.',
        `__device__ __forceinline__ uint32_t ${NEXT_PIECE}(float& rest) {`,
        `  const uint32_t piece = ${TO_TF32}(rest);`,
        '  rest -= __uint_as_float(piece);',
        '  return piece;',
        '}',
        '',
      ]
    : [
        '// The nearest bf16 of what is left of two numbers, which are then without it.',
        `__device__ __forceinline__ uint32_t ${NEXT_PIECE}(float* rest) {`,
        '  const __nv_bfloat162 piece = __floats2bfloat162_rn(rest[0], rest[1]);',
        '  rest[0] -= __low2float(piece);',
        '  rest[1] -= __high2float(piece);',
        '  return reinterpret_cast<const uint32_t&>(piece);',
        '}',
        '',
      ];

function multiplyHelper(ir: KernelIr): readonly string[] {
  const constants = new Map(ir.constants.map(({ name, value }) => [name, value]));
  const { matrices, dtypes, accumulator } = ir;
  if (matrices === undefined) return [];
  const [m = 0, n = 0, k = 0] = [matrices.m, matrices.n, matrices.k].map(of =>
    valueOf(of, constants),
  );
  const wordsOf = (extent: number, dtype: DType): number =>
    (extent * k * DTYPE_BYTES[dtype]) / WORD_BYTES / 32;
  const factors = { a: ir.factor ?? dtypes.a, b: ir.factor ?? dtypes.b };
  const [a, b] = [wordsOf(m, factors.a), wordsOf(n, factors.b)];
  const packed = accumulator === 'f16';
  const sums = packed ? 2 : 4;
  const instruction = `mma.sync.aligned.m${m}n${n}k${k}.row.col.${[accumulator, factors.a, factors.b, accumulator].join('.')}`;
  const numbers = (from: number, count: number): string =>
    `{${listed(count, i => `%${from + i}`)}}`;
  const sum = accumulator === 'f32' ? '"+f"' : '"+r"';
  const element = cudaType(accumulator);
  return [
    `// sum += a * b, matrices of ${m} x ${k} and ${k} x ${n}: of the sum a lane has two neighbours of row lane / 4, and of the row 8 further.`,
    `__device__ __forceinline__ void mma(${element}* sum, const uint32_t* a, const uint32_t* b) {`,
    ...(packed ? ['  uint32_t* words = reinterpret_cast<uint32_t*>(sum);'] : []),
    `  asm("${instruction} "`,
    `      "${numbers(0, sums)}, ${numbers(sums, a)}, ${numbers(sums + a, b)}, ${numbers(0, sums)};"`,
    `      : ${listed(sums, i => `${sum}(${packed ? 'words' : 'sum'}[${i}])`)}`,
    `      : ${[listed(a, i => `"r"(a[${i}])`), listed(b, i => `"r"(b[${i}])`)].join(', ')});`,
    '}',
    '',
  ];
}
