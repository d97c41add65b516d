/**
 * Legality of `wgmma`: supported types and shapes, TMA requirements, and registers and shared
 * memory of warp groups.
 */
import { t } from '@vscode/l10n';
import { grouped as n } from '../../text/numbers';
import { findDevice } from '../../hardware/devices';
import { DTYPE_BYTES, type DType } from '../../types/dtype';
import { gateOf, productsOf } from '../../spec/epilogue';
import type { ResolvedSpec } from '../../spec/resolved';
import type { Target } from '../../spec/schema';
import { maxAccumulators } from './wgmmaRegisters';
import { isShape } from '../instructions';
import { splitViolations } from '../rules/fp32EmulationRule';
import type { RuleViolation, ShapeRule } from '../rules/rule';
import { weightPrefetch } from './weightPrefetch';
import { CLUSTER_RULES } from './wgmmaClusterRules';
import { computedRule, wgmmaRule as rule } from './wgmmaRule';
import { hasWarpGroups, isTmaMma, MMA_COLUMNS, TMA_MMA_TYPES, warpGroupName } from './tmaMma';
import { TMA_RULES } from './wgmmaTmaRules';
import { GROUP_ROWS, TMA_STRIDE_BYTES } from './wgmmaUnits';
import {
  isHopper,
  accumulatorsPerThread,
  computedColumns,
  stagesThatFit,
  STAGE_COUNTS,
} from './wgmma';
import { stagedBytes } from './wgmmaOutput';

/** Element types that the instruction supports with f32 accumulation. */
const TYPES: readonly DType[] = ['bf16', 'f16', 'tf32', 'e4m3', 'e5m2'];
const INSTEAD: Readonly<Partial<Record<DType, DType>>> = { f32: 'tf32', f64: 'tf32', s8: 'e4m3' };

/**
 * Returns a violation if a schedule with warp groups targets WGSL or an NVIDIA GPU that is not a
 * Hopper GPU; otherwise undefined.
 */
export function withoutWarpGroups(spec: ResolvedSpec, target: Target): RuleViolation | undefined {
  if (!hasWarpGroups(spec.schedule)) return undefined;
  if (target === 'wgsl') {
    const message = isTmaMma(spec.schedule)
      ? t('WGSL has no TMA. Fix: remove kernelSchedule.')
      : t('WGSL has no warp-group instructions. Fix: use mma, which supports subgroup matrices.');
    return { rule: 'algorithm', path: 'schedule', message, nearest: { algorithm: 'mma' } };
  }
  const device = findDevice(spec.device);
  if (isHopper(spec.device) || device?.computeCapability === undefined) return undefined;
  const message = t(
    '{2} requires compute capability 9.0 (Hopper); {0} has {1}.',
    device.name,
    device.computeCapability,
    warpGroupName(spec.schedule),
  );
  return { rule: 'device', path: 'device', message, nearest: 'h200' };
}

const types = rule('matrix-type', ({ spec }) => {
  const { problem, schedule } = spec;
  const { a, b, accumulator } = problem;
  const name = warpGroupName(schedule);
  const ofSplit = isTmaMma(schedule) ? [] : splitViolations(spec);
  if (ofSplit.length > 0) return ofSplit;
  const [legal, emulated] = isTmaMma(schedule)
    ? [TMA_MMA_TYPES, schedule.split !== undefined]
    : [TYPES, true];
  if (!legal.includes(a.dtype) && !(emulated && a.dtype === 'f32')) {
    const message = t('{2} supports {0}, not {1}.', legal.join(', '), a.dtype, name);
    const instead = INSTEAD[a.dtype] ?? 'bf16';
    const nearest = legal.includes(instead) ? instead : 'bf16';
    return [{ path: 'problem.a.dtype', message, nearest }];
  }
  if (a.dtype !== b.dtype) {
    const message = t(
      'Matrix instructions require A and B of the same type; A is {0}, B is {1}.',
      a.dtype,
      b.dtype,
    );
    return [{ path: 'problem.b.dtype', message, nearest: a.dtype }];
  }
  if (accumulator === 'f32') return [];
  const message = t('{0} accumulates in f32, not in {1}.', name, accumulator);
  return [{ path: 'problem.accumulator', message, nearest: 'f32' }];
});

/** Legal row sizes of swizzled shared tiles, in bytes. */
const ROW_BYTES = [128, 64] as const;

const depths = rule('wgmma-tile', ({ geometry: { tile }, wgmma: { element } }) => {
  const bytes = DTYPE_BYTES[element];
  const legal: readonly number[] = ROW_BYTES.map(row => row / bytes);
  if (legal.includes(tile.k)) return [];
  const message = t(
    'TMA swizzles rows of {0} or {1} B ({2} or {3} elements of {4}); block.k is {5}.',
    ...ROW_BYTES,
    ...legal,
    element,
    tile.k,
  );
  const [wide, narrow = wide] = legal;
  return [{ path: 'schedule.block.k', message, nearest: tile.k <= (narrow ?? 0) ? narrow : wide }];
});

/**
 * Limits of N. N is a multiple of 8 and at most 256; TMA loads an MN-major B in boxes of at least
 * 32 columns.
 */
const COLUMNS = { unit: 8, panel: 32, most: 256 } as const;

const columns = computedRule('wgmma-tile', ({ spec, geometry: { tile }, wgmma, names }) => {
  const isPaneled = wgmma.b.major === 'mn';
  const isMma = wgmma.instruction === 'mma';
  const unit = isPaneled ? COLUMNS.panel : isMma ? MMA_COLUMNS : COLUMNS.unit;
  // With a gate, an instruction also computes the columns of the second B.
  const most = COLUMNS.most / productsOf(spec.problem);
  if (tile.n % unit === 0 && tile.n <= most) return [];
  const message = isPaneled
    ? t(
        '{5} supports up to {0} columns, in multiples of {1} if K is not the contiguous dimension of {2}; {3} is {4}.',
        most,
        unit,
        names.b,
        names.n,
        tile.n,
        warpGroupName(spec.schedule),
      )
    : t(
        '{4} supports multiples of {0} columns, up to {1}; {2} is {3}.',
        unit,
        most,
        names.n,
        tile.n,
        warpGroupName(spec.schedule),
      );
  return [{ path: 'schedule.block.n', message }];
});

const rows = computedRule('wgmma-tile', ({ geometry: { tile }, wgmma, names }) => {
  const { rowsPerConsumer, consumers, kernelSchedule } = wgmma;
  if (rowsPerConsumer === GROUP_ROWS || rowsPerConsumer === 2 * GROUP_ROWS) return [];
  const legal = kernelSchedule === 'pingpong' ? 1 : consumers;
  const message =
    kernelSchedule === 'pingpong'
      ? t(
          'Each ping-pong consumer computes a whole tile with instructions of {0} rows: {1} must be {2} or {3}, not {4}.',
          GROUP_ROWS,
          names.m,
          GROUP_ROWS,
          2 * GROUP_ROWS,
          tile.m,
        )
      : t(
          '{0} consumers share a tile, each with one or two instructions of {1} rows: {2} must be {3} or {4}, not {5}.',
          consumers,
          GROUP_ROWS,
          names.m,
          legal * GROUP_ROWS,
          2 * legal * GROUP_ROWS,
          tile.m,
        );
  return [{ path: 'schedule.block.m', message }];
});

const pingpongConsumers = rule('consumers', ({ wgmma: { kernelSchedule, consumers } }) => {
  if (kernelSchedule !== 'pingpong' || consumers === 2) return [];
  const message = t('The ping-pong schedule requires 2 consumers; got {0}.', consumers);
  return [{ path: 'schedule.consumers', message, nearest: 2 }];
});

/**
 * Maximum number of accumulators of a kernel with a gate: compiled kernels with 192 spill up to 860
 * bytes.
 */
const MAX_GATED = 176;

const sums = computedRule('accumulators', ({ spec, geometry: { tile }, wgmma }) => {
  const { rowsPerConsumer, consumers } = wgmma;
  const each = accumulatorsPerThread(wgmma, computedColumns(spec, tile));
  const storesColumns = spec.problem.c.layout === 'col' && wgmma.output.by !== 'tma';
  // A gate needs registers for its result, before those of the products are free.
  const isGated = gateOf(spec.problem) !== undefined;
  const ofPlain = maxAccumulators(consumers, { ...wgmma, storesColumns });
  const most = isGated ? Math.min(ofPlain, MAX_GATED) : ofPlain;
  if (each <= most) return [];
  const message = t(
    '{0} x {1} accumulators per consumer need {2} registers per thread; at most {3} are available.',
    rowsPerConsumer,
    computedColumns(spec, tile).n,
    each,
    most,
  );
  return [{ path: 'schedule.block.n', message }];
});

/** An instruction reads B and the second B as one tile, so TMA loads both without copies. */
const gate = rule('epilogue', ({ spec, wgmma }) => {
  const { problem, schedule } = spec;
  const second = gateOf(problem);
  if (second === undefined) return [];
  const name = warpGroupName(schedule);
  if (wgmma.operandOrder === 'ba') {
    const message = t('{0} with a gate requires operandOrder "ab".', name);
    return [{ path: 'schedule.operandOrder', message, nearest: 'ab' }];
  }
  if (schedule.split !== undefined) {
    const message = t('{0} does not combine a gate with FP32 emulation. Fix: use mma.', name);
    return [{ path: 'schedule.split', message, nearest: null }];
  }
  if ((schedule.splitK ?? 1) > 1) {
    const message = t(
      '{0} does not combine a gate with split-K. Fix: use mma or splitK = 1.',
      name,
    );
    return [{ path: 'schedule.splitK', message, nearest: 1 }];
  }
  if (wgmma.b.repacked !== undefined) {
    const message = t(
      '{0} with a gate loads B and the second B without copies, which requires rows of multiples of {1} bytes, and contiguous K for 8- and 32-bit elements. Fix: use mma.',
      name,
      TMA_STRIDE_BYTES,
    );
    return [{ path: 'schedule.algorithm', message, nearest: 'mma' }];
  }
  const unit = TMA_STRIDE_BYTES / DTYPE_BYTES[second.dtype];
  const { ld, batchStride } = second;
  if (ld % unit === 0 && (problem.batch === 1 || batchStride % unit === 0)) return [];
  const message = t(
    'TMA requires strides of multiples of {0} bytes; the leading dimension of the second B is {1} elements.',
    TMA_STRIDE_BYTES,
    n(ld),
  );
  return [{ path: 'problem.epilogue.0.ld', message, nearest: Math.ceil(ld / unit) * unit }];
});

const shape = rule('matrix-shape', ({ spec: { schedule }, wgmma }) => {
  const { mma } = schedule;
  if (mma === undefined || isShape(mma, wgmma.shape) || wgmma.shape.n > COLUMNS.most) return [];
  const text = (of: typeof mma): string => `${of.m} x ${of.n} x ${of.k}`;
  if (wgmma.instruction === 'mma') {
    const message = t(
      'mma with kernelSchedule tma uses the instruction {0}; got {1}. Fix: remove mma.',
      text(wgmma.shape),
      text(mma),
    );
    return [{ path: 'schedule.mma', message, nearest: wgmma.shape }];
  }
  const message = t(
    'The instruction must cover all columns of the tile: expected {0}, got {1}.',
    text(wgmma.shape),
    text(mma),
  );
  return [{ path: 'schedule.mma', message, nearest: wgmma.shape }];
});

const stages = rule('stages', ({ spec, geometry: { tile }, wgmma: { stages: given } }) => {
  const { least, most } = STAGE_COUNTS;
  if (given >= least && given <= most) return [];
  const message = t('Expected {0} to {1} pipeline stages, got {2}.', least, most, given);
  // The suggested value fixes both possible violations: too many stages, and too little shared
  // memory.
  const nearest = given < least ? least : Math.max(least, stagesThatFit(spec, tile));
  return [{ path: 'schedule.stages', message, nearest }];
});

const sharedMemory = rule('shared-memory', ({ spec, geometry, limits, wgmma }) => {
  const { sharedBytes, tile } = geometry;
  if (sharedBytes <= limits.sharedBytes) return [];
  const { a, b, output } = wgmma;
  const message = t(
    '{0} stages x ({1} B of A + {2} B of B), barriers and {3} B for C = {4} B of shared memory > {5} B ({6}).',
    wgmma.stages,
    n(a.bytes),
    n(b.bytes),
    n(stagedBytes(output)),
    n(sharedBytes),
    n(limits.sharedBytes),
    limits.owner,
  );
  const fit = stagesThatFit(spec, tile);
  return fit >= STAGE_COUNTS.least
    ? [{ path: 'schedule.stages', message, nearest: fit }]
    : [{ path: `schedule.block.${tile.m >= tile.n ? 'm' : 'n'}`, message }];
});

export const WGMMA_RULES: readonly ShapeRule[] = [
  types,
  gate,
  depths,
  columns,
  rows,
  pingpongConsumers,
  sums,
  shape,
  stages,
  sharedMemory,
  weightPrefetch,
  ...CLUSTER_RULES,
  ...TMA_RULES,
];
