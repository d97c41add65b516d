/** Kernels from one thread per element to shared memory, on an RTX 3070 Laptop (a worklog). */
import { t } from '@vscode/l10n';
import type { Tutorial } from './tutorial';
import { worklogKernels, WORKLOG_GPU, WORKLOG_SIZE } from './worklogKernels';
import { worklogRows } from './worklogRows';

export function worklog(): Tutorial {
  return {
    name: 'worklog',
    title: t('GEMM on an RTX 3070 Laptop'),
    reproduces: t('Work, occupancy, compiled code and rates of six kernels at 2048'),
    gpu: WORKLOG_GPU,
    sizes: [WORKLOG_SIZE],
    kernels: worklogKernels(),
    rows: worklogRows,
    listings: [],
  };
}
