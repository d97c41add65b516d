/** All tools, in the order of their use. */
import type { Tool } from './tool';
import { generateKernel } from './tools/generate';
import { analyzeKernel, compareKernels } from './tools/kernels';
import { explainTerm, listBackends, listDevices, readRuns } from './tools/reading';
import { benchmarkKernels, verifyKernel } from './tools/running';
import { checkSpec, suggestSpec } from './tools/specs';
import { tuneKernel } from './tools/tune';

export const TOOLS: readonly Tool[] = [
  suggestSpec,
  checkSpec,
  analyzeKernel,
  compareKernels,
  generateKernel,
  verifyKernel,
  benchmarkKernels,
  tuneKernel,
  listDevices,
  listBackends,
  readRuns,
  explainTerm,
];
