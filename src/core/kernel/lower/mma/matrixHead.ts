/** Constants and head summary of `mma` kernels. */
import type { NamedConstant } from '../../ir/ir';
import type { MmaPlan, Fp32Emulation, WarpMatrixPlan } from '../../../plan/plan';
import { NARROWEST_COPY_BYTES } from '../../../plan/simt/lanes';
import { WORD_BYTES } from '../../../plan/mma/fragments';
import { DTYPE_BYTES } from '../../../types/dtype';
import { copiesPerKStep } from './fragmentStaging';
import { rowsPerPass, wordsOf } from './matrixStaging';
import { rasterSummary } from '../rasterSummary';
import { narrowed } from '../widths';

export function matrixConstants(plan: WarpMatrixPlan): readonly NamedConstant[] {
  const { matrix } = plan;
  const { shape, vector } = matrix;
  const c = (name: string, value: number, comment: string): NamedConstant => ({
    name,
    value,
    comment,
  });
  const loads = (operand: 'a' | 'b'): NamedConstant => {
    const label = operand.toUpperCase();
    const { width } = matrix[operand];
    const what = width === 1 ? 'elements' : `vectors of ${width} elements`;
    return c(
      `LOADS_${label}`,
      wordsOf(plan, operand),
      `${what} that a thread loads per ${label} tile`,
    );
  };
  return [
    c('MMA_M', shape.m, 'rows of C and A per MMA'),
    c('MMA_N', shape.n, 'columns of C and B per MMA'),
    c('MMA_K', shape.k, 'K extent per MMA (matrix multiply-accumulate)'),
    c('VEC', vector, 'elements per vectorized access'),
    loads('a'),
    loads('b'),
    ...(plan.family === 'mma' ? fragmentConstants(plan) : []),
    ...(['a', 'b'] as const).flatMap(operand => {
      const label = operand.toUpperCase();
      const lines = rowsPerPass(plan, operand);
      return lines === undefined
        ? []
        : [
            c(
              `PASS_ROWS_${label}`,
              lines,
              `rows of ${label}s that the thread block stores per pass`,
            ),
          ];
    }),
    c(
      'RASTER',
      plan.spec.schedule.raster?.group ?? 1,
      `tile ${(plan.spec.schedule.raster?.order ?? 'row') === 'row' ? 'rows' : 'columns'} per raster group (L2 reuse)`,
    ),
  ];
}

export function matrixSummary(plan: WarpMatrixPlan): readonly string[] {
  const { tile } = plan;
  const { warp, shape, direct } = plan.matrix;
  if (plan.family === 'mma') return fragmentSummary(plan);
  return [
    `Each thread block computes a ${tile.m} x ${tile.n} tile of C, each subgroup a ${warp.m} x ${warp.n} tile of it. Subgroup matrices are ${shape.m} x ${shape.n}.`,
    `Software pipelining: the next ${tile.k}-deep tiles of A and B are prefetched into registers while the current tiles are multiplied from shared memory.`,
    ...rasterSummary(plan),
    'Requires the experimental feature chromium-experimental-subgroup-matrix and subgroups of 32 invocations.',
    ...narrowed(plan),
    ...(direct
      ? []
      : [
          'Epilogue: accumulators are staged in shared memory, since C cannot be stored as whole subgroup matrices.',
        ]),
  ];
}

/** Returns the padding between the lines of the staging buffer of C. */
export const paddingOfC = (value: number): NamedConstant => ({
  name: 'PAD_C',
  value,
  comment: 'row padding of Cs in elements (avoids bank conflicts)',
});

function fragmentConstants(plan: MmaPlan): readonly NamedConstant[] {
  const { fragments } = plan;
  const { scratch } = plan.matrix;
  const { fp32Emulation } = fragments;
  return [
    ...(fp32Emulation === undefined
      ? []
      : [
          {
            name: 'TERMS',
            value: fp32Emulation.count,
            comment: `${fp32Emulation.dtype} terms whose sum approximates an f32 element`,
          },
        ]),
    {
      name: 'STAGES',
      value: fragments.stages,
      comment: 'pipeline stages (pairs of A and B tiles in shared memory)',
    },
    ...(['a', 'b'] as const).map(operand => ({
      name: `STEP_LOADS_${operand.toUpperCase()}`,
      value: copiesPerKStep(plan, operand),
      comment: `${operand.toUpperCase()} loads issued per k-step`,
    })),
    ...(['a', 'b'] as const).flatMap((operand): readonly NamedConstant[] => {
      const { swizzle } = fragments[operand];
      const name = `SWIZZLE_${operand.toUpperCase()}`;
      const comment = `XOR swizzle period of ${operand.toUpperCase()}s, in chunks (avoids bank conflicts)`;
      return swizzle === undefined ? [] : [{ name, value: swizzle.ways, comment }];
    }),
    paddingOfC(scratch?.padding ?? 0),
  ];
}

function fragmentSummary(plan: MmaPlan): readonly string[] {
  const { tile } = plan;
  const { stages, copies, buffers, tooNarrow, fp32Emulation } = plan.fragments;
  const { warp, shape } = plan.matrix;
  const way =
    copies === 'asynchronous'
      ? `Software pipelining with ${stages} stages: asynchronous copies (cp.async) of ${tile.k}-deep tiles of A and B fill shared memory ahead of the MMAs${buffers === 2 ? '. Fragments are double-buffered in registers' : ''}.`
      : `Software pipelining: the next ${tile.k}-deep tiles of A and B are prefetched into registers while the current tiles are multiplied${stages === 1 ? '' : ` from ${stages} shared-memory stages (double buffering)`}.`;
  const swizzled = (['a', 'b'] as const).filter(name => plan.fragments[name].swizzle !== undefined);
  const names = swizzled.map(name => `${name.toUpperCase()}s`).join(' and ');
  return [
    `Each thread block computes a ${tile.m} x ${tile.n} tile of C, each warp a ${warp.m} x ${warp.n} warp tile. Warps multiply with mma.sync m${shape.m}n${shape.n}k${shape.k} on tensor cores.`,
    way,
    ...(swizzled.length === 0
      ? []
      : [
          `An XOR swizzle of ${names} avoids bank conflicts of the copies and of the fragment loads.`,
        ]),
    ...rasterSummary(plan),
    `mma.sync fragments: ${depths(plan)}. A lane holds rows lane/4 and lane/4 + 8 of A, and column lane/4 of B.`,
    'Epilogue: accumulators are staged in shared memory, so that C is written with vectorized, coalesced stores.',
    ...(fp32Emulation === undefined ? [] : pieceSummary(fp32Emulation, shape.k)),
    ...(tooNarrow === undefined
      ? []
      : [
          `No cp.async: it copies at least ${NARROWEST_COPY_BYTES} bytes, but copies of ${tooNarrow.operand.toUpperCase()} are ${tooNarrow.bytes} bytes wide.`,
        ]),
    ...narrowed(plan),
  ];
}

const pieceSummary = (
  { dtype, count, products }: Fp32Emulation,
  depth: number,
): readonly string[] => [
  `FP32 emulation: each element is split into ${count} ${dtype} terms, and ${products.length} of the ${count * count} products of terms are accumulated, smallest first. Tensor cores truncate sums that FP32 addition would round. Each k-step of ${depth} therefore accumulates from zero, and its result is added to the FP32 accumulators (promotion).`,
  ...(dtype === 'bf16'
    ? [
        'A 32-bit word holds the terms of k and k + 4. A and B permute k in the same way, which does not change the result.',
      ]
    : []),
];

function depths({ dtypes, fragments }: MmaPlan): string {
  const inWord = WORD_BYTES / DTYPE_BYTES[dtypes.a];
  if (fragments.fp32Emulation?.dtype === 'bf16')
    return 'each 32-bit register packs terms of two k values';
  if (inWord === 1) return 'each 32-bit register holds one element';
  return `each 32-bit register packs ${inWord === 2 ? 'two' : 'four'} elements with consecutive k`;
}
