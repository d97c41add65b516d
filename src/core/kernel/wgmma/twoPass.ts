/**
 * Two-pass split-K of `wgmma`: partial results in the workspace, which repacked copies may precede,
 * and the reduction kernel.
 */
import { REPACKED_PITCH_BYTES } from '../../plan/wgmma/wgmma';
import { repackedBytes } from '../../plan/wgmma/wgmmaTwoPass';
import { DTYPE_BYTES } from '../../types/dtype';
import { launchLines } from '../file/hostLaunch';
import { upper } from '../ir/arguments';
import { add, ceilDiv, constant, int, mul, parameter } from '../ir/expr';
import type { Expr, Statement } from '../ir/ir';
import { comment } from '../lower/loops';
import { isBatched, PARTIAL_START } from '../lower/names';
import { copySides, type PrePass } from '../lower/repack';
import { passIr } from '../lower/split';
import { cudaArguments } from '../print/cuda';
import { cudaType } from '../print/cudaTypes';
import { copySideNames, entryOf, type PlanWithWgmma } from './parts';

/** Partial results per row unit of a repacked copy, whose rows are padded to this unit. */
const PITCH_FLOATS = REPACKED_PITCH_BYTES / DTYPE_BYTES.f32;
const COPIES_FIRST = 'The repacked copies precede the partial results in the workspace.';

const copiedOperands = ({ wgmma }: PlanWithWgmma): readonly ('a' | 'b')[] =>
  (['a', 'b'] as const).filter(operand => wgmma[operand].repacked !== undefined);

const hasCopies = ({ wgmma }: PlanWithWgmma): boolean => repackedBytes(wgmma) > 0;

const unitOf = ({ wgmma }: PlanWithWgmma): number =>
  REPACKED_PITCH_BYTES / DTYPE_BYTES[wgmma.element];

/** Prints the declaration of the partial result that a tile of the main kernel stores. */
export function partialResult(plan: PlanWithWgmma): readonly string[] {
  const part = isBatched(plan)
    ? '(static_cast<long long>(tile.batch) * SPLIT_K + tile.slice)'
    : 'static_cast<long long>(tile.slice)';
  const start = `${part} * M * N`;
  if (!hasCopies(plan)) return [`float* partial = workspace + ${start};`];
  const unit = unitOf(plan);
  const batch = isBatched(plan) ? ' * batch' : '';
  const sizes = copiedOperands(plan).map(operand => {
    const [outer, inner] = copySideNames(plan, operand);
    return `1ll${batch} * ${outer} * ((${inner} + ${unit - 1}) / ${unit} * ${PITCH_FLOATS})`;
  });
  return [
    `// ${COPIES_FIRST}`,
    `const long long copied = ${sizes.join(' + ')};`,
    `float* partial = workspace + copied + ${start};`,
  ];
}

/** Returns the reduction kernel; undefined without two-pass split-K. */
export function reductionPass(plan: PlanWithWgmma): PrePass | undefined {
  const printed = passIr(plan, entryOf(plan));
  const pass = plan.split?.pass;
  if (printed === undefined || pass === undefined) return undefined;
  const ir = { ...printed, helpers: 'declared' } as const;
  const { grid, block } = pass;
  if (!hasCopies(plan)) return { ir, grid, block };
  const unit = { name: 'LD_UNIT', value: unitOf(plan), comment: '', shared: true } as const;
  return {
    ir: {
      ...ir,
      constants: [...ir.constants, unit],
      parameters: [...ir.parameters, 'k', ...(isBatched(plan) ? (['batch'] as const) : [])],
      body: [comment(COPIES_FIRST), partialStart(plan), ...ir.body],
    },
    grid,
    block,
  };
}

function partialStart(plan: PlanWithWgmma): Statement {
  const sizes = copiedOperands(plan).map((operand): Expr => {
    const [outer, inner] = copySides(plan, operand);
    const rows = isBatched(plan) ? mul(parameter('batch'), outer) : outer;
    return mul(mul(rows, ceilDiv(inner, constant('LD_UNIT'))), int(PITCH_FLOATS));
  });
  return {
    op: 'let',
    name: PARTIAL_START,
    value: sizes.reduce((sum, size) => add(sum, size)),
    ...(plan.wideOffsets.includes('workspace') ? { wide: true as const } : {}),
  };
}

/** Prints the launch of the reduction kernel. */
export const reductionCall = (plan: PlanWithWgmma, { ir }: PrePass): readonly string[] =>
  launchLines(plan, { entry: ir.entry, ir, arguments: cudaArguments(ir) }, role =>
    role === 'workspace' ? partialsArgument(plan) : upper(role),
  );

/** Returns the workspace argument as a pointer to partial results. */
export const partialsArgument = (plan: PlanWithWgmma): string =>
  workspaceType(plan) === 'float' ? 'workspace' : 'reinterpret_cast<float*>(workspace)';

/**
 * Returns the element type of the workspace in the launch function: that of the repacked copies or
 * split terms, if there are any.
 */
export const workspaceType = (plan: PlanWithWgmma): string =>
  plan.wgmma.twoPass !== undefined && !hasCopies(plan) ? 'float' : cudaType(plan.wgmma.element);
