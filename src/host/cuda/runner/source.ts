/** The CUDA runner's program as one text. */
import report from '../../../../shaders/cuda/report.cuh';

export const runnerSource = (): string => report;
