/**
 * All legality rules by planning stage, and the rules for fields, thread tiles, threads, shared
 * memory, registers and grid.
 */
import { t } from '@vscode/l10n';
import { grouped as n } from '../../text/numbers';
import { DTYPE_BYTES } from '../../types/dtype';
import { lanePlanIn } from '../family';
import { unusedFields, usesOf } from '../fields';
import { stagesOf } from '../geometry';
import { FRAGMENT_RULES } from './fragmentRules';
import { GEMV_RULES, gemvRows } from './gemvRules';
import { LANE_RULES } from './laneRules';
import { MATRIX_ROW_BYTES } from '../mma/matrix';
import { MATRIX_RULES } from './matrixRules';
import { PROBLEM_RULES } from './problemRules';
import { REGISTER_TILE_RULES } from './registerTileRules';
import { REGISTERS_PER_SM, registersOf } from '../registers';
import { maxSize, SPLIT_RULES } from './splitRules';
import { hasWarpGroups, isTmaMma, warpGroupName } from '../wgmma/tmaMma';
import { WGMMA_RULES } from '../wgmma/wgmmaRules';
import { workspaceLimit } from './workspaceRule';
import { MAX_WEBGPU_LIMITS, type Target } from '../../spec/schema';
import type { ResolvedSchedule } from '../../spec/resolved';
import type { RuleViolation, ProblemRule, Rule, ShapeRule } from './rule';

const minBlocks: Rule = ({ spec: { schedule }, geometry: { threads }, limits }) => {
  const { minBlocksPerSm } = schedule;
  if (minBlocksPerSm === undefined || limits.multiprocessor === undefined) return [];
  const most = Math.min(
    limits.multiprocessor.blocks,
    Math.floor(limits.multiprocessor.threads / threads),
  );
  if (minBlocksPerSm <= most) return [];
  const message = t(
    'An SM of {0} holds at most {1} threads and {2} blocks of {3} threads; minBlocksPerSm is {4}.',
    limits.owner,
    n(limits.multiprocessor.threads),
    most,
    n(threads),
    minBlocksPerSm,
  );
  const nearest = most >= 1 ? most : null;
  return [{ rule: 'min-blocks-per-sm', path: 'schedule.minBlocksPerSm', message, nearest }];
};

const unusedText = (schedule: ResolvedSchedule, field: string): string =>
  schedule.algorithm === 'mma' && field === 'kernelSchedule'
    ? t('mma supports the kernelSchedule tma, not {0}.', schedule.kernelSchedule ?? '')
    : t(
        '{0} does not use the field {1}.',
        isTmaMma(schedule) ? warpGroupName(schedule) : schedule.algorithm,
        field,
      );

const usedFields: ShapeRule = ({ spec: { schedule, targets }, target }) => {
  const { ofCuda = [] } = usesOf(schedule) ?? {};
  // If the spec has both targets, removing a field restores its CUDA default. The suggested fix is
  // therefore to remove the target wgsl.
  const isBoth = target === 'wgsl' && targets.includes('cuda') && targets.includes('wgsl');
  const unused = unusedFields(schedule, target).map(field => ({
    rule: 'unused-field',
    path: `schedule.${field}`,
    message: unusedText(schedule, field),
    nearest: null,
    ...(isBoth && ofCuda.includes(field)
      ? { otherwise: { path: 'targets', nearest: ['cuda'] } }
      : {}),
  }));
  const variants = usesOf(schedule)?.variants ?? [];
  const { variant } = schedule;
  if (variant === undefined || variants.length === 0 || variants.includes(variant)) return unused;
  const message = t(
    '{0} supports the variants {1}, not {2}.',
    schedule.algorithm,
    variants.join(', '),
    variant,
  );
  return [...unused, { rule: 'variant', path: 'schedule.variant', message, nearest: variants[0] }];
};

const threadTiles: ShapeRule = ({ spec: { schedule }, geometry: { tile, thread } }) =>
  (['m', 'n'] as const)
    // Schedules with warp tiles or warp groups, and `layout`, have separate rules.
    .filter(
      name =>
        schedule.warp === undefined &&
        schedule.algorithm !== 'layout' &&
        !hasWarpGroups(schedule) &&
        tile[name] % thread[name] !== 0,
    )
    .map(name => ({
      rule: 'thread-tile',
      path: `schedule.thread.${name}`,
      message: t(
        'thread.{0} must divide block.{0}: {1} is not a multiple of {2}.',
        name,
        tile[name],
        thread[name],
      ),
      // If block.m or block.n has only large prime factors, no thread tile divides it and fits in
      // registers.
      otherwise: { path: 'schedule', nearest: { algorithm: schedule.algorithm } },
    }));

const threadCount: ShapeRule = ({ geometry, limits, target }) => {
  const { threads, tile, thread, block } = geometry;
  const results = thread.m * thread.n;
  const perThread = results === 1 ? '' : ` / (${thread.m} x ${thread.n})`;
  const larger = tile.m >= tile.n ? 'm' : 'n';
  const breaches: RuleViolation[] = [];
  if (threads > limits.threadsPerBlock) {
    const gemv = lanePlanIn(geometry)?.gemv;
    const [along, across] =
      gemv === undefined ? [tile.m, tile.n] : [n(gemv.threads.n), n(gemv.threads.k)];
    const message = t(
      '{0} x {1}{2} = {3} threads per block > {4} ({5}).',
      along,
      across,
      gemv === undefined ? perThread : '',
      n(threads),
      n(limits.threadsPerBlock),
      limits.owner,
    );
    // A higher limit is suggested only up to the WebGPU maximum in a spec. Above it, only a smaller
    // tile is legal.
    const most = Math.min(threads, MAX_WEBGPU_LIMITS.invocations);
    const otherwise = most > limits.threadsPerBlock ? raised(target, 'invocations', most) : {};
    const path = `schedule.block.${larger}`;
    breaches.push({ rule: 'threads-per-block', path, message, ...otherwise });
  }
  const over = (['x', 'y'] as const).find(axis => block[axis] > limits.block[axis]);
  if (over !== undefined && threads <= limits.threadsPerBlock) {
    const message = t(
      'The block is {0} x {1} threads; its {2} dimension must be at most {3} ({4}).',
      block.x,
      block.y,
      over,
      limits.block[over],
      limits.owner,
    );
    breaches.push({ rule: 'block-extent', path: `schedule.block.${larger}`, message });
  }
  return breaches;
};

/**
 * Returns a higher WebGPU limit as an alternative to a smaller tile; empty for CUDA and above the
 * largest limit that a spec can set.
 */
const raised = (
  target: Target,
  name: 'invocations' | 'workgroupStorageBytes',
  nearest: number,
): Pick<RuleViolation, 'otherwise'> =>
  target === 'wgsl' && nearest <= MAX_WEBGPU_LIMITS[name]
    ? { otherwise: { path: `webgpuLimits.${name}`, nearest } }
    : {};

const sharedMemory: ShapeRule = ({ spec, geometry, limits, target }) => {
  const { family, shared, sharedBytes, tile } = geometry;
  if (family === 'wgmma' || shared === undefined || sharedBytes <= limits.sharedBytes) return [];
  const { a, b } = shared;
  const stages = stagesOf(geometry);
  const rows = (of: typeof a) =>
    `${of.outer} x ${of.padding === 0 ? of.inner : `(${of.inner} + ${of.padding})`}`;
  const bytesOf = (of: typeof a) => DTYPE_BYTES[spec.problem[of === a ? 'a' : 'b'].dtype];
  const bytes = bytesOf(a);
  const sum = [rows(a), rows(b), bytes, n(sharedBytes), n(limits.sharedBytes), limits.owner];
  const scratch =
    family === 'simt' ? (geometry.lanes?.scratch?.bytes ?? 0) : geometry.matrix.scratchBytes;
  const message =
    scratch > 0 && stages > 1
      ? t(
          '{7} stages x ({0} + {1}) x {2} B + {6} B for accumulators = {3} B of shared memory > {4} B ({5}).',
          ...sum,
          n(scratch),
          stages,
        )
      : scratch > 0
        ? t(
            '({0} + {1}) x {2} B + {6} B for accumulators = {3} B of shared memory > {4} B ({5}).',
            ...sum,
            n(scratch),
          )
        : bytes !== bytesOf(b)
          ? t(
              '{6} x ({0} x {2} B + {1} x {7} B) = {3} B of shared memory > {4} B ({5}).',
              ...sum,
              stages,
              bytesOf(b),
            )
          : stages === 1
            ? t('({0} + {1}) x {2} B = {3} B of shared memory > {4} B ({5}).', ...sum)
            : t(
                '{6} stages x ({0} + {1}) x {2} B = {3} B of shared memory > {4} B ({5}).',
                ...sum,
                stages,
              );
  const rule = 'shared-memory';
  const columnBytes = (of: typeof a) => (stages * of.bytes) / (of.inner + of.padding);
  const paddingBytes = (of: typeof a) => of.padding * columnBytes(of);
  const [name, padded] = paddingBytes(a) >= paddingBytes(b) ? ['a', a] : ['b', b];
  const left = limits.sharedBytes - (sharedBytes - paddingBytes(padded));
  if (left >= 0) {
    // Matrix loads require 16-byte aligned rows.
    const unit = family === 'simt' ? 1 : MATRIX_ROW_BYTES / bytesOf(padded);
    const nearest = Math.floor(left / columnBytes(padded) / unit) * unit;
    return [{ rule, path: `schedule.padding.${name}`, message, nearest }];
  }
  const widest = tile.k >= 8 ? 'k' : tile.m >= tile.n ? 'm' : 'n';
  const otherwise = raised(target, 'workgroupStorageBytes', sharedBytes);
  return [{ rule, path: `schedule.block.${widest}`, message, ...otherwise }];
};

const registers: ShapeRule = ({ spec, geometry, limits }) => {
  const { schedule } = spec;
  const { thread } = geometry;
  // wgmmaRules.ts checks the accumulators of `wgmma`.
  if (geometry.family === 'wgmma') return [];
  const { needed } = registersOf(spec, geometry);
  // Large `mma` blocks leave fewer registers per thread; a schedule that would spill is illegal.
  const left = geometry.family === 'mma' ? REGISTERS_PER_SM / geometry.threads : Infinity;
  const most = Math.min(limits.registersPerThread, Math.floor(left / 8) * 8);
  if (needed <= most) return [];
  if (geometry.family !== 'simt') {
    const { warp } = geometry.matrix;
    const path = `schedule.warp.${warp.m >= warp.n ? 'm' : 'n'}`;
    const message = t(
      'A {0} x {1} warp tile with fragments and the prefetched tile needs about {2} registers per thread; the maximum is {3}.',
      warp.m,
      warp.n,
      needed,
      most,
    );
    return [{ rule: 'registers', path, message }];
  }
  const message = t(
    '{0} x {1} accumulators and their fragments need about {2} registers per thread; the maximum is {3}.',
    thread.m,
    thread.n,
    needed,
    limits.registersPerThread,
  );
  const larger = thread.m >= thread.n ? 'm' : 'n';
  // With thread layouts, the block tile determines the accumulators per thread.
  const tile = schedule.algorithm === 'layout' ? 'block' : 'thread';
  return [{ rule: 'registers', path: `schedule.${tile}.${larger}`, message }];
};

const gridExtent: Rule = input => {
  const { geometry, limits } = input;
  const { grid, gridMap } = geometry;
  return (['x', 'y'] as const)
    .filter(axis => grid[axis] > limits.grid[axis])
    .map(axis => {
      const field = (axis === 'x') === (gridMap === 'x-rows') ? 'm' : 'n';
      const message = t(
        'The grid is {0} x {1} blocks; its {2} dimension must be at most {3} ({4}).',
        n(grid.x),
        n(grid.y),
        axis,
        n(limits.grid[axis]),
        limits.owner,
      );
      const otherwise = { path: `problem.${field}`, nearest: maxSize(field, input) };
      return { rule: 'grid', path: `schedule.block.${field}`, message, otherwise };
    });
};

export interface StagedRules {
  readonly problem: readonly ProblemRule[];
  readonly fields: readonly ShapeRule[];
  /** Rules that do not depend on the number of split-K slices or on `minBlocksPerSm`. */
  readonly tiles: readonly ShapeRule[];
  readonly extent: readonly Rule[];
  readonly launch: readonly Rule[];
}

export const RULES: StagedRules = {
  problem: [...PROBLEM_RULES, gemvRows],
  fields: [usedFields],
  tiles: [
    threadTiles,
    ...LANE_RULES,
    ...REGISTER_TILE_RULES,
    ...GEMV_RULES,
    // Missing tensor-core support is reported before the violations that follow from it.
    ...FRAGMENT_RULES,
    ...MATRIX_RULES,
    ...WGMMA_RULES,
    threadCount,
    sharedMemory,
    registers,
  ],
  extent: [...SPLIT_RULES, gridExtent, workspaceLimit],
  launch: [minBlocks],
};
