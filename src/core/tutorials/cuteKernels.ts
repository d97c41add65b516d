/** Problem, transposes and kernels of CuTe's dense matrix-matrix multiply tutorial. */
import { t } from '@vscode/l10n';
import type { Schedule } from '../spec/schema';
import { cube, type Problem, type TutorialKernel } from './tutorial';

/** Default problem of the tutorial. */
export const CUTE_PROBLEM = { m: 5120, n: 5120, k: 4096 } as const;

export const CUTE: Schedule = { algorithm: 'layout' };

/** Thread layouts for K-major A and B: consecutive threads copy consecutive elements of K. */
export const CUTE_K_MAJOR: Schedule = {
  ...CUTE,
  threadLayout: { a: '(32,8):(8,1)', b: '(32,8):(8,1)' },
};

/** BLAS transposes of A and B: not transposed (N) is column-major, transposed (T) is row-major. */
export const TRANSPOSES = ['NT', 'TN', 'NN', 'TT'] as const;
export type Transposes = (typeof TRANSPOSES)[number];

export function transposed(problem: Problem, transposes: Transposes): Problem {
  const layout = (side: string) => ({ layout: side === 'N' ? 'col' : 'row' }) as const;
  const [a = '', b = ''] = transposes;
  return { ...problem, a: layout(a), b: layout(b), c: { layout: 'col' } };
}

const WHOLE_TILES: Problem = { m: 128, n: 128, k: 24 };

const ROWS: Readonly<Record<Transposes, string>> = {
  NT: '001.4',
  TN: '001.5',
  NN: '001.5',
  TT: '001.5',
};

export const cuteKernels = (): readonly TutorialKernel[] => [
  ...TRANSPOSES.map((transposes): TutorialKernel => ({
    row: ROWS[transposes],
    id: transposes,
    text:
      transposes === 'TN'
        ? t('TN: tiles 128 x 128 x 8, K-major thread layouts')
        : t('{0}: tiles 128 x 128 x 8, MN-major thread layouts', transposes),
    schedule: transposes === 'TN' ? CUTE_K_MAJOR : CUTE,
    verified: transposed(WHOLE_TILES, transposes),
    ...(transposes === 'NT' || transposes === 'TN'
      ? {
          rates: { row: '001.37', problem: size => transposed(cube(size), transposes), theirs: {} },
        }
      : {}),
  })),
  {
    row: '001.3',
    id: 'scaled',
    text: t('NT with alpha = 1.5 and beta = 0.5'),
    schedule: CUTE,
    verified: { ...transposed(WHOLE_TILES, 'NT'), alpha: 1.5, beta: 0.5 },
  },
  {
    row: '001.36',
    id: 'predicated',
    text: t('NT at 130 x 67 x 21, which no tile divides'),
    schedule: CUTE,
    verified: transposed({ m: 130, n: 67, k: 21 }, 'NT'),
  },
];
