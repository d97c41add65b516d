/** Layouts, tiles and thread layouts of CuTe's dense matrix-matrix multiply tutorial. */
import { t } from '@vscode/l10n';
import { cuteKernels } from './cuteKernels';
import { cuteRows } from './cuteRows';
import { cuteTemplateRows } from './cuteTemplate';
import { cuteTensorRows } from './cuteTensors';
import type { Tutorial } from './tutorial';

export function cute(): Tutorial {
  return {
    name: 'cute',
    title: t('CuTe dense matrix-matrix multiply tutorial'),
    reproduces: t('Layouts of matrices, tiles and threads, and the four transposes of A and B'),
    gpu: null,
    sizes: [1024, 4096],
    kernels: cuteKernels(),
    rows: () => [...cuteTensorRows(), ...cuteRows(), ...cuteTemplateRows()],
    listings: [],
  };
}
