/**
 * Copies of A or B whose rows TMA can address: as they lie, at a leading dimension of whole units of 16 bytes; or the pieces
 * that they are split into, one matrix of each after the other.
 */
import {
  add,
  blockIdx,
  ceilDiv,
  constant,
  int,
  mul,
  parameter,
  threadIdx,
  variable,
} from '../ir/expr';
import type { Expr, GlobalElement, KernelIr, RegisterElement, Statement, Value } from '../ir/ir';
import type { Dim3, PiecesPlan, Plan } from '../plan/plan';
import { RELAYOUT_THREADS, TMA_STRIDE_BYTES } from '../plan/wgmma';
import { DTYPE_BYTES } from '../spec/dtype';
import { extent } from '../spec/resolved';
import { declare, onlyIf } from './loops';
import * as name from './names';

export interface Relayout {
  readonly ir: KernelIr;
  readonly grid: Dim3;
  readonly block: Dim3;
}

const [RN, UNIT] = [constant('RN'), constant('UNIT')];
const [line, position] = [variable('line'), variable('element')];
const LEADING = { a: 'lda', b: 'ldb' } as const;
const STRIDE = { a: 'strideA', b: 'strideB' } as const;

/** Of A, then of B, where they need it: an element a thread. */
export const relayouts = (plan: Plan, entry: string): readonly Relayout[] =>
  (['a', 'b'] as const)
    .filter(operand => plan.wgmma?.[operand].relaid !== undefined)
    .map((operand, i) => relayout(plan, operand, { entry, isFirst: i === 0 }));

function relayout(
  plan: Plan,
  operand: 'a' | 'b',
  { entry, isFirst }: { readonly entry: string; readonly isFirst: boolean },
): Relayout {
  const { problem } = plan.spec;
  const { dtype, layout } = problem[operand];
  const { element = dtype, pieces } = plan.wgmma ?? {};
  const { rows, columns } = extent(problem, operand);
  const [lines, elements] = layout === 'row' ? [rows, columns] : [columns, rows];
  const [outer, inner] = sidesOf(plan, operand);
  const unit = TMA_STRIDE_BYTES / DTYPE_BYTES[element];
  const batched = name.isBatched(plan);
  const product = blockIdx('z');
  const site = { a: 'A', b: 'B' }[operand];
  const shared = isFirst ? {} : { shared: true as const };
  const offset = batched ? { offset: variable(name.OFFSET[operand]) } : {};
  const before = isFirst ? [] : [behindA(plan)];
  const loaded: Value = {
    ...{ op: 'global', site: { name: `${site} relayout load`, operand } },
    ...{ ...offset, outer: line, stride: parameter(LEADING[operand]), inner: position },
  };
  /** Of the copies, `matrix` after another. */
  const stored = (matrix: Expr): GlobalElement => ({
    ...{ op: 'global', site: { name: 'workspace store', operand: 'workspace' } },
    ...(isFirst ? {} : { offset: variable('first') }),
    outer: add(batched || pieces !== undefined ? mul(matrix, outer) : int(0), line),
    ...{ stride: padded(inner), inner: position },
  });
  const body: readonly Statement[] = [
    ...name.batchOffsets(plan, [operand], product),
    ...before,
    declare('line', blockIdx('x')),
    declare('element', add(mul(blockIdx('y'), RN), threadIdx('x'))),
    ...onlyIf(
      [{ left: position, right: inner }],
      [
        ...(pieces === undefined
          ? [{ op: 'assign' as const, place: stored(product), value: loaded }]
          : splitting(pieces, loaded, piece =>
              stored(add(batched ? mul(product, int(pieces.count)) : int(0), int(piece))),
            )),
      ],
    ),
  ];
  return {
    ir: {
      entry: `${entry}_${pieces === undefined ? 'relayout' : 'split'}_${operand}`,
      ...{ pass: 'relayout', summary: [] },
      ...{ dtypes: { ...plan.dtypes, workspace: element }, accumulator: plan.accumulator },
      constants: [
        { name: 'RM', value: 1, comment: 'rows that a block copies a part of', ...shared },
        { name: 'RN', value: RELAYOUT_THREADS, comment: 'elements of it', ...shared },
        { name: 'UNIT', value: unit, comment: 'elements of 16 bytes, as TMA counts', ...shared },
      ],
      shared: [],
      operands: [operand, 'workspace'],
      parameters: [
        ...(['m', 'n', 'k'] as const).filter(role => usedSizes(plan, operand, isFirst).has(role)),
        ...(batched && !isFirst ? (['batch'] as const) : []),
        LEADING[operand],
        ...(batched ? [STRIDE[operand]] : []),
      ],
      body,
    },
    grid: { x: lines, y: Math.ceil(elements / RELAYOUT_THREADS), z: problem.batch },
    block: { x: RELAYOUT_THREADS, y: 1, z: 1 },
  };
}

/** Piece after piece: what the type holds of the rest, which is then without it. */
function splitting(
  { dtype, count }: PiecesPlan,
  loaded: Value,
  stored: (piece: number) => GlobalElement,
): readonly Statement[] {
  const rest: RegisterElement = { op: 'register', name: 'rest', index: [] };
  return [
    { op: 'registers', name: 'rest', dtype: 'f32', shape: [], zeroed: false },
    { op: 'assign', place: rest, value: loaded },
    ...Array.from({ length: count }, (_, i): readonly Statement[] => {
      const piece: RegisterElement = { op: 'register', name: `piece${i}`, index: [] };
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

/** Rows of memory, and elements of one. */
const sidesOf = ({ spec }: Plan, operand: 'a' | 'b'): readonly [Expr, Expr] => {
  const [outer, inner] = SIDES[operand][spec.problem[operand].layout];
  return [parameter(outer), parameter(inner)];
};

function usedSizes(
  { spec: { problem }, wgmma }: Plan,
  operand: 'a' | 'b',
  isFirst: boolean,
): Set<string> {
  const own = SIDES[operand][problem[operand].layout];
  // Rows of a product are counted where there are several.
  const isCounted = problem.batch > 1 || wgmma?.pieces !== undefined;
  const counted = isCounted ? own : own.slice(1);
  return new Set<string>([...counted, ...(isFirst ? [] : SIDES.a[problem.a.layout])]);
}

const padded = (inner: Expr): Expr => mul(ceilDiv(inner, UNIT), UNIT);

/** Where the copy of B begins: behind that of A. */
function behindA(plan: Plan): Statement {
  const [outer, inner] = sidesOf(plan, 'a');
  const { count = 1 } = plan.wgmma?.pieces ?? {};
  const all = name.isBatched(plan) ? mul(parameter('batch'), outer) : outer;
  const rows = count === 1 ? all : mul(all, int(count));
  return {
    ...{ op: 'let', name: 'first', value: mul(rows, padded(inner)) },
    ...(plan.wideOffsets.includes('workspace') ? { wide: true as const } : {}),
  };
}
