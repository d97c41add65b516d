/** The instruction of a tile's width and type, in a function that kernels call (PTX ISA, "wgmma.mma_async"). */
import type { WgmmaPlan } from '../../plan/plan';
import { DTYPE_BYTES, type DType } from '../../types/dtype';

const REGISTERS_A_LINE = 8;
const OPERANDS_A_LINE = 4;

export function instructionHelper({ shape, a, b }: WgmmaPlan, dtype: DType): readonly string[] {
  const { m, n, k } = shape;
  const sums = n / 2;
  const registers = inLines(sums, REGISTERS_A_LINE, i => `%${i}`);
  const operands = inLines(sums, OPERANDS_A_LINE, i => `"+f"(d[${i}])`);
  // Elements of 16 bits may be turned over; the signs of A and B come before.
  const turned = [a, b].map(({ major }) => (major === 'k' ? 0 : 1));
  const flags = [1, 1, ...(DTYPE_BYTES[dtype] === 2 ? turned : [])].join(', ');
  return [
    `// sums += A * B, of ${m} rows, ${n} columns and ${k} depths; sums = A * B where nothing is to be added to.`,
    '__device__ __forceinline__ void multiply(float (&d)[BN / 2], uint64_t a, uint64_t b, int adds) {',
    '  asm volatile(',
    '      "{\\n"',
    '      ".reg .pred adds;\\n"',
    `      "setp.ne.b32 adds, %${sums + 2}, 0;\\n"`,
    `      "wgmma.mma_async.sync.aligned.m${m}n${n}k${k}.f32.${dtype}.${dtype} "`,
    ...registers.map((line, i) => {
      const isLast = i === registers.length - 1;
      return `      "${i === 0 ? '{' : ' '}${line}${isLast ? '}, "' : ', "'}`;
    }),
    `      "%${sums}, %${sums + 1}, adds, ${flags};\\n"`,
    '      "}"',
    ...operands.map((line, i) => {
      const isLast = i === operands.length - 1;
      return `      ${i === 0 ? ':' : ' '} ${line}${isLast ? '' : ','}`;
    }),
    '      : "l"(a), "l"(b), "r"(adds));',
    '}',
    '',
  ];
}

/** Entries 0 to count - 1, so many a line. */
const inLines = (count: number, each: number, text: (i: number) => string): readonly string[] =>
  Array.from({ length: Math.ceil(count / each) }, (_, line) =>
    Array.from({ length: Math.min(each, count - line * each) }, (_, i) =>
      text(line * each + i),
    ).join(', '),
  );
