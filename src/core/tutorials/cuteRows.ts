/** Rows of the CuTe tutorial about types, transposes, launch, memory accesses and results. */
import { t } from '@vscode/l10n';
import { DEFAULT_DEVICE } from '../hardware/devices';
import { planSpec } from '../defaults/check';
import { demandOf, globalSite } from '../search/ladder/demand';
import type { DType } from '../types/dtype';
import {
  CUTE,
  CUTE_K_MAJOR,
  CUTE_PROBLEM,
  cuteKernels,
  transposed,
  TRANSPOSES,
  type Transposes,
} from './cuteKernels';
import { headLayout } from './cuteTensors';
import { subjectOf, wrongElements, type Subject } from './subject';
import type { Row, Value } from './tutorial';

const MAJORS: Readonly<Record<Transposes, string>> = {
  NT: 'A M-major, B N-major',
  TN: 'A K-major, B K-major',
  NN: 'A M-major, B K-major',
  TT: 'A K-major, B N-major',
};

export function cuteRows(): readonly Row[] {
  const on = (transposes: Transposes): Subject =>
    subjectOf(transposed(CUTE_PROBLEM, transposes), CUTE, DEFAULT_DEVICE);
  const nt = on('NT');
  const { plan, grid, block, analysis } = { ...nt.kernel, ...nt };
  const iterations = plan.spec.problem.k / plan.tile.k;
  return [
    {
      ...equal('001.1', 'types', t('Element types of BLAS'), 'S, D, C, Z', legalTypes()),
      kind: 'reported',
      note: t('Complex element types are not supported.'),
    },
    ...(['a', 'b', 'c'] as const).map(name =>
      equal('001.8', `view${name.toUpperCase()}`, ...viewOf(name, nt)),
    ),
    equal(
      '001.16',
      'ldA',
      t('Leading dimension of A: the stride that is not 1'),
      CUTE_PROBLEM.m,
      plan.spec.problem.a.ld,
    ),
    equal(
      '001.21',
      'tiles',
      t('bM, bN, bK'),
      '128, 128, 8',
      `${plan.tile.m}, ${plan.tile.n}, ${plan.tile.k}`,
    ),
    equal('001.11', 'launchBounds', t('Launch bounds: size of tC'), 256, plan.threads),
    equal(
      '001.28',
      'launch',
      t('Grid and block'),
      '40 x 40, 256',
      `${grid.x} x ${grid.y}, ${block.x}`,
    ),
    equal(
      '001.18',
      'barriers',
      t('Barriers per k-iteration: after the copies, and after the gemm'),
      2,
      demandOf(nt.kernel, analysis).barriers / iterations,
    ),
    {
      row: '001.27',
      id: 'precondition',
      text: t('Check of a thread layout (30,8):(1,30), which does not divide the tile'),
      kind: 'equal',
      theirs: null,
      ours: () => refusal({ ...CUTE, threadLayout: { a: '(30,8):(1,30)' } }),
    },
    equal(
      '001.12',
      'dynamic',
      t('Run-time parameters of the kernel'),
      'm, n, k',
      nt.kernel.arguments.slice(0, 3).join(', '),
    ),
    equal(
      '001.35',
      'accumulators',
      t('Elements of C per thread: the shape of tCrC'),
      null,
      `${plan.thread.m} x ${plan.thread.n}`,
    ),
    ...TRANSPOSES.flatMap(transposes => transposeRows(transposes, on(transposes))),
    equal(
      '001.9',
      'TNKMajorSectors',
      t('Sectors per load of A and B (ideal), TN with K-major thread layouts'),
      null,
      sectorsOf(subjectOf(transposed(CUTE_PROBLEM, 'TN'), CUTE_K_MAJOR, DEFAULT_DEVICE)),
    ),
    ...cuteKernels().map(({ row, id, text }): Row => ({
      row,
      id: `${id}Result`,
      text: t('Wrong elements: {0}', text),
      kind: 'equal',
      theirs: 0,
      ours: wrongElements(id),
    })),
  ];
}

const equal = (row: string, id: string, text: string, theirs: Value | null, ours: Value): Row => ({
  row,
  id,
  text,
  kind: 'equal',
  theirs,
  ours: () => ours,
});

const BLAS_TYPES: readonly (readonly [string, DType])[] = [
  ['S', 'f32'],
  ['D', 'f64'],
];

const legalTypes = (): string =>
  BLAS_TYPES.filter(
    ([, dtype]) =>
      planSpec({ problem: { ...CUTE_PROBLEM, a: { dtype } }, schedule: CUTE }, 'cuda').ok,
  )
    .map(([name]) => name)
    .join(', ');

function refusal(schedule: typeof CUTE): string {
  const planned = planSpec({ problem: CUTE_PROBLEM, schedule }, 'cuda');
  return planned.ok ? t('legal') : planned.violations.map(({ message }) => message).join(' ');
}

/**
 * Returns the view of a BLAS user and of the implementation for the NT case: the BLAS user stores B
 * as N x K and passes it as transposed.
 */
function viewOf(
  name: 'a' | 'b' | 'c',
  { kernel: { problem } }: Subject,
): [text: string, theirs: Value, ours: Value] {
  const { layout } = problem[name];
  // Op(B) is K x N; row-major op(B) is the transpose of a column-major N x K matrix.
  const isTransposed = name === 'b' && layout === 'row';
  const shape = name === 'a' ? 'M x K' : name === 'c' ? 'M x N' : isTransposed ? 'N x K' : 'K x N';
  const order = isTransposed || layout === 'col' ? 'column-major' : 'row-major';
  const operand = name.toUpperCase();
  const major = name === 'c' ? ofC() : majorOf(operand, 'NT');
  const theirs = {
    a: 'M x K column-major -> (M,K) M-major',
    b: 'N x K column-major -> (N,K) N-major',
    c: 'M x N column-major -> (M,N) M-major',
  }[name];
  const modes = { a: '(M,K)', b: '(N,K)', c: '(M,N)' }[name];
  return [
    t('{0} for the BLAS user, and for the implementation', operand),
    theirs,
    `${shape} ${order} -> ${modes} ${major}`,
  ];
}

const ofC = (): string => (headLayout('gC').endsWith(':(_1,5120)') ? 'M-major' : 'N-major');

/** Names the mode with stride 1 of A (M,K) or B (N,K). */
function majorOf(operand: string, transposes: Transposes): string {
  const [, strides = ''] = headLayout(`m${operand}`, transposes).split(':');
  const first = operand === 'A' ? 'M-major' : 'N-major';
  return strides.startsWith('(_1,') ? first : 'K-major';
}

function sectorsOf({ analysis }: Subject): string {
  const text = (operand: 'a' | 'b'): string => {
    const site = globalSite(analysis, operand, 'load');
    return site === undefined ? '' : `${site.sectorsPerRequest} (${site.idealSectors})`;
  };
  return `${text('a')}, ${text('b')}`;
}

const transposeRows = (transposes: Transposes, subject: Subject): readonly Row[] => [
  equal(
    '001.7',
    `${transposes}Majors`,
    t('Implementation layouts of {0}', transposes),
    MAJORS[transposes],
    `A ${majorOf('A', transposes)}, B ${majorOf('B', transposes)}`,
  ),
  equal(
    '001.5',
    `${transposes}Sectors`,
    t('Sectors per load of A and B (ideal), {0} with MN-major thread layouts', transposes),
    null,
    sectorsOf(subject),
  ),
];
