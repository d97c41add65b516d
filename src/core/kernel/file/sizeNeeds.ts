/**
 * Sizes and pointers that the source of a kernel accepts: its extents and leading dimensions are
 * arguments, but its tiles, its access widths and its bounds checks are fixed.
 */
import { DTYPE_BYTES } from '../../types/dtype';
import { reducesInCluster } from '../../plan/split';
import { REPACKED_PITCH_BYTES } from '../../plan/wgmma/wgmma';
import { lanePlanIn } from '../../plan/family';
import type { Plan, WarpGroupPlan } from '../../plan/plan';
import { copiesAgain, pipelineOf } from '../../plan/steps';
import { epilogueOperands, gateOf, productsOf } from '../../spec/epilogue';
import { OPERANDS, type GlobalOperand } from '../../spec/resolved';
import { launchesOf, type Kernel, type Launch } from '../kernel';
import { bufferAlignments, vectorMultiples, type Multiple } from '../lower/widths';
import { computedPlan } from '../wgmma/computed';
import { warpGroupMultiples } from '../wgmma/emit';
import { pairNeeds } from '../wgmma/epilogue';
import { copySideRoles } from '../wgmma/parts';

export interface SizeNeeds {
  readonly multiples: readonly Multiple[];
  /** Minimum of K; 1 for most kernels. */
  readonly leastK: number;
  /** Alignment of each pointer in bytes; absent for pointers with the alignment of their type. */
  readonly alignments: Readonly<Partial<Record<GlobalOperand, number>>>;
  /** Split-K: ceil(K / depth) k-iterations must reach every one of `count` slices. */
  readonly slices?: {
    readonly count: number;
    readonly depth: number;
    /** Whether slices differ by at most one k-iteration; otherwise only the last is shorter. */
    readonly isEven: boolean;
  };
  /** Buffers whose element offsets are 32-bit, so that they hold at most 2^31 - 1 elements. */
  readonly narrow: readonly GlobalOperand[];
}

/** Alignment in bytes of the addresses of TMA. */
const TMA_ALIGNMENT = 16;

export function sizeNeeds(kernel: Kernel): SizeNeeds {
  const { plan } = kernel;
  const { schedule } = plan.spec;
  const passed = new Set(launchesOf<Launch>(kernel).flatMap(of => of.arguments.flat()));
  const count = schedule.splitK ?? 1;
  const depth = Math.max(1, plan.tile.k);
  const source = kernel.tensorMaps?.residual?.operand;
  return {
    multiples: combined(multiplesOf(kernel)),
    alignments:
      plan.family === 'wgmma'
        ? {
            ...Object.fromEntries(
              [...OPERANDS, ...gateNames(plan), 'workspace' as const].map(name => [
                name,
                TMA_ALIGNMENT,
              ]),
            ),
            ...pairNeeds(computedPlan(plan)),
            ...(source === undefined ? {} : { [source]: TMA_ALIGNMENT }),
          }
        : Object.fromEntries(bufferAlignments(plan).map(({ role, bytes }) => [role, bytes])),
    leastK: leastKOf(kernel),
    ...(count === 1 ? {} : { slices: { count, depth, isEven: reducesInCluster(schedule) } }),
    narrow: [
      ...[...OPERANDS, 'workspace' as const].filter(
        name => passed.has(name) && !plan.wideOffsets.includes(name),
      ),
      ...narrowResiduals(plan),
    ],
  };
}

const gateNames = ({ spec }: Plan): readonly GlobalOperand[] => {
  const gate = gateOf(spec.problem);
  return gate === undefined ? [] : [gate.name];
};

/**
 * `wgmma` has 64-bit offsets of residuals, except in the reduction kernel of two-pass split-K. The
 * second B of a gate has the offsets of B.
 */
function narrowResiduals(plan: Plan): readonly GlobalOperand[] {
  if (plan.family === 'wgmma' && plan.wgmma.twoPass === undefined) return [];
  const { wideOffsets } = plan.family === 'wgmma' ? computedPlan(plan) : plan;
  return epilogueOperands(plan.spec.problem).flatMap(({ name, op }) =>
    (op.op === 'residual' || op.op === 'gate') && !wideOffsets.includes(name) ? [name] : [],
  );
}

/** Returns one multiple per role: the least common multiple of those in the list. */
function combined(multiples: readonly Multiple[]): readonly Multiple[] {
  const factors = new Map<Multiple['role'], number>();
  for (const { role, of } of multiples) {
    factors.set(role, leastCommonMultiple(factors.get(role) ?? 1, of));
  }
  return [...factors].map(([role, of]) => ({ role, of }));
}

export function leastCommonMultiple(one: number, other: number): number {
  let [divisor, rest] = [one, other];
  while (rest !== 0) [divisor, rest] = [rest, divisor % rest];
  return (one / divisor) * other;
}

function multiplesOf({ plan }: Kernel): readonly Multiple[] {
  if (plan.family === 'wgmma') return warpGroupMultiples(plan);
  const { guards, tile } = plan;
  return [
    ...(guards.m || tile.m === 1 ? [] : [{ role: 'm', of: tile.m } as const]),
    ...(guards.n || tile.n === 1 ? [] : [{ role: 'n', of: tile.n } as const]),
    ...(guards.k || tile.k === 0 ? [] : [{ role: 'k', of: tile.k } as const]),
    ...vectorMultiples(plan),
    ...passMultiples(plan),
    ...runMultiples(plan),
  ];
}

/** Pre-pass and post-pass kernels check bounds only if their blocks do not divide C. */
function passMultiples({ spec, split }: Plan): readonly Multiple[] {
  const pass = split?.pass;
  if (pass === undefined) return [];
  const [inner, outer] =
    spec.problem.c.layout === 'row' ? (['n', 'm'] as const) : (['m', 'n'] as const);
  return [
    { role: inner, of: pass.block.x },
    { role: outer, of: pass.block.y },
  ].filter(({ role, of }) => spec.problem[role] % of === 0);
}

/** Threads of `gemv` load whole runs of k values. */
function runMultiples(plan: Plan): readonly Multiple[] {
  const { run = 1 } = lanePlanIn(plan)?.gemv ?? {};
  return run === 1 || !plan.guards.k ? [] : [{ role: 'k', of: run }];
}

/**
 * Returns the minimum of K. Pipelines that copy the last tile again past the end of K require that
 * this tile is full; only the first tile is filled up with zeros.
 */
function leastKOf({ plan }: Kernel): number {
  const { buffers, copies } = pipelineOf(plan) ?? {};
  const copiesLast =
    plan.family === 'mma' ? copiesAgain(plan) : buffers === 2 && copies === 'asynchronous';
  return copiesLast && plan.guards.k ? plan.tile.k : 1;
}

/** Part of a workspace: `count` * product of `extents` * round(padded.role, padded.to) elements. */
export interface WorkspacePart {
  readonly bytes: number;
  readonly count: number;
  readonly extents: readonly ('m' | 'n' | 'k' | 'batch')[];
  readonly padded?: { readonly role: 'm' | 'n' | 'k'; readonly to: number };
}

/** Returns the parts of the workspace of a kernel; an empty list if it needs none. */
export function workspaceParts({ plan }: Kernel): readonly WorkspacePart[] {
  const batch = plan.spec.problem.batch === 1 ? [] : (['batch'] as const);
  const partials = (count: number): WorkspacePart => ({
    bytes: DTYPE_BYTES[plan.accumulator],
    count,
    extents: [...batch, 'm', 'n'],
  });
  if (plan.family !== 'wgmma') {
    const { split } = plan;
    return split === undefined || split.workspaceElements === 0
      ? []
      : [partials(split.slices * productsOf(plan.spec.problem))];
  }
  const copied = (['a', 'b'] as const).filter(name => plan.wgmma[name].repacked !== undefined);
  return [
    ...copied.map(name => copyOf(plan, name, batch)),
    ...(plan.wgmma.twoPass === undefined ? [] : [partials(plan.wgmma.twoPass.slices)]),
  ];
}

function copyOf(plan: WarpGroupPlan, name: 'a' | 'b', batch: readonly 'batch'[]): WorkspacePart {
  const [outer, inner] = copySideRoles(plan, name);
  const bytes = DTYPE_BYTES[plan.wgmma.element];
  return {
    bytes,
    count: plan.wgmma.fp32Emulation?.count ?? 1,
    extents: [...batch, outer],
    padded: { role: inner, to: REPACKED_PITCH_BYTES / bytes },
  };
}
