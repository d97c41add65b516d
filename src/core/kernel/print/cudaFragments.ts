/** Device functions around the PTX instructions of tensor cores. */
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
    ...(factor === undefined ? [] : termHelper(factor)),
    ...multiplyHelper(ir),
  ];
}

const ROUNDED = [
  '// Round to the nearest tf32; tensor cores would truncate an f32.',
  `__device__ __forceinline__ uint32_t ${TO_TF32}(float value) {`,
  '  uint32_t bits;',
  '  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));',
  '  return bits;',
  '}',
  '',
];

const listed = (count: number, text: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join(', ');

/** Type of fragment elements after a load: packed words, floats, or floats rounded to tf32. */
type FragmentElement = 'words' | 'numbers' | 'rounded';

function loadHelper(name: string, held: FragmentElement): readonly string[] {
  const rounds = held === 'rounded';
  const [type, register] = held === 'numbers' ? ['float', '=f'] : ['uint32_t', '=r'];
  const count = Number(name.charAt('ldmatrix'.length));
  const transposed = name.endsWith('Trans');
  const matrices =
    count === 1 ? 'one 8 x 8 matrix' : `${count === 2 ? 'two' : 'four'} 8 x 8 matrices`;
  const gets = transposed
    ? 'rows 2 (l % 4) and 2 (l % 4) + 1 of column l/4 of each matrix'
    : `word l % 4 of row l/4 of each matrix${rounds ? ', rounded to tf32' : ''}`;
  return [
    `// ldmatrix: loads ${matrices} with 16-byte rows from shared memory.`,
    '// Lane i + 8 j supplies the address of row i of matrix j.',
    `// Lane l receives ${gets}.`,
    `__device__ __forceinline__ void ${name}(${type}* to, const void* row) {`,
    '  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));',
    `  asm volatile("ldmatrix.sync.aligned.m8n8.x${count}${transposed ? '.trans' : ''}.shared.b16 {${listed(count, i => `%${i}`)}}, [%${count}];"`,
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

export const TAKE_TERM = 'takeTerm';

/** Prints the function that splits off one word of terms: one tf32 term or two bf16 terms. */
const termHelper = (factor: DType): readonly string[] =>
  factor === 'tf32'
    ? [
        '// Split off the next term: round to the nearest tf32 and keep the remainder.',
        `__device__ __forceinline__ uint32_t ${TAKE_TERM}(float& remainder) {`,
        `  const uint32_t term = ${TO_TF32}(remainder);`,
        '  remainder -= __uint_as_float(term);',
        '  return term;',
        '}',
        '',
      ]
    : [
        '// Split off the next terms of two elements: round to the nearest bf16 and keep the remainders.',
        `__device__ __forceinline__ uint32_t ${TAKE_TERM}(float* remainder) {`,
        '  const __nv_bfloat162 terms = __floats2bfloat162_rn(remainder[0], remainder[1]);',
        '  remainder[0] -= __low2float(terms);',
        '  remainder[1] -= __high2float(terms);',
        '  return reinterpret_cast<const uint32_t&>(terms);',
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
    `// mma.sync: acc += a * b on tensor cores, with a ${m} x ${k} and b ${k} x ${n}.`,
    '// Each lane holds two adjacent columns of accumulator rows lane/4 and lane/4 + 8.',
    `__device__ __forceinline__ void mma(${element}* acc, const uint32_t* a, const uint32_t* b) {`,
    ...(packed ? ['  uint32_t* words = reinterpret_cast<uint32_t*>(acc);'] : []),
    `  asm("${instruction} "`,
    `      "${numbers(0, sums)}, ${numbers(sums, a)}, ${numbers(sums + a, b)}, ${numbers(0, sums)};"`,
    `      : ${listed(sums, i => `${sum}(${packed ? 'words' : 'acc'}[${i}])`)}`,
    `      : ${[listed(a, i => `"r"(a[${i}])`), listed(b, i => `"r"(b[${i}])`)].join(', ')});`,
    '}',
    '',
  ];
}
