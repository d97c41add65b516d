/** What stands above a kernel of `mma`: the constants of its matrices, and a summary in words. */
import type { NamedConstant } from '../../ir/ir';
import type { MmaPlan, PiecesPlan, WarpMatrixPlan } from '../../../plan/plan';
import { NARROWEST_COPY_BYTES } from '../../../plan/simt/lanes';
import { turnedBytes, WORD_BYTES } from '../../../plan/mma/fragments';
import { DTYPE_BYTES } from '../../../types/dtype';
import { copiesADepth } from './fragmentStaging';
import { linesOf, wordsOf } from './matrixStaging';
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
      `${what} of a tile of ${label} a thread loads`,
    );
  };
  return [
    c('MMA_M', shape.m, 'rows of a matrix of C, and of A'),
    c('MMA_N', shape.n, 'columns of a matrix of C, and of B'),
    c('MMA_K', shape.k, 'depth of a multiply-accumulate'),
    c('VEC', vector, 'elements an access moves'),
    loads('a'),
    loads('b'),
    ...(plan.family === 'mma' ? fragmentConstants(plan) : []),
    ...(['a', 'b'] as const).flatMap(operand => {
      const label = operand.toUpperCase();
      const lines = linesOf(plan, operand);
      return lines === undefined
        ? []
        : [c(`LINES_${label}`, lines, `rows of ${label}s that the threads store at a time`)];
    }),
    c(
      'RASTER',
      plan.spec.schedule.raster?.group ?? 1,
      'tile rows or columns that blocks walk together',
    ),
  ];
}

export function matrixSummary(plan: WarpMatrixPlan): readonly string[] {
  const { tile } = plan;
  const { warp, shape, direct } = plan.matrix;
  if (plan.family === 'mma') return fragmentSummary(plan);
  return [
    `Each block computes a ${tile.m} x ${tile.n} tile of C, a warp ${warp.m} x ${warp.n} of it in subgroup matrices of ${shape.m} x ${shape.n}, and walks K in`,
    `steps of ${tile.k} through shared memory: the next tile is loaded into registers while one is multiplied.`,
    'Needs the experimental feature chromium-experimental-subgroup-matrix, and subgroups of 32 invocations.',
    ...narrowed(plan),
    ...(direct
      ? []
      : [
          'Sums pass through shared memory, since C is not stored as whole matrices of their own type.',
        ]),
  ];
}

function fragmentConstants(plan: MmaPlan): readonly NamedConstant[] {
  const { fragments } = plan;
  const { scratch } = plan.matrix;
  const { pieces } = fragments;
  return [
    ...(pieces === undefined
      ? []
      : [
          {
            name: 'PIECES',
            value: pieces.count,
            comment: `numbers of ${pieces.dtype} whose sum an element of A or B is`,
          },
        ]),
    {
      name: 'STAGES',
      value: fragments.stages,
      comment: 'tiles of A and of B that shared memory holds',
    },
    ...(['a', 'b'] as const).map(operand => ({
      name: `SHARE_${operand.toUpperCase()}`,
      value: copiesADepth(plan, operand),
      comment: `loads of ${operand.toUpperCase()} at a depth, from the first on`,
    })),
    ...(['a', 'b'] as const).flatMap((operand): readonly NamedConstant[] => {
      const { swizzle } = fragments[operand];
      const name = `SWIZZLE_${operand.toUpperCase()}`;
      const comment = `ways in which rows of ${operand.toUpperCase()}s exchange their chunks of ${turnedBytes(fragments[operand].load)} bytes`;
      return swizzle === undefined ? [] : [{ name, value: swizzle.ways, comment }];
    }),
    {
      name: 'PAD_C',
      value: scratch?.padding ?? 0,
      comment: 'elements between lines of Cs, against bank conflicts',
    },
  ];
}

function fragmentSummary(plan: MmaPlan): readonly string[] {
  const { tile } = plan;
  const { stages, copies, buffers, tooNarrow, pieces } = plan.fragments;
  const { warp, shape } = plan.matrix;
  const way =
    copies === 'asynchronous'
      ? `filled by asynchronous copies ${buffers === 2 ? 'during' : 'ahead of'} the products`
      : 'the next tile is loaded into registers while one is multiplied';
  return [
    `Each block computes a ${tile.m} x ${tile.n} tile of C, a warp ${warp.m} x ${warp.n} of it on tensor cores in products of ${shape.m} x ${shape.n} x ${shape.k},`,
    `and walks K in steps of ${tile.k} through ${stages === 1 ? '' : `${stages} stages of `}shared memory: ${way}.`,
    `Of each matrix a lane holds what mma.sync asks of it: ${depths(plan)} of row lane / 4, and of the row 8 further.`,
    ...(pieces === undefined ? [] : pieceSummary(pieces, shape.k)),
    ...(tooNarrow === undefined
      ? []
      : [
          `Asynchronous copies move ${NARROWEST_COPY_BYTES} bytes or more, and ${tooNarrow.operand.toUpperCase()} would be copied by ${tooNarrow.bytes}.`,
        ]),
    ...narrowed(plan),
  ];
}

/** How f32 is multiplied by what knows shorter types. */
const pieceSummary = ({ dtype, count, products }: PiecesPlan, depth: number): readonly string[] => [
  `It makes ${count} pieces of each element, each the nearest ${dtype} of what those before it leave; of ${count * count} products of pieces ${products.length} are`,
  `summed, the smallest first. Tensor cores cut off what f32 would round, so they sum ${depth} depths from zero, which is added in f32.`,
  ...(dtype === 'bf16'
    ? [
        'A word has the pieces of depths that are 4 apart: A and B in the same order, which leaves their products as they are.',
      ]
    : []),
];

/** Elements of a word of 32 bits. */
function depths({ dtypes }: WarpMatrixPlan): string {
  const inWord = WORD_BYTES / DTYPE_BYTES[dtypes.a];
  if (inWord === 1) return 'single depths';
  return `${inWord === 2 ? 'two' : inWord} neighbouring depths`;
}
