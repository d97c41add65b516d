/** Schedule fields with a fixed set of choices. */
import { t } from '@vscode/l10n';
import { usesOf } from '../src/core/plan/fields';
import { instructionsOn } from '../src/core/plan/instructions';
import { matrixShapes } from '../src/core/plan/mma/matrix';
import { elementOf, SPLITS } from '../src/core/plan/fp32Emulation';
import type { MatrixShape } from '../src/core/plan/plan';
import { isTmaMma } from '../src/core/plan/wgmma/tmaMma';
import type { ResolvedSpec } from '../src/core/spec/resolved';
import {
  KERNEL_SCHEDULES,
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

/** Field with a fixed set of choices; `absent` is its default. */
export interface ChoiceFieldSpec {
  readonly path: string;
  readonly name: () => string;
  /** Line of help. */
  readonly help: () => string;
  readonly choices: readonly string[];
  readonly absent: string;
  /** Label of the empty choice, which removes the field. */
  readonly without?: () => string;
  /**
   * Conversion for values that are not strings: the current choice, and the value of each choice.
   */
  readonly words?: {
    readonly current: string;
    readonly value: (choice: string) => unknown;
  };
}

const CHOICES: readonly ChoiceFieldSpec[] = [
  {
    path: 'schedule.swizzle',
    name: () => t('swizzle'),
    help: () => t('XOR of shared-memory chunks, against bank conflicts'),
    choices: ['none', 'xor'],
    absent: 'none',
  },
  {
    path: 'schedule.raster.order',
    name: () => t('raster'),
    help: () => t('order in which blocks traverse C'),
    choices: LAYOUTS,
    absent: 'row',
  },
  {
    path: 'schedule.kernelSchedule',
    name: () => t('kernel schedule'),
    help: () => t('tma: one warp group; else a producer and consumers'),
    choices: KERNEL_SCHEDULES,
    absent: 'cooperative',
  },
  {
    path: 'schedule.operandOrder',
    name: () => t('operand order'),
    help: () => t('ba: transposed C, tile height in steps of 8 (swap-AB)'),
    choices: OPERAND_ORDERS,
    absent: 'ab',
  },
  {
    path: 'schedule.launch',
    name: () => t('launch'),
    help: () => t('programmatic: starts early; prefetch: loads weights'),
    choices: LAUNCHES,
    absent: 'serial',
  },
  {
    path: 'schedule.split',
    name: () => t('FP32 emulation'),
    help: () => t('terms per FP32 operand'),
    choices: ['', ...Object.keys(SPLITS)],
    absent: '',
    without: () => t('off'),
  },
  {
    path: 'schedule.sharing',
    name: () => t('load sharing'),
    help: () => t('quad: four lanes share the loads of A'),
    choices: SHARINGS,
    absent: 'none',
  },
  {
    path: 'schedule.prefetch',
    name: () => t('prefetch'),
    help: () => t('destination of the next tile'),
    choices: PREFETCHES,
    absent: 'none',
  },
  {
    path: 'schedule.unroll',
    name: () => t('unroll'),
    help: () => t('unrolling of the k loop in WGSL'),
    choices: UNROLLS,
    absent: 'none',
  },
  {
    path: 'schedule.traversal',
    name: () => t('serpentine order'),
    help: () => t('order of the FMAs of a thread'),
    choices: ['', ...TRAVERSALS],
    absent: '',
    without: () => t('off'),
  },
];

const SPLIT_K_REDUCTION: ChoiceFieldSpec = {
  path: 'schedule.splitKReduction',
  name: () => t('split-K reduction'),
  help: () => t('second kernel, or atomic additions'),
  choices: SPLIT_K_REDUCTIONS,
  absent: 'two-pass',
};

/** Clusters of `wgmma` reduce the slices by default, and it has no atomic reduction. */
const WGMMA_REDUCTION: ChoiceFieldSpec = {
  ...SPLIT_K_REDUCTION,
  help: () => t('in a cluster, or by a second kernel'),
  choices: ['', 'two-pass'],
  absent: '',
  without: () => t('cluster'),
};

export const choiceName = (path: string): string | undefined =>
  [...CHOICES, SPLIT_K_REDUCTION].find(choice => choice.path === path)?.name();

const shapeText = ({ m, n, k }: MatrixShape): string => `${m} x ${n} x ${k}`;

function instruction(spec: ResolvedSpec, target: Target): ChoiceFieldSpec {
  const { problem, device, schedule } = spec;
  const known = target === 'cuda' ? instructionsOn(elementOf(spec), device) : matrixShapes(problem);
  const shapes = known.map(({ m, n, k }) => ({ m, n, k }));
  const find = (choice: string) => shapes.find(shape => shapeText(shape) === choice);
  return {
    path: 'schedule.mma',
    name: () => t('MMA shape'),
    help: () => t('M x N x K of one MMA instruction'),
    choices: shapes.map(shapeText),
    absent: '',
    words: {
      current: schedule.mma === undefined ? '' : shapeText(schedule.mma),
      value: choice => find(choice) ?? schedule.mma,
    },
  };
}

export function choiceFields(spec: ResolvedSpec, target: Target): readonly ChoiceFieldSpec[] {
  const { algorithm, splitK = 1, splitKReduction } = spec.schedule;
  const uses = usesOf(spec.schedule);
  const variants = uses?.variants ?? [];
  return [
    ...(variants.length === 0
      ? []
      : [
          {
            path: 'schedule.variant',
            name: () => t('variant'),
            help: () => t('mapping of threads to elements of C'),
            choices: variants,
            absent: '',
          },
        ]),
    // With warp groups, the tile or the type determines the instruction shape.
    ...(algorithm === 'mma' && !isTmaMma(spec.schedule) ? [instruction(spec, target)] : []),
    ...CHOICES.filter(
      ({ path }) => uses?.fields.includes(path.slice('schedule.'.length)) === true,
    ).map(choice =>
      choice.path === 'schedule.kernelSchedule' && isTmaMma(spec.schedule)
        ? { ...choice, choices: ['tma'], absent: '' }
        : choice,
    ),
    ...(splitK > 1 || splitKReduction !== undefined
      ? [algorithm === 'wgmma' ? WGMMA_REDUCTION : SPLIT_K_REDUCTION]
      : []),
  ];
}
