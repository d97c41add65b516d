/**
 * Sentences of the file head about access widths: accesses narrower than requested, and alignment
 * requirements.
 */
import { NARROWEST_COPY_BYTES, widest, WIDEST_BYTES } from '../../plan/simt/lanes';
import { MATRIX_ROW_BYTES } from '../../plan/mma/matrix';
import { lanePlanIn, matrixPlanIn } from '../../plan/family';
import type { LanePlan, Plan } from '../../plan/plan';
import { DTYPE_BYTES } from '../../types/dtype';
import { gateOf } from '../../spec/epilogue';
import { extent, type GlobalOperand } from '../../spec/resolved';
import { upper, type SizeRole } from '../ir/arguments';

const OPERANDS = ['a', 'b', 'c'] as const;
type Operand = (typeof OPERANDS)[number];

const STRIDES = { a: 'strideA', b: 'strideB', c: 'strideC' } as const;

interface Aligned {
  readonly what: string;
  readonly value: number;
}

function widthOf(plan: Plan, operand: Operand): number {
  const widths = lanePlanIn(plan) ?? matrixPlanIn(plan);
  return (operand === 'c' ? widths?.storeWidth : widths?.[operand].width) ?? 1;
}

/**
 * Returns the required alignment in elements: the access width, or the row alignment of subgroup
 * matrices.
 */
const alignmentOf = (plan: Plan, operand: Operand): number =>
  operand === 'c' && matrixPlanIn(plan)?.direct === true
    ? MATRIX_ROW_BYTES / DTYPE_BYTES[plan.dtypes.c]
    : widthOf(plan, operand);

/**
 * Returns the number of elements per access that the schedule requests. Stores of `mma` are limited
 * to the widest access of the target.
 */
function requestedWidth(plan: Plan, operand: Operand): number {
  const { dtypes, split, target } = plan;
  const matrix = matrixPlanIn(plan);
  if (matrix === null) return lanePlanIn(plan)?.vector ?? 1;
  const stored = DTYPE_BYTES[split === undefined ? dtypes.c : dtypes.workspace];
  if (operand !== 'c') return matrix.vector;
  return matrix.direct ? 1 : Math.min(matrix.vector, widest(stored, target));
}

/** Returns the contiguous dimension of an operand: its name, matrix extent and tile extent. */
function contiguous({ spec: { problem }, tile }: Plan, operand: Operand) {
  const { rows, columns } = extent(problem, operand);
  const row = problem[operand].layout === 'row';
  const name = { a: row ? 'k' : 'm', b: row ? 'n' : 'k', c: row ? 'n' : 'm' } as const;
  const side = name[operand];
  return { name: side.toUpperCase(), size: row ? columns : rows, tile: tile[side], side };
}

/** Returns the extents and strides that the access width must divide. */
function alignedOf(plan: Plan, operand: Operand): readonly Aligned[] {
  const { name, size, tile, side } = contiguous(plan, operand);
  const { batch, [operand]: matrix } = plan.spec.problem;
  const leading = { what: `ld${operand}`, value: matrix.ld };
  const stride =
    batch === 1 ? [] : [{ what: `stride${operand.toUpperCase()}`, value: matrix.batchStride }];
  const dimension = { what: name, value: size };
  if (operand === 'c') {
    const along = side === 'm' ? 'm' : 'n';
    const held = heldAlong(plan, along);
    // Partial results are packed: the workspace has no leading dimensions or strides.
    return [...(plan.split === undefined ? [leading, ...stride] : []), dimension, held];
  }
  const shared = plan.shared?.[operand];
  const row = (shared?.inner ?? 0) + (shared?.padding ?? 0);
  const { depth } = lanePlanIn(plan)?.gemv ?? {};
  const label = operand.toUpperCase();
  const gate = operand === 'b' ? gateOf(plan.spec.problem) : undefined;
  return [
    leading,
    ...stride,
    ...(gate === undefined
      ? []
      : [{ what: `the leading dimension of ${gate.name}`, value: gate.ld }]),
    dimension,
    ...(plan.shared === undefined && side !== 'k'
      ? [{ what: `T${name}`, value: plan.thread[side] }]
      : depth === undefined
        ? [{ what: `B${name}`, value: tile }]
        : [{ what: 'TK', value: depth }]),
    ...(plan.shared === undefined || lanePlanIn(plan)?.[operand].transposed === true
      ? []
      : [{ what: `the row stride of ${label}s`, value: row }]),
  ];
}

/**
 * Returns the extent of a thread tile, a warp tile or a subgroup matrix along M or N, with the name
 * of its constant.
 */
function heldAlong(plan: Plan, side: 'm' | 'n'): Aligned {
  const name = side.toUpperCase();
  switch (plan.family) {
    case 'subgroup-matrix':
      return { what: `MMA_${name}`, value: plan.matrix.shape[side] };
    case 'mma':
      return { what: `W${name}`, value: plan.matrix.warp[side] };
    case 'simt':
    case 'wgmma':
      return { what: `T${name}`, value: plan.thread[side] };
  }
}

/** Returns sentences about accesses that are narrower than the schedule requests. */
export function narrowed(plan: Plan): readonly string[] {
  const lanes = lanePlanIn(plan);
  return [
    ...(lanes === null ? [] : prefetched(lanes)),
    ...OPERANDS.flatMap(operand => {
      const width = widthOf(plan, operand);
      const label = operand.toUpperCase();
      const asked = requestedWidth(plan, operand);
      // In gemv, lanes along K store few elements of C each.
      if (width >= asked || (operand === 'c' && lanes?.gemv !== undefined)) return [];
      const many = width === 1 ? 'one element' : `${width} elements`;
      if (operand === 'c' && plan.split?.reduction === 'atomic')
        return ['atomicAdd updates C one element at a time.'];
      if (operand === 'a' && lanes?.sharing === 'quad')
        return ['A is loaded one element at a time, each by one lane of the quad.'];
      if (operand === 'c' && plan.shared === undefined && lanes && hasStride(plan, lanes))
        return [
          `${plan.split === undefined ? 'C' : 'The workspace'} is stored one element at a time, since adjacent elements belong to different threads.`,
        ];
      if (operand !== 'c' && lanes?.[operand].transposed && lanes.copies === 'asynchronous') {
        return [
          `${label} is copied one element at a time, since the transposition scatters elements to different rows of ${label}s.`,
        ];
      }
      const aligned = alignedOf(plan, operand);
      const odd = (by: number) => aligned.find(({ value }) => value % by !== 0);
      const dtype =
        plan.dtypes[operand === 'c' && plan.split !== undefined ? 'workspace' : operand];
      const bytes = width * DTYPE_BYTES[dtype];
      const what = operand === 'c' && plan.split !== undefined ? 'The workspace' : label;
      const staged = operand === 'c' && lanes?.scratch !== undefined;
      const moved = staged
        ? `${what} is stored through shared memory, so that the stores of a warp are coalesced`
        : `${what} is ${operand === 'c' ? 'stored' : 'loaded'} ${many} at a time`;
      if (bytes === WIDEST_BYTES)
        return [`${moved} (${bytes} bytes of ${dtype}, the widest access).`];
      const by = odd(2 * width) === undefined ? asked : 2 * width;
      const found = odd(by);
      const why =
        found === undefined
          ? operand === 'c' || !lanes?.[operand].transposed
            ? 'the width of its fragments'
            : lanes.copies === 'registers'
              ? 'and the elements are combined into vectors in registers'
              : 'so that every thread has elements to load'
          : `since ${found.what} = ${found.value} is not a multiple of ${by}`;
      return [`${moved}, ${why}.`];
    }),
  ];
}

/** Returns whether adjacent elements of C belong to different threads. */
const hasStride = ({ spec }: Plan, { group }: LanePlan): boolean =>
  group[spec.problem.c.layout === 'row' ? 'n' : 'm'] === 1;

const prefetched = ({ tooNarrow }: LanePlan): readonly string[] =>
  tooNarrow === undefined
    ? []
    : [
        `No cp.async: it copies at least ${NARROWEST_COPY_BYTES} bytes, but copies of ${tooNarrow.operand.toUpperCase()} are ${tooNarrow.bytes} bytes wide.`,
      ];

/** An extent, leading dimension or batch stride that must be a multiple of `of` elements. */
export interface Multiple {
  readonly role: SizeRole;
  readonly of: number;
}

/** Returns the multiples that the vectorized accesses of a plan require. */
export function vectorMultiples(plan: Plan): readonly Multiple[] {
  return OPERANDS.flatMap((operand): readonly Multiple[] => {
    const of = alignmentOf(plan, operand);
    if (of === 1) return [];
    const { side } = contiguous(plan, operand);
    const whole = side === 'k' ? !plan.guards.k : !plan.guards[side];
    const multiple = whole ? [] : [{ role: side, of }];
    // Partial results are packed.
    if (operand === 'c' && plan.split !== undefined) return multiple;
    const batched = plan.spec.problem.batch > 1;
    return [
      ...multiple,
      ...(operand === 'b' && isGatePacked(plan) && !whole ? [{ role: side, of }] : []),
      { role: `ld${operand}`, of },
      ...(batched ? [{ role: STRIDES[operand], of }] : []),
    ];
  });
}

/** Returns whether the leading dimension of the second B of a gate is an extent of the problem. */
function isGatePacked({ spec: { problem } }: Plan): boolean {
  const gate = gateOf(problem);
  return gate?.ld === (gate?.layout === 'row' ? problem.n : problem.k);
}

/**
 * Returns the conditions of vectorized accesses on extents and strides: "multiples of 4 for lda and
 * ldb".
 */
export function alignmentNeeds(plan: Plan): readonly string[] {
  const needs = vectorMultiples(plan);
  const widths = [...new Set(needs.map(({ of }) => of))].sort((one, other) => other - one);
  return widths.map(width => {
    const names = needs.flatMap(({ role, of }) => (of === width ? [upper(role)] : []));
    return `multiples of ${width} for ${listed([...new Set(names)])}`;
  });
}

/** Returns the alignment in bytes that the vectorized accesses of a plan require per buffer. */
export function bufferAlignments(
  plan: Plan,
): readonly { readonly role: GlobalOperand; readonly bytes: number }[] {
  return OPERANDS.flatMap(operand => {
    const isPartial = operand === 'c' && plan.split !== undefined;
    const width = alignmentOf(plan, operand);
    if (width === 1) return [];
    const role = isPartial ? 'workspace' : operand;
    const bytes = width * DTYPE_BYTES[plan.dtypes[role]];
    const gate = operand === 'b' ? gateOf(plan.spec.problem) : undefined;
    return [{ role, bytes }, ...(gate === undefined ? [] : [{ role: gate.name, bytes }])];
  });
}

/**
 * Returns the matrices with vectorized accesses, grouped by their alignment in bytes in descending
 * order.
 */
export function alignedOperands(
  plan: Plan,
): readonly { readonly bytes: number; readonly names: string }[] {
  const found = bufferAlignments(plan);
  const sizes = [...new Set(found.map(({ bytes }) => bytes))].sort((one, other) => other - one);
  return sizes.map(size => {
    const names = found.filter(({ bytes }) => bytes === size).map(({ role }) => upper(role));
    return { bytes: size, names: listed(names) };
  });
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
