/** Rows of the CuTe tutorial about template parameters and copy atoms, which a kernel has fixed. */
import { t } from '@vscode/l10n';
import { planSpec } from '../defaults/check';
import { DEFAULT_DEVICE } from '../hardware/devices';
import { globalSite } from '../search/ladder/demand';
import type { Algorithm, Schedule } from '../spec/schema';
import { termOfWord } from '../text/glossary';
import { CUTE, CUTE_PROBLEM, transposed } from './cuteKernels';
import { headLayout } from './cuteTensors';
import { subjectOf } from './subject';
import type { Problem, Row, Value } from './tutorial';

export const cuteTemplateRows = (): readonly Row[] => [
  ...PARAMETERS.map(({ names, ours, id = names }) =>
    added('001.10', id, t('Value of {0} in the kernel', names), ours),
  ),
  added('001.10', 'mixedTypes', t('Mixed element types of A, B and C'), mixedTypes),
  ...COPIES.map(([algorithm, problem]) =>
    added('001.19', `${algorithm}Atom`, t('Copy atom of {0}', algorithm), () =>
      copyAtom(problem, { algorithm }),
    ),
  ),
];

const NT = transposed(CUTE_PROBLEM, 'NT');
const stridesOf = (tensor: string): string => headLayout(tensor).split(':')[1] ?? '';

/** Template parameters of the tutorial's `gemm_device`. C has the strides of its tile. */
const PARAMETERS: readonly {
  readonly id?: string;
  readonly names: string;
  readonly ours: () => Value;
}[] = [
  { id: 'shapes', names: 'MShape, NShape, KShape', ours: parameters },
  { id: 'elementTypes', names: 'TA, TB, TC', ours: () => operandTypes(NT).join(', ') },
  { names: 'AStride', ours: () => stridesOf('mA') },
  { names: 'BStride', ours: () => stridesOf('mB') },
  { names: 'CStride', ours: () => stridesOf('gC') },
  { names: 'ABlockLayout', ours: () => headLayout('sA') },
  { names: 'BBlockLayout', ours: () => headLayout('sB') },
  { names: 'AThreadLayout', ours: () => headLayout('tA') },
  { names: 'BThreadLayout', ours: () => headLayout('tB') },
  { names: 'CThreadLayout', ours: () => headLayout('tC') },
];

function parameters(): string {
  const { kernel } = subjectOf(NT, CUTE, DEFAULT_DEVICE);
  return kernel.arguments.slice(0, 3).join(', ');
}

function operandTypes(problem: Problem): readonly string[] {
  const planned = planSpec({ problem, schedule: CUTE }, 'cuda');
  if (!planned.ok) return planned.violations.map(({ message }) => message);
  const { a, b, c } = planned.plan.spec.problem;
  return [a.dtype, b.dtype, c.dtype];
}

const mixedTypes = (): string =>
  operandTypes({ ...NT, a: { dtype: 'f16' }, b: { dtype: 'f16' }, c: { dtype: 'f32' } }).join(', ');

/** Algorithms that copy the tiles of A with different instructions. */
const COPIES: readonly (readonly [Algorithm, Problem])[] = [
  ['layout', NT],
  ['vectorized', CUTE_PROBLEM],
  ['pipelined', CUTE_PROBLEM],
  ['wgmma', { ...CUTE_PROBLEM, a: { dtype: 'bf16' } }],
];
const COPY_WORDS = ['cp.async.bulk', '__pipeline_memcpy_async'] as const;

/** Returns CuTe's name of the instruction that copies the tiles of A to shared memory. */
function copyAtom(problem: Problem, schedule: Schedule): string {
  const { kernel, analysis } = subjectOf(problem, schedule, DEFAULT_DEVICE);
  const word = COPY_WORDS.find(one => kernel.source.includes(one));
  const named = word === undefined ? undefined : termOfWord(word)?.elsewhere?.CuTe;
  if (named !== undefined) return named.replaceAll('`', '');
  const bytes = globalSite(analysis, 'a', 'load')?.widthBytes ?? NaN;
  return `UniversalCopy<uint${8 * bytes}_t>`;
}

const added = (row: string, id: string, text: string, ours: () => Value): Row => ({
  row,
  id,
  text,
  kind: 'equal',
  theirs: null,
  ours,
});
