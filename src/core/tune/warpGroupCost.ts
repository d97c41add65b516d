/**
 * About how long a kernel of `wgmma` takes: no prediction, but an order in which to try schedules. Rounds of tiles on the
 * multiprocessors, each as long as its products or what it brings, and the bytes of DRAM that no schedule avoids.
 */
import { findDevice } from '../device/devices';
import type { Plan } from '../plan/plan';
import { clustersAtOnce, computedTile, GROUP_ROWS } from '../plan/wgmma';
import { DTYPE_BYTES } from '../spec/dtype';

/** Cycles of an instruction of 64 rows and 32 bytes of depth, for a column: a multiprocessor multiplies 2048 pairs of halves a cycle. */
const CYCLES_A_COLUMN = 0.5;
/** Shared memory gives 128 bytes a cycle: 16 cycles for A's 64 rows, and a quarter for each column of B. */
const READ = { rows: 16, column: 0.25 } as const;
const INSTRUCTION_BYTES = 32;
/** Of L2, for a multiprocessor while all of them ask. */
const L2_BYTES_A_CYCLE = 64;
/** From the request of a tile until it may be multiplied: stages hide it. */
const LATENCY_CYCLES = 1000;
/** Of a step, for each doubling of a cluster: its blocks wait for each other. */
const WAIT = 0.02;
/** What is not longest is not quite hidden behind what is. */
const SHARE = 0.1;

export function warpGroupMs(plan: Plan, wgmma: NonNullable<Plan['wgmma']>): number {
  const { spec, tile } = plan;
  const { problem } = spec;
  const { boostClockMHz = 1000, memoryBandwidthGBps = 1000 } = findDevice(spec.device) ?? {};
  const size = wgmma.cluster.m * wgmma.cluster.n * wgmma.splitK;
  const clusters =
    Math.ceil(problem.m / (tile.m * wgmma.cluster.m)) *
    Math.ceil(problem.n / (tile.n * wgmma.cluster.n)) *
    problem.batch;
  const rounds = Math.ceil(clusters / clustersAtOnce(spec.device, size));
  const steps = Math.ceil(Math.ceil(problem.k / tile.k) / wgmma.splitK);
  const products = wgmma.pieces?.products.length ?? 1;
  const stored = storeCycles(plan, wgmma);
  // Consumers that take turns store one tile while the next is multiplied.
  const exposed = wgmma.kernelSchedule === 'pingpong' ? 1 : rounds;
  const cycles = rounds * steps * products * stepCycles(plan, wgmma) + exposed * stored;
  const { a, b, c, m, n, k, batch } = problem;
  const bytes =
    batch *
    (m * k * DTYPE_BYTES[a.dtype] + k * n * DTYPE_BYTES[b.dtype] + m * n * DTYPE_BYTES[c.dtype]);
  return Math.hypot(cycles / (boostClockMHz * 1000), bytes / (memoryBandwidthGBps * 1e6));
}

/** Of one step along K. */
function stepCycles(
  { tile }: Plan,
  { operandOrder, a, b, cluster, element, stages }: NonNullable<Plan['wgmma']>,
): number {
  const { m, n } = computedTile({ operandOrder }, tile);
  const instructions = (m / GROUP_ROWS) * ((tile.k * DTYPE_BYTES[element]) / INSTRUCTION_BYTES);
  const each = Math.max(CYCLES_A_COLUMN * n, READ.rows + READ.column * n);
  const parts = [
    instructions * each,
    (a.bytes / a.share + b.bytes / b.share) / L2_BYTES_A_CYCLE,
    LATENCY_CYCLES / stages,
  ];
  const sum = parts.reduce((total, one) => total + one, 0);
  const longest = Math.max(...parts);
  const waits = 1 + WAIT * Math.log2(cluster.m * cluster.n);
  return waits * (longest + SHARE * (sum - longest));
}

/** Of a tile; sums that lanes store themselves are not whole lines, and parts of K are exchanged before. */
function storeCycles(
  { spec, tile, dtypes }: Plan,
  { output, splitK }: NonNullable<Plan['wgmma']>,
): number {
  const lanes = output.by === 'tma' ? 1 : 2;
  const rows = Math.min(tile.m, spec.problem.m);
  const bytes = rows * tile.n * DTYPE_BYTES[dtypes.c] * lanes;
  const exchanged = splitK === 1 ? 0 : tile.m * tile.n * DTYPE_BYTES.f32;
  return LATENCY_CYCLES * Math.min(2, splitK) + (bytes + exchanged) / L2_BYTES_A_CYCLE;
}
