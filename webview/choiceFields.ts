/** Fields of a schedule that are a few words each, or a shape: what they may be. */
import { t } from '@vscode/l10n';
import { PLANNED } from '../src/core/plan/fields';
import { instructionsOn } from '../src/core/plan/instructions';
import { matrixShapes } from '../src/core/plan/mma/matrix';
import { elementOf, SPLITS } from '../src/core/plan/pieces';
import type { MatrixShape } from '../src/core/plan/plan';
import type { ResolvedSpec } from '../src/core/spec/resolved';
import {
  LAUNCHES,
  LAYOUTS,
  OPERAND_ORDERS,
  PREFETCHES,
  SHARINGS,
  SPLIT_K_REDUCTIONS,
  TRAVERSALS,
  UNROLLS,
  type Target,
} from '../src/core/spec/schema';

/** A field of a few words: what it may be, and what holds where the spec says nothing. */
export interface ChoiceFieldSpec {
  readonly path: string;
  readonly name: () => string;
  readonly choices: readonly string[];
  readonly absent: string;
  /** What holds where the choice is empty, which is no value of the field, in words. */
  readonly without?: () => string;
  /** Where values are no words: the choice that holds, and what one stands for. */
  readonly words?: {
    readonly current: string;
    readonly value: (choice: string) => unknown;
  };
}

const CHOICES: readonly ChoiceFieldSpec[] = [
  { path: 'schedule.swizzle', name: () => t('swizzle'), choices: ['none', 'xor'], absent: 'none' },
  {
    path: 'schedule.raster.order',
    name: () => t('raster'),
    choices: LAYOUTS,
    absent: 'row',
  },
  {
    path: 'schedule.kernelSchedule',
    name: () => t('warp groups'),
    choices: ['cooperative', 'pingpong'],
    absent: 'cooperative',
  },
  {
    path: 'schedule.operandOrder',
    name: () => t('rows of the instruction'),
    choices: OPERAND_ORDERS,
    absent: 'ab',
  },
  { path: 'schedule.launch', name: () => t('launch'), choices: LAUNCHES, absent: 'serial' },
  {
    path: 'schedule.split',
    name: () => t('f32 split into'),
    choices: ['', ...Object.keys(SPLITS)],
    absent: '',
    without: () => t('not split'),
  },
  { path: 'schedule.sharing', name: () => t('sharing'), choices: SHARINGS, absent: 'none' },
  { path: 'schedule.prefetch', name: () => t('prefetch'), choices: PREFETCHES, absent: 'none' },
  { path: 'schedule.unroll', name: () => t('unroll'), choices: UNROLLS, absent: 'none' },
  {
    path: 'schedule.traversal',
    name: () => t('traversal'),
    choices: ['', ...TRAVERSALS],
    absent: '',
    without: () => t('row after row'),
  },
];

const SPLIT: ChoiceFieldSpec = {
  path: 'schedule.splitKReduction',
  name: () => t('parts of K are added'),
  choices: SPLIT_K_REDUCTIONS,
  absent: 'two-pass',
};

/** The form's name of a choice. */
export const choiceName = (path: string): string | undefined =>
  [...CHOICES, SPLIT].find(choice => choice.path === path)?.name();

const shapeText = ({ m, n, k }: MatrixShape): string => `${m} x ${n} x ${k}`;

/** Shapes of the instruction that multiplies matrices, of a device or of subgroup matrices. */
function instruction(spec: ResolvedSpec, target: Target): ChoiceFieldSpec {
  const { problem, device, schedule } = spec;
  const known = target === 'cuda' ? instructionsOn(elementOf(spec), device) : matrixShapes(problem);
  const shapes = known.map(({ m, n, k }) => ({ m, n, k }));
  const find = (choice: string) => shapes.find(shape => shapeText(shape) === choice);
  return {
    path: 'schedule.mma',
    name: () => t('instruction'),
    choices: shapes.map(shapeText),
    absent: '',
    words: {
      current: schedule.mma === undefined ? '' : shapeText(schedule.mma),
      value: choice => find(choice) ?? schedule.mma,
    },
  };
}

/** The choices that a schedule has. */
export function choiceFields(spec: ResolvedSpec, target: Target): readonly ChoiceFieldSpec[] {
  const { algorithm, splitK = 1, splitKReduction } = spec.schedule;
  const uses = PLANNED[algorithm];
  const variants = uses?.variants ?? [];
  return [
    ...(variants.length === 0
      ? []
      : [{ path: 'schedule.variant', name: () => t('variant'), choices: variants, absent: '' }]),
    // That of wgmma follows the tile.
    ...(algorithm === 'mma' ? [instruction(spec, target)] : []),
    ...CHOICES.filter(({ path }) => uses?.fields.includes(path.slice('schedule.'.length)) === true),
    ...(splitK > 1 || splitKReduction !== undefined ? [SPLIT] : []),
  ];
}
