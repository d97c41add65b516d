/**
 * Pre-pass kernels of `wgmma`. They repack A or B with a leading dimension that TMA can address (a
 * multiple of 16 bytes, copying.ts), or transpose the operand (transposing.ts). For FP32 emulation
 * they split it into terms, one matrix per term.
 */
import { add, blockIdx, ceilDiv, constant, int, mul, parameter, variable } from '../ir/expr';
import type { Expr, GlobalElement, KernelIr, RegisterElement, Statement, Value } from '../ir/ir';
import type { Dim3, Fp32Emulation, WarpGroupPlan } from '../../plan/plan';
import { isTransposedCopy, REPACK_THREADS, REPACKED_PITCH_BYTES } from '../../plan/wgmma/wgmma';
import { isProgrammaticLaunch } from '../../plan/wgmma/weightPrefetch';
import { DTYPE_BYTES, type DType } from '../../types/dtype';
import { extent } from '../../spec/resolved';
import type { Layout } from '../../spec/schema';
import { WORD_BYTES, wordOf, type CopiedOperand, type RepackedWord } from './copied';
import { copying } from './copying';
import { comment } from './loops';
import * as name from './names';
import { transposing } from './transposing';

export interface PrePass {
  readonly ir: KernelIr;
  readonly grid: Dim3;
  readonly block: Dim3;
}

interface CopyPass extends PrePass {
  /** Elements per store, which determine the helper function that copies them. */
  readonly word: number;
}

const UNIT = constant('LD_UNIT');
const LEADING = { a: 'lda', b: 'ldb' } as const;
const STRIDE = { a: 'strideA', b: 'strideB' } as const;

/**
 * Returns the pre-pass kernels of the repacked operands; the first kernel declares the shared
 * constants and helpers.
 */
export const prePasses = (plan: WarpGroupPlan, entry: string): readonly PrePass[] =>
  (['a', 'b'] as const)
    .filter(operand => plan.wgmma[operand].repacked !== undefined)
    .map((operand, i) => prePass(plan, operand, { entry, isFirst: i === 0 }))
    .map((one, i, [first = one]) => (i === 0 ? one : { ...one, ir: withoutDeclared(first, one) }));

const withoutDeclared = (
  { ir: first, word: firstWord }: CopyPass,
  { ir, word }: CopyPass,
): KernelIr => ({
  ...ir,
  constants: ir.constants.map(each =>
    first.constants.some(({ name: known }) => known === each.name)
      ? { ...each, shared: true }
      : each,
  ),
  ...(firstWord === word ? { helpers: 'declared' } : {}),
});

function prePass(
  plan: WarpGroupPlan,
  operand: 'a' | 'b',
  { entry, isFirst }: { readonly entry: string; readonly isFirst: boolean },
): CopyPass {
  const { problem } = plan.spec;
  const { element, fp32Emulation } = plan.wgmma;
  const turns = isTransposedCopy(plan.wgmma[operand]);
  const copied = copiedBy(plan, operand, isFirst);
  const { blocks, body, constants, shared } = turns ? transposing(copied) : copying(copied);
  const batched = name.isBatched(plan);
  const isProgrammatic = isProgrammaticLaunch(plan.spec.schedule);
  const kind = fp32Emulation !== undefined ? 'split' : turns ? 'transpose' : 'repack';
  return {
    ir: {
      entry: `${entry}_${kind}_${operand}`,
      pass: 'relayout',
      summary: [],
      dtypes: { ...plan.dtypes, workspace: element },
      accumulator: plan.accumulator,
      constants: [
        {
          name: 'COPY_THREADS',
          value: REPACK_THREADS,
          comment: 'threads per block of the pre-pass kernels',
        },
        {
          name: 'LD_UNIT',
          value: unitOf(element),
          comment: 'elements per 128-byte cache line, the alignment of repacked rows',
        },
        ...constants,
      ],
      shared,
      operands: [operand, 'workspace'],
      parameters: [
        ...(['m', 'n', 'k'] as const).filter(role => usedSizes(plan, operand, isFirst).has(role)),
        ...(batched && !isFirst ? (['batch'] as const) : []),
        LEADING[operand],
        ...(batched ? [STRIDE[operand]] : []),
      ],
      body: [
        ...(isProgrammatic ? (isFirst ? FIRST_LAUNCHED : SECOND_LAUNCHED) : []),
        ...name.batchOffsets(plan, [operand], blockIdx('z')),
        ...(isFirst ? [] : [startOfB(plan)]),
        ...body,
        ...(isProgrammatic && !isFirst ? SECOND_ENDED : []),
      ],
    },
    grid: { ...blocks, z: problem.batch },
    block: { x: REPACK_THREADS, y: 1, z: 1 },
    word: turns ? wordOf(copied.dtype).length : copied.word.length,
  };
}

/** Bytes of aligned words, widest first. */
const ALIGNED_BYTES = [8, WORD_BYTES] as const;

/**
 * Returns the word of the repacking copy of an operand. Aligned words need rows, strides and an
 * inner extent that are multiples of the word. The terms of FP32 emulation are stored one by one.
 */
export function repackedWord(
  { spec: { problem }, wgmma }: WarpGroupPlan,
  operand: 'a' | 'b',
): RepackedWord {
  const { dtype, ld, batchStride, layout } = problem[operand];
  const { rows, columns } = extent(problem, operand);
  const constantName = `${operand.toUpperCase()}_WORD`;
  if (wgmma.fp32Emulation !== undefined) return { ...wordOf(dtype), isAligned: false };
  const lengths = [ld, layout === 'row' ? columns : rows, problem.batch === 1 ? 0 : batchStride];
  const aligned = ALIGNED_BYTES.find(bytes =>
    lengths.every(length => (length * DTYPE_BYTES[dtype]) % bytes === 0),
  );
  return { ...wordOf(dtype, aligned, constantName), isAligned: aligned !== undefined };
}

const WAIT: Statement = { op: 'gridDependency', action: 'wait' };
const LAUNCH: Statement = { op: 'gridDependency', action: 'launch' };
const FIRST_LAUNCHED: readonly Statement[] = [
  comment('The previous kernel may still read the workspace or write an operand.'),
  WAIT,
  LAUNCH,
];
const SECOND_LAUNCHED: readonly Statement[] = [
  comment('Runs beside the first pre-pass kernel, which has waited for the kernel before it.'),
  LAUNCH,
];
const SECOND_ENDED: readonly Statement[] = [
  comment('The main kernel waits for this kernel only, so this kernel ends last.'),
  WAIT,
];

const unitOf = (element: DType): number => REPACKED_PITCH_BYTES / DTYPE_BYTES[element];

function copiedBy(plan: WarpGroupPlan, operand: 'a' | 'b', isFirst: boolean): CopiedOperand {
  const { problem } = plan.spec;
  const { fp32Emulation } = plan.wgmma;
  const batched = name.isBatched(plan);
  const sides = copySides(plan, operand);
  const { rows, columns } = extent(problem, operand);
  const site = { a: 'A', b: 'B' }[operand];
  const product = blockIdx('z');
  const count = fp32Emulation?.count ?? 1;
  const stored = (piece: number, outer: Expr, inner: Expr): GlobalElement => {
    const matrix = add(batched ? mul(product, int(count)) : int(0), int(piece));
    return {
      op: 'global',
      site: { name: 'workspace store', operand: 'workspace' },
      ...(isFirst ? {} : { offset: variable('first') }),
      outer: add(mul(matrix, sides[0]), outer),
      stride: padded(sides[1]),
      inner,
    };
  };
  return {
    operand,
    sides,
    dtype: problem[operand].dtype,
    extents: copyLayout(plan, operand) === 'row' ? [rows, columns] : [columns, rows],
    loaded: (outer, inner) => ({
      op: 'global',
      site: { name: `${site} repack load`, operand },
      ...(batched ? { offset: variable(name.OFFSET[operand]) } : {}),
      outer,
      stride: parameter(LEADING[operand]),
      inner,
    }),
    word: repackedWord(plan, operand),
    storing: (value, { outer, inner, width = 1 }) =>
      fp32Emulation === undefined
        ? [
            {
              op: 'assign',
              place: stored(0, outer, inner),
              value,
              ...(width === 1 ? {} : { width }),
            },
          ]
        : splitIntoTerms(fp32Emulation, value, piece => stored(piece, outer, inner)),
  };
}

/**
 * Splits a value into terms. Each term is the rounded remainder; all terms but the last are
 * subtracted from the remainder.
 */
function splitIntoTerms(
  { dtype, count }: Fp32Emulation,
  loaded: Value,
  stored: (piece: number) => GlobalElement,
): readonly Statement[] {
  const rest: RegisterElement = { op: 'register', name: 'remainder', index: [] };
  return [
    { op: 'registers', name: 'remainder', dtype: 'f32', shape: [], zeroed: false },
    { op: 'assign', place: rest, value: loaded },
    ...Array.from({ length: count }, (_, i): readonly Statement[] => {
      const piece: RegisterElement = { op: 'register', name: `term${i}`, index: [] };
      const rounded: Value = { op: 'convert', from: 'f32', to: dtype, value: rest };
      const widened: Value = { op: 'convert', from: dtype, to: 'f32', value: piece };
      return [
        { op: 'registers', name: piece.name, dtype, shape: [], zeroed: false },
        { op: 'assign', place: piece, value: rounded },
        { op: 'assign', place: stored(i), value: piece },
        ...(i + 1 < count
          ? [
              {
                op: 'assign' as const,
                place: rest,
                value: { op: 'sub' as const, left: rest, right: widened },
              },
            ]
          : []),
      ];
    }).flat(),
  ];
}

const SIDES = {
  a: { row: ['m', 'k'], col: ['k', 'm'] },
  b: { row: ['k', 'n'], col: ['n', 'k'] },
} as const;

const copyLayout = ({ spec, wgmma }: WarpGroupPlan, operand: 'a' | 'b'): Layout => {
  const { layout } = spec.problem[operand];
  return isTransposedCopy(wgmma[operand]) ? ({ row: 'col', col: 'row' } as const)[layout] : layout;
};

/** Returns the outer and inner extents of an operand's copy. */
export const copySides = (plan: WarpGroupPlan, operand: 'a' | 'b'): readonly [Expr, Expr] => {
  const [outer, inner] = SIDES[operand][copyLayout(plan, operand)];
  return [parameter(outer), parameter(inner)];
};

function usedSizes(plan: WarpGroupPlan, operand: 'a' | 'b', isFirst: boolean): Set<string> {
  const own = SIDES[operand][copyLayout(plan, operand)];
  return new Set<string>([...own, ...(isFirst ? [] : SIDES.a[copyLayout(plan, 'a')])]);
}

const padded = (inner: Expr): Expr => mul(ceilDiv(inner, UNIT), UNIT);

/** Declares the start of the copy of B, which follows the copy of A. */
function startOfB(plan: WarpGroupPlan): Statement {
  const [outer, inner] = copySides(plan, 'a');
  const { count = 1 } = plan.wgmma.fp32Emulation ?? {};
  const all = name.isBatched(plan) ? mul(parameter('batch'), outer) : outer;
  const rows = count === 1 ? all : mul(all, int(count));
  return {
    op: 'let',
    name: 'first',
    value: mul(rows, padded(inner)),
    ...(plan.wideOffsets.includes('workspace') ? { wide: true as const } : {}),
  };
}
