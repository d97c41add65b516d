/**
 * Prints the instruction of a tile as a device function: wgmma for the tile's width and type (PTX
 * ISA, "wgmma.mma_async"), or mma.sync.
 */
import type { WgmmaPlan } from '../../plan/wgmma/wgmmaPlan';
import { DTYPE_BYTES, type DType } from '../../types/dtype';

const REGISTERS_A_LINE = 8;
const OPERANDS_A_LINE = 4;

/** `columns` is the constant with the columns of an instruction. */
export const instructionHelper = (
  plan: WgmmaPlan,
  dtype: DType,
  columns: 'BN' | 'COLUMNS',
): readonly string[] =>
  plan.instruction === 'mma' ? mmaHelper(plan, dtype) : wgmmaHelper(plan, dtype, columns);

/** The fragments are parameters, so that ldmatrix can load those of B for two instructions. */
const mmaHelper = ({ shape: { m, n, k } }: WgmmaPlan, dtype: DType): readonly string[] => [
  `// mma.sync ${m} x ${n} x ${k}: d += A * B, with the fragments of A and B in registers.`,
  '__device__ __forceinline__ void mma(float* d, const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {',
  `  asm volatile("mma.sync.aligned.m${m}n${n}k${k}.row.col.f32.${dtype}.${dtype}.f32 "`,
  '               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"',
  '               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])',
  '               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));',
  '}',
  '',
];

function wgmmaHelper({ shape, a, b }: WgmmaPlan, dtype: DType, columns: string): readonly string[] {
  const { m, n, k } = shape;
  const sums = n / 2;
  const registers = inLines(sums, REGISTERS_A_LINE, i => `%${i}`);
  const operands = inLines(sums, OPERANDS_A_LINE, i => `"+f"(d[${i}])`);
  // Scales of A and B, then, for 16-bit elements, whether each operand is transposed.
  const transposeFlags = [a, b].map(({ major }) => (major === 'k' ? 0 : 1));
  const flags = [1, 1, ...(DTYPE_BYTES[dtype] === 2 ? transposeFlags : [])].join(', ');
  return [
    `// wgmma ${m} x ${n} x ${k}: d = A * B + (accumulate ? d : 0), with A and B in shared memory.`,
    ...(DTYPE_BYTES[dtype] === 2
      ? [
          '// Immediates after the predicate: the scales of A and B, and whether A and B are transposed',
          '// (1: M- or N-major).',
        ]
      : ['// Immediates after the predicate: the scales of A and B.']),
    `__device__ __forceinline__ void wgmma(float (&d)[${columns} / 2], uint64_t a, uint64_t b, int accumulate) {`,
    '  asm volatile(',
    '      "{\\n"',
    '      ".reg .pred accumulate;\\n"',
    `      "setp.ne.b32 accumulate, %${sums + 2}, 0;\\n"`,
    `      "wgmma.mma_async.sync.aligned.m${m}n${n}k${k}.f32.${dtype}.${dtype} "`,
    ...registers.map((line, i) => {
      const isLast = i === registers.length - 1;
      return `      "${i === 0 ? '{' : ' '}${line}${isLast ? '}, "' : ', "'}`;
    }),
    `      "%${sums}, %${sums + 1}, accumulate, ${flags};\\n"`,
    '      "}"',
    ...operands.map((line, i) => {
      const isLast = i === operands.length - 1;
      return `      ${i === 0 ? ':' : ' '} ${line}${isLast ? '' : ','}`;
    }),
    '      : "l"(a), "l"(b), "r"(accumulate));',
    '}',
    '',
  ];
}

const inLines = (count: number, each: number, text: (i: number) => string): readonly string[] =>
  Array.from({ length: Math.ceil(count / each) }, (_, line) =>
    Array.from({ length: Math.min(each, count - line * each) }, (_, i) =>
      text(line * each + i),
    ).join(', '),
  );
