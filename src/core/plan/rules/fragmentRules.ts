/** Legality of `mma` on tensor cores: what a GPU has, and what pipelines, buffers and swizzles ask for. */
import { t } from '@vscode/l10n';
import { findDevice } from '../../hardware/devices';
import { DTYPE_BYTES, type DType } from '../../types/dtype';
import { instructionsOf, instructionsOn, isShape } from '../instructions';
import { NARROWEST_COPY_BYTES } from '../simt/lanes';
import { MATRIX_ROW_BYTES } from '../mma/matrix';
import { STAGES } from './laneRules';
import { splitBreaches } from './pieceRule';
import { elementOf } from '../pieces';
import type { MatrixShape } from '../plan';
import { mmaRule } from './familyRule';
import type { Breach, ShapeRule } from './rule';

/** What tensor cores multiply, the most usual first. */
const TYPES: readonly DType[] = ['f16', 'bf16', 'tf32', 's8', 'e4m3', 'e5m2'];

const text = ({ m, n, k }: MatrixShape): string => `${m} x ${n} x ${k}`;

const types = mmaRule(({ spec }) => {
  const { a, b, accumulator } = spec.problem;
  const { split } = spec.schedule;
  const ofSplit = splitBreaches(spec);
  if (ofSplit.length > 0) return ofSplit.map(one => ({ rule: 'matrix-type', ...one }));
  const element = elementOf(spec);
  const breach = (path: string, message: string, nearest: unknown): readonly Breach[] => [
    { rule: 'matrix-type', path, message, nearest },
  ];
  const instructions = instructionsOf(element);
  if (instructions.length === 0) {
    const message = t('mma multiplies {0} on tensor cores, not {1}.', TYPES.join(', '), a.dtype);
    return breach('problem.a.dtype', message, TYPES[0]);
  }
  if (instructionsOn(element, spec.device).length === 0) {
    const least = Math.min(...instructions.map(({ since }) => since));
    const device = findDevice(spec.device);
    const message = t(
      'Tensor cores multiply {0} from compute capability {1} on; {2} has {3}.',
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
      'A multiply-accumulate takes two matrices of one type: A is {0}, B is {1}.',
      a.dtype,
      b.dtype,
    );
    return breach('problem.b.dtype', message, a.dtype);
  }
  if (split === undefined || accumulator === 'f32') return [];
  const message = t('{0} sums in f32 here, not in {1}.', `mma ${split}`, accumulator);
  return breach('problem.accumulator', message, 'f32');
});

const shapes = mmaRule(({ spec }, { matrix: { shape } }) => {
  const known = instructionsOn(elementOf(spec), spec.device);
  if (known.length === 0) return [];
  if (known.some(one => isShape(one, shape))) return [];
  const message = t(
    'mma.sync multiplies {0} as {1} on {2}, not as {3}.',
    elementOf(spec),
    known.map(text).join(', '),
    spec.device,
    text(shape),
  );
  const [{ m, n, k } = shape] = known;
  return [{ rule: 'matrix-shape', path: 'schedule.mma', message, nearest: { m, n, k } }];
});

/** Rows are turned over by elements of 16 bits (PTX ISA, "ldmatrix", .trans). */
const layouts = mmaRule(({ spec }, { fragments }) => {
  const { problem } = spec;
  if (instructionsOf(elementOf(spec)).length === 0) return [];
  return (['a', 'b'] as const).flatMap((operand): readonly Breach[] => {
    const { dtype, layout } = problem[operand];
    if (fragments[operand].load !== 'columns' || DTYPE_BYTES[dtype] === TURNED_BYTES) return [];
    const message = t(
      'ldmatrix turns over elements of 16 bits alone: of {0}, K must be the contiguous index of {1}.',
      dtype,
      operand.toUpperCase(),
    );
    const nearest = layout === 'row' ? 'col' : 'row';
    return [{ rule: 'matrix-layout', path: `problem.${operand}.layout`, message, nearest }];
  });
});
const TURNED_BYTES = 2;

const stages = mmaRule(({ spec: { device } }, { fragments }) => {
  const { stages: given, copies, tooNarrow } = fragments;
  const breach = (message: string, nearest: number): readonly Breach[] => [
    { rule: 'stages', path: 'schedule.stages', message, nearest },
  ];
  const { least, most } = STAGES;
  if (copies === 'asynchronous') {
    if (given >= least && given <= most) return [];
    return breach(
      t('A pipeline has {0} to {1} stages; stages is {2}.', least, most, given),
      given < least ? least : most,
    );
  }
  if (given <= least) return [];
  return breach(
    tooNarrow === undefined
      ? t(
          '{0} has no asynchronous copies: the next tile waits in registers, for which {1} stages are enough; stages is {2}.',
          device,
          least,
          given,
        )
      : t(
          '{0} would be copied {1} B at a time, and asynchronous copies move {2} B or more: the next tile waits in registers, for which {3} stages are enough; stages is {4}.',
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
  const breach = (message: string): readonly Breach[] => [
    { rule: 'fragments', path: 'schedule.fragments', message, nearest: 1 },
  ];
  if (fragments.copies === 'registers') {
    return breach(
      t(
        'Fragments are loaded ahead where tiles are copied asynchronously; these tiles wait in registers.',
      ),
    );
  }
  const depths = tile.k / matrix.shape.k;
  if (!Number.isInteger(depths) || depths % 2 === 0) return [];
  return breach(t('Two buffers take turns over the depths of a tile: {0} is not even.', depths));
});

const swizzles = mmaRule(({ spec: { schedule, problem } }, { fragments, shared }) => {
  if (schedule.swizzle !== 'xor') return [];
  const breach = (message: string): readonly Breach[] => [
    { rule: 'swizzle', path: 'schedule.swizzle', message, nearest: 'none' },
  ];
  const swizzled = (['a', 'b'] as const).filter(one => fragments[one].swizzle !== undefined);
  const padded = swizzled.find(operand => shared[operand].padding > 0);
  if (padded !== undefined) {
    return breach(
      t(
        'padding.{0} = {1} cures the same conflicts: use one of the two.',
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
      'A row of {0} elements in groups of {1} has no two groups to exchange: it must be a multiple of {2}.',
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
