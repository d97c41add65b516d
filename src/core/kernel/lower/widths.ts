/** What a file's head says of the widths of its accesses: where they are narrower than asked for, and what they need. */
import { NARROWEST_COPY_BYTES, widest, WIDEST_BYTES } from '../../plan/simt/lanes';
import { MATRIX_ROW_BYTES } from '../../plan/mma/matrix';
import { lanePlanIn, matrixPlanIn } from '../../plan/family';
import type { LanePlan, Plan } from '../../plan/plan';
import { DTYPE_BYTES } from '../../types/dtype';
import { extent } from '../../spec/resolved';

const OPERANDS = ['a', 'b', 'c'] as const;
type Operand = (typeof OPERANDS)[number];

interface Aligned {
  readonly what: string;
  readonly value: number;
}

function widthOf(plan: Plan, operand: Operand): number {
  const widths = lanePlanIn(plan) ?? matrixPlanIn(plan);
  return (operand === 'c' ? widths?.storeWidth : widths?.[operand].width) ?? 1;
}

/** What addresses are multiples of: an access's elements, or where rows of a matrix that is stored whole begin. */
const alignmentOf = (plan: Plan, operand: Operand): number =>
  operand === 'c' && matrixPlanIn(plan)?.direct === true
    ? MATRIX_ROW_BYTES / DTYPE_BYTES[plan.dtypes.c]
    : widthOf(plan, operand);

/** Elements that the schedule asks for, or as many as the widest vector of WGSL that C is stored in. */
function askedFor(plan: Plan, operand: Operand): number {
  const { dtypes, split, target } = plan;
  const matrix = matrixPlanIn(plan);
  if (matrix === null) return lanePlanIn(plan)?.vector ?? 1;
  const stored = DTYPE_BYTES[split === undefined ? dtypes.c : dtypes.workspace];
  if (operand !== 'c') return matrix.vector;
  return matrix.direct ? 1 : Math.min(matrix.vector, widest(stored, target));
}

/** The contiguous extent of an operand: its name, its size, and that of the tile along it. */
function contiguous({ spec: { problem }, tile }: Plan, operand: Operand) {
  const { rows, columns } = extent(problem, operand);
  const row = problem[operand].layout === 'row';
  const name = { a: row ? 'k' : 'm', b: row ? 'n' : 'k', c: row ? 'n' : 'm' } as const;
  const side = name[operand];
  return { name: side.toUpperCase(), size: row ? columns : rows, tile: tile[side], side };
}

/** Everything that must be a multiple of an access's width, in the order in which a reader would look. */
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
    // Partial sums lie packed.
    return [...(plan.split === undefined ? [leading, ...stride] : []), dimension, held];
  }
  const shared = plan.shared?.[operand];
  const row = (shared?.inner ?? 0) + (shared?.padding ?? 0);
  const label = operand.toUpperCase();
  return [
    leading,
    ...stride,
    dimension,
    ...(plan.shared === undefined && side !== 'k'
      ? [{ what: `T${name}`, value: plan.thread[side] }]
      : [{ what: `B${name}`, value: tile }]),
    ...(plan.shared === undefined || lanePlanIn(plan)?.[operand].transposed === true
      ? []
      : [{ what: `a row of ${label}s`, value: row }]),
  ];
}

/** What a thread or warp holds along a side of C, as the kernel names it. */
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

/** A sentence for each operand whose accesses are narrower than the schedule's vector. */
export function narrowed(plan: Plan): readonly string[] {
  const lanes = lanePlanIn(plan);
  return [
    ...(lanes === null ? [] : prefetched(lanes)),
    ...OPERANDS.flatMap(operand => {
      const width = widthOf(plan, operand);
      const label = operand.toUpperCase();
      const asked = askedFor(plan, operand);
      if (width >= asked) return [];
      const many = width === 1 ? 'one element' : `${width} elements`;
      if (operand === 'c' && plan.split?.reduction === 'atomic')
        return ['C is added to one element at a time, as atomicAdd does.'];
      if (operand === 'a' && lanes?.sharing === 'quad')
        return ['A is loaded one element at a time, by the lane of a quad whose depth it is.'];
      if (operand === 'c' && plan.shared === undefined && lanes && isApart(plan, lanes))
        return [
          `${plan.split === undefined ? 'C' : 'The workspace'} is stored one element at a time, since its neighbours are other threads' results.`,
        ];
      if (operand !== 'c' && lanes?.[operand].transposed && lanes.copies === 'asynchronous') {
        return [
          `${label} is copied one element at a time, since each goes to another row of ${label}s.`,
        ];
      }
      const aligned = alignedOf(plan, operand);
      const odd = (by: number) => aligned.find(({ value }) => value % by !== 0);
      const dtype =
        plan.dtypes[operand === 'c' && plan.split !== undefined ? 'workspace' : operand];
      const bytes = width * DTYPE_BYTES[dtype];
      const what = operand === 'c' && plan.split !== undefined ? 'The workspace' : label;
      const moved = `${what} is ${operand === 'c' ? 'stored' : 'loaded'} ${many} at a time`;
      if (bytes === WIDEST_BYTES) return [`${moved}, which are ${bytes} bytes of ${dtype}.`];
      const by = odd(2 * width) === undefined ? asked : 2 * width;
      const found = odd(by);
      const why =
        found === undefined
          ? operand === 'c' || !lanes?.[operand].transposed
            ? 'as wide as the fragments that are read from it'
            : lanes.copies === 'registers'
              ? 'and put together where it waits in registers'
              : 'so that every thread has its part'
          : `since ${found.what} = ${found.value} is no multiple of ${by}`;
      return [`${moved}, ${why}.`];
    }),
  ];
}

/** Whether neighbours along C's contiguous index are different threads' results. */
const isApart = ({ spec }: Plan, { group }: LanePlan): boolean =>
  group[spec.problem.c.layout === 'row' ? 'n' : 'm'] === 1;

/** Why a pipeline keeps its next tile in registers on a GPU that could copy it asynchronously. */
const prefetched = ({ tooNarrow }: LanePlan): readonly string[] =>
  tooNarrow === undefined
    ? []
    : [
        `Asynchronous copies move ${NARROWEST_COPY_BYTES} bytes or more, and ${tooNarrow.operand.toUpperCase()} would be copied by ${tooNarrow.bytes}.`,
      ];

/** What wide accesses ask of the problem beside what the tiles do, such as "lda a multiple of 4". */
export function alignmentNeeds(plan: Plan): readonly string[] {
  const needs = OPERANDS.flatMap(operand => {
    const width = alignmentOf(plan, operand);
    if (width === 1) return [];
    const { name, side } = contiguous(plan, operand);
    const whole = side === 'k' ? !plan.guards.k : !plan.guards[side];
    const multiple = whole ? [] : [`${name} a multiple of ${width}`];
    // Partial sums lie packed.
    if (operand === 'c' && plan.split !== undefined) return multiple;
    return [
      ...multiple,
      `ld${operand} a multiple of ${width}`,
      ...(plan.spec.problem.batch === 1
        ? []
        : [`stride${operand.toUpperCase()} a multiple of ${width}`]),
    ];
  });
  return [...new Set(needs)];
}
