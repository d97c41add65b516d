/** Legality of `mma` on tensor cores: device support, pipelines, fragment buffers and swizzles. */
import { t } from '@vscode/l10n';
import { findDevice } from '../../hardware/devices';
import { DTYPE_BYTES, type DType } from '../../types/dtype';
import { instructionsOf, instructionsOn, isShape } from '../instructions';
import { NARROWEST_COPY_BYTES } from '../simt/lanes';
import { MATRIX_ROW_BYTES } from '../mma/matrix';
import { STAGES } from './laneRules';
import { splitViolations } from './fp32EmulationRule';
import { elementOf } from '../fp32Emulation';
import type { MatrixShape } from '../plan';
import { mmaRule } from './familyRule';
import type { RuleViolation, ShapeRule } from './rule';

/** Types that tensor cores support, in the order of suggestion. */
const TYPES: readonly DType[] = ['f16', 'bf16', 'tf32', 's8', 'e4m3', 'e5m2'];

const text = ({ m, n, k }: MatrixShape): string => `${m} x ${n} x ${k}`;

const types = mmaRule(({ spec }) => {
  const { a, b, accumulator } = spec.problem;
  const { split } = spec.schedule;
  const ofSplit = splitViolations(spec);
  if (ofSplit.length > 0) return ofSplit.map(one => ({ rule: 'matrix-type', ...one }));
  const element = elementOf(spec);
  const breach = (path: string, message: string, nearest: unknown): readonly RuleViolation[] => [
    { rule: 'matrix-type', path, message, nearest },
  ];
  const instructions = instructionsOf(element);
  if (instructions.length === 0) {
    const message = t('mma on tensor cores supports {0}, not {1}.', TYPES.join(', '), a.dtype);
    return breach('problem.a.dtype', message, TYPES[0]);
  }
  if (instructionsOn(element, spec.device).length === 0) {
    const least = Math.min(...instructions.map(({ since }) => since));
    const device = findDevice(spec.device);
    const message = t(
      '{0} on tensor cores requires compute capability {1} or later; {2} has {3}.',
      element,
      least.toFixed(1),
      device?.name ?? spec.device,
      device?.computeCapability ?? '',
    );
    const other =
      split === undefined
        ? TYPES.find(dtype => instructionsOn(dtype, spec.device).length > 0)
        : undefined;
    return other === undefined
      ? breach('device', message, 'h200')
      : breach('problem.a.dtype', message, other);
  }
  if (a.dtype !== b.dtype) {
    const message = t(
      'Matrix instructions require A and B of the same type; A is {0}, B is {1}.',
      a.dtype,
      b.dtype,
    );
    return breach('problem.b.dtype', message, a.dtype);
  }
  if (split === undefined || accumulator === 'f32') return [];
  const message = t('{0} accumulates in f32, not in {1}.', `mma ${split}`, accumulator);
  return breach('problem.accumulator', message, 'f32');
});

const shapes = mmaRule(({ spec }, { matrix: { shape } }) => {
  const known = instructionsOn(elementOf(spec), spec.device);
  if (known.length === 0) return [];
  if (known.some(one => isShape(one, shape))) return [];
  const message = t(
    'mma.sync on {2} supports {1} for {0}, not {3}.',
    elementOf(spec),
    known.map(text).join(', '),
    spec.device,
    text(shape),
  );
  const [{ m, n, k } = shape] = known;
  return [{ rule: 'matrix-shape', path: 'schedule.mma', message, nearest: { m, n, k } }];
});

/**
 * Checks operand layouts: ldmatrix transposes only 16-bit elements (PTX ISA, "ldmatrix", .trans).
 */
const layouts = mmaRule(({ spec }, { fragments }) => {
  const { problem } = spec;
  if (instructionsOf(elementOf(spec)).length === 0) return [];
  return (['a', 'b'] as const).flatMap((operand): readonly RuleViolation[] => {
    const { dtype, layout } = problem[operand];
    if (fragments[operand].load !== 'columns' || DTYPE_BYTES[dtype] === TRANSPOSABLE_BYTES)
      return [];
    const message = t(
      'ldmatrix transposes only 16-bit elements: with {0}, K must be the contiguous dimension of {1}.',
      dtype,
      operand.toUpperCase(),
    );
    const nearest = layout === 'row' ? 'col' : 'row';
    return [{ rule: 'matrix-layout', path: `problem.${operand}.layout`, message, nearest }];
  });
});
const TRANSPOSABLE_BYTES = 2;

const stages = mmaRule(({ spec: { device } }, { fragments }) => {
  const { stages: given, copies, tooNarrow } = fragments;
  const breach = (message: string, nearest: number): readonly RuleViolation[] => [
    { rule: 'stages', path: 'schedule.stages', message, nearest },
  ];
  const { least, most } = STAGES;
  if (copies === 'asynchronous') {
    if (given >= least && given <= most) return [];
    return breach(
      t('Expected {0} to {1} pipeline stages, got {2}.', least, most, given),
      given < least ? least : most,
    );
  }
  if (given <= least) return [];
  return breach(
    tooNarrow === undefined
      ? t(
          '{0} has no asynchronous copies, so the next tile is prefetched in registers. This requires {1} stages, got {2}.',
          device,
          least,
          given,
        )
      : t(
          'Asynchronous copies need at least {2} B, but {0} allows only {1} B per copy. Prefetching in registers requires {3} stages, got {4}.',
          tooNarrow.operand.toUpperCase(),
          tooNarrow.bytes,
          NARROWEST_COPY_BYTES,
          least,
          given,
        ),
    least,
  );
});

const buffers = mmaRule((_, { matrix, fragments, tile }) => {
  if (fragments.buffers !== 2) return [];
  const breach = (message: string): readonly RuleViolation[] => [
    { rule: 'fragments', path: 'schedule.fragments', message, nearest: 1 },
  ];
  if (fragments.copies === 'registers') {
    return breach(
      t(
        'Double-buffered fragments require asynchronous copies; these tiles are prefetched in registers.',
      ),
    );
  }
  const depths = tile.k / matrix.shape.k;
  if (!Number.isInteger(depths) || depths % 2 === 0) return [];
  return breach(
    t('Double-buffered fragments require an even number of k-steps per tile; got {0}.', depths),
  );
});

const swizzles = mmaRule(({ spec: { schedule, problem } }, { fragments, shared }) => {
  if (schedule.swizzle !== 'xor') return [];
  const breach = (message: string): readonly RuleViolation[] => [
    { rule: 'swizzle', path: 'schedule.swizzle', message, nearest: 'none' },
  ];
  const swizzled = (['a', 'b'] as const).filter(one => fragments[one].swizzle !== undefined);
  const padded = swizzled.find(operand => shared[operand].padding > 0);
  if (padded !== undefined) {
    return breach(
      t(
        'padding.{0} = {1} and XOR swizzle both remove these bank conflicts. Fix: use only one of them.',
        padded,
        shared[padded].padding,
      ),
    );
  }
  if (swizzled.length > 0) return [];
  const { inner } = shared.a;
  const unit = MATRIX_ROW_BYTES / DTYPE_BYTES[problem.a.dtype];
  return breach(
    t(
      'XOR swizzle of groups of {1} elements requires rows with a multiple of {2} elements; got {0}.',
      inner,
      unit,
      2 * unit,
    ),
  );
});

export const FRAGMENT_RULES: readonly ShapeRule[] = [
  types,
  shapes,
  layouts,
  stages,
  buffers,
  swizzles,
];
