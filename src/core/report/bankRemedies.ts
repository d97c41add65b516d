/**
 * Finds the padding and the swizzle with the fewest shared-memory wavefronts, with their cost. The
 * search plans every candidate, so it is slow and should run only on request.
 */
import type { Device } from '../hardware/devices';
import { emit } from '../kernel/emit';
import type { Kernel } from '../kernel/kernel';
import { plan as planOf } from '../plan/planner';
import type { ResolvedSchedule } from '../spec/resolved';
import { warpAccesses } from '../memory/accesses';
import type { OccupancyReport } from '../occupancy/report';
import { occupancy } from '../occupancy/occupancy';

export interface ScheduleChange {
  /** JSON path of the changed field, such as `schedule.padding.a`. */
  readonly path: string;
  readonly from: number | string;
  readonly to: number | string;
}

export interface BankCost {
  readonly wavefronts: number;
  readonly conflicts: number;
  /**
   * Number of warp-level load and store instructions. Padding can increase it, because misaligned
   * rows require narrower accesses.
   */
  readonly requests: number;
  readonly sharedBytes: number;
  /** Number of resident blocks per SM; null if occupancy is unknown. */
  readonly blocksPerSm: number | null;
}

export interface BankRemedy extends BankCost {
  readonly changes: readonly ScheduleChange[];
}

export interface BankRemedies {
  readonly now: BankCost;
  /**
   * The best padding and the best swizzle, in order of increasing wavefronts. Empty if no candidate
   * reduces wavefronts.
   */
  readonly remedies: readonly BankRemedy[];
}

type Padding = Readonly<Record<'a' | 'b', number>>;
type Swizzle = 'none' | 'xor';

interface Candidate {
  readonly padding: Padding;
  readonly swizzle: Swizzle;
}

interface Evaluated extends BankCost, Candidate {
  readonly conflicting: readonly ('a' | 'b')[];
}

/** Candidate paddings in elements. */
const PADDINGS = [1, 2, 3, 4, 5, 6, 7, 8, 16];

const OPERANDS = ['a', 'b'] as const;

export function bankRemedies(
  kernel: Kernel,
  device: Device,
  report: Pick<OccupancyReport, 'registers'> | null,
): BankRemedies | null {
  const { schedule } = kernel.spec;
  const given: Candidate = {
    padding: { a: schedule.padding?.a ?? 0, b: schedule.padding?.b ?? 0 },
    swizzle: schedule.swizzle ?? 'none',
  };
  const evaluate = (candidate: Candidate): Evaluated | null => {
    const same = kernel.spec;
    const { padding, swizzle } = candidate;
    const spec = {
      ...same,
      schedule: { ...same.schedule, padding, ...swizzled(same.schedule, swizzle) },
    };
    const planned = planOf(spec, kernel.target);
    return planned.ok ? costOf(candidate, emit(planned.plan), device, report) : null;
  };
  const now = costOf(given, kernel, device, report);
  if (kernel.plan.shared === undefined) return null;
  if (now.conflicts === 0) return { now: bare(now), remedies: [] };
  const padded = padding(now, evaluate);
  const other = given.swizzle === 'xor' ? 'none' : 'xor';
  const withSwizzle = [
    evaluate({ ...given, swizzle: other }),
    evaluate({ padding: { a: 0, b: 0 }, swizzle: other }),
  ].filter(found => found !== null);
  const swizzle = withSwizzle.sort(byCost)[0];
  const remedies = [
    ...(padded === now ? [] : [padded]),
    ...(swizzle === undefined ? [] : [swizzle]),
  ]
    .filter(({ wavefronts }) => wavefronts < now.wavefronts)
    .sort(byCost)
    .map(remedy => ({ ...bare(remedy), changes: changesBetween(given, remedy) }));
  return { now: bare(now), remedies };
}

const bare = ({
  wavefronts,
  conflicts,
  requests,
  sharedBytes,
  blocksPerSm,
}: BankCost): BankCost => ({
  wavefronts,
  conflicts,
  requests,
  sharedBytes,
  blocksPerSm,
});

const swizzled = (schedule: ResolvedSchedule, swizzle: Swizzle) =>
  swizzle === 'none' && schedule.swizzle === undefined ? {} : { swizzle };

const byCost = (one: BankCost, other: BankCost): number =>
  one.wavefronts - other.wavefronts ||
  one.requests - other.requests ||
  one.sharedBytes - other.sharedBytes;

/**
 * Returns the best padding. Operands are padded independently, because the padding of one tile only
 * changes the offset of the other tile.
 */
function padding(now: Evaluated, evaluate: (candidate: Candidate) => Evaluated | null): Evaluated {
  return OPERANDS.reduce((best, operand) => {
    if (!best.conflicting.includes(operand)) return best;
    const found = PADDINGS.filter(value => value !== best.padding[operand]).map(value =>
      evaluate({ ...best, padding: { ...best.padding, [operand]: value } }),
    );
    return [best, ...found.filter(one => one !== null)].sort(byCost)[0] ?? best;
  }, now);
}

function costOf(
  candidate: Candidate,
  kernel: Kernel,
  { computeCapability }: Device,
  report: Pick<OccupancyReport, 'registers'> | null,
): Evaluated {
  const { shared } = warpAccesses(kernel);
  const { threads, sharedBytes, registersEstimate } = kernel.plan;
  const total = (of: (site: (typeof shared)[number]) => number): number =>
    shared.reduce((sum, site) => sum + site.requests * of(site), 0);
  const result =
    computeCapability === undefined
      ? null
      : occupancy({
          computeCapability,
          threadsPerBlock: threads,
          sharedBytesPerBlock: sharedBytes,
          registersPerThread: report?.registers.value ?? registersEstimate,
        });
  return {
    padding: candidate.padding,
    swizzle: candidate.swizzle,
    sharedBytes,
    wavefronts: total(({ wavefrontsPerRequest }) => wavefrontsPerRequest),
    conflicts: total(({ conflictsPerRequest }) => conflictsPerRequest),
    requests: total(() => 1),
    blocksPerSm: result?.ok === true ? result.occupancy.blocksPerSm : null,
    conflicting: OPERANDS.filter(operand =>
      shared.some(site => site.operand === operand && site.conflictsPerRequest > 0),
    ),
  };
}

type Leaf = readonly [path: ScheduleChange['path'], value: number | string];

function changesBetween(from: Candidate, to: Candidate): readonly ScheduleChange[] {
  const leaves = ({ padding: { a, b }, swizzle }: Candidate): readonly Leaf[] => [
    ['schedule.padding.a', a],
    ['schedule.padding.b', b],
    ['schedule.swizzle', swizzle],
  ];
  const before = new Map(leaves(from));
  return leaves(to).flatMap(([path, value]) => {
    const old = before.get(path);
    return old === undefined || old === value ? [] : [{ path, from: old, to: value }];
  });
}
