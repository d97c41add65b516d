/** Legality of `gemv`: few rows, a grid of full warps along N and K, and its shared memory. */
import { t } from '@vscode/l10n';
import { grouped as n } from '../../text/numbers';
import { WARP_LANES } from '../../hardware/warp';
import type { BlockShape, GemvPlan, SimtFamily } from '../plan';
import { MAX_ROWS } from '../simt/gemv';
import { laneRule } from './familyRule';
import type { ProblemRule, RuleViolation, ShapeInput, ShapeRule } from './rule';

type Breaches = readonly RuleViolation[];

export const gemvRows: ProblemRule = ({ spec: { problem, schedule } }) => {
  if (schedule.algorithm !== 'gemv' || problem.m <= MAX_ROWS) return [];
  const message = t(
    'gemv supports at most {0} rows of A, because each thread holds all rows in registers; M = {1}. Fix: use another algorithm.',
    MAX_ROWS,
    n(problem.m),
  );
  const otherwise = { path: 'schedule', nearest: { algorithm: 'thread-tile-2d' } };
  return [{ rule: 'gemv-rows', path: 'problem.m', message, nearest: null, otherwise }];
};

const gemvRule = (
  of: (input: ShapeInput, gemv: GemvPlan, geometry: BlockShape & SimtFamily) => Breaches,
): ShapeRule =>
  laneRule((input, { gemv }, geometry) => (gemv === undefined ? [] : of(input, gemv, geometry)));

const rows = gemvRule((_, __, { tile, thread }) => {
  if (tile.m > MAX_ROWS) {
    const message = t('gemv blocks have at most {0} rows; block.m is {1}.', MAX_ROWS, n(tile.m));
    return [{ rule: 'gemv-block', path: 'schedule.block.m', message }];
  }
  if (tile.m === thread.m) return [];
  const message = t(
    'Each thread of gemv computes all rows of its block: thread.m must equal block.m = {0}, got {1}.',
    tile.m,
    thread.m,
  );
  return [{ rule: 'gemv-block', path: 'schedule.thread.m', message }];
});

const isPowerOfTwo = (value: number): boolean => Number.isInteger(Math.log2(value));

const threadGrid = gemvRule((_, { threads, depth }, { tile }) => {
  if (tile.k % depth !== 0) {
    const message = t(
      'thread.{0} must divide block.{0}: {1} is not a multiple of {2}.',
      'k',
      tile.k,
      depth,
    );
    return [{ rule: 'thread-tile', path: 'schedule.thread.k', message }];
  }
  const odd = (['n', 'k'] as const).find(side => !isPowerOfTwo(threads[side]));
  if (odd !== undefined) {
    const message = t(
      'gemv requires a power of two of threads along {0} (block.{1} / thread.{1}); got {2}.',
      odd.toUpperCase(),
      odd,
      n(threads[odd]),
    );
    return [{ rule: 'gemv-threads', path: `schedule.block.${odd}`, message }];
  }
  if ((threads.n * threads.k) % WARP_LANES === 0) return [];
  const message = t(
    'gemv requires full warps: {0} threads along N x {1} along K are not a multiple of {2}.',
    threads.n,
    threads.k,
    WARP_LANES,
  );
  return [{ rule: 'gemv-threads', path: 'schedule.block.k', message }];
});

/** Maximum number of unrolled loads and FMAs per thread, as for `register-tile`. */
const MAX_UNROLLED = 2048;

const unrolling = gemvRule((_, { depth }, { thread }) => {
  const each = thread.m * thread.n + thread.m + thread.n;
  if (depth * each <= MAX_UNROLLED) return [];
  const message = t(
    'thread.k = {0} unrolls to {1} loads and FMAs per thread; the maximum is {2}.',
    n(depth),
    n(depth * each),
    n(MAX_UNROLLED),
  );
  return [{ rule: 'unrolling', path: 'schedule.thread.k', message }];
});

const sharedMemory = gemvRule(({ limits }, { partials, bytes }, { tile }) => {
  if (bytes <= limits.sharedBytes) return [];
  const message = t(
    '{0} partial results of {1} x {2} elements = {3} B of shared memory > {4} B ({5}).',
    n(partials),
    tile.m,
    n(tile.n),
    n(bytes),
    n(limits.sharedBytes),
    limits.owner,
  );
  return [{ rule: 'shared-memory', path: 'schedule.block.n', message }];
});

export const GEMV_RULES: readonly ShapeRule[] = [rows, threadGrid, unrolling, sharedMemory];
