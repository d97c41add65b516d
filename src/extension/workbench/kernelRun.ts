/** Run that represents a kernel or a spec in the status bar. */
import type { Measurement } from '../../core/measure/measurement';
import { newestRuns, shownRun } from '../../core/measure/newestRuns';
import { readKernel, type KernelText } from '../../core/source/kernelFile';
import type { GemmSpec } from '../../core/spec/schema';
import { newestOfSpec } from '../documents/specRuns';
import { isRunOf } from '../runs/lensText';

type Runs = readonly Measurement[];

/** Returns the run of the kernel at a zero-based line; undefined if it was not run. */
export function runAt(file: KernelText, line: number, runs: Runs): Measurement | undefined {
  const { kernels, annotations, text: source } = file;
  if (annotations.length < 2) return runOfSource({ source }, runs);
  const site = kernels.findLast(kernel => kernel.line <= line) ?? kernels[0];
  const read = readKernel(file, site?.entry);
  return read.ok ? runOfSource(read.runnable, runs) : undefined;
}

/** Returns the run of exactly this source; with `specKey`, of one kernel of a file. */
export const runOfSource = (
  { source, specKey }: { readonly source: string; readonly specKey?: string },
  runs: Runs,
): Measurement | undefined =>
  shownRun(newestRuns(runs.filter(isRunOf(source, specKey)), () => true));

/** Returns the run of the current kernels of a spec. */
export const runOfSpec = (spec: GemmSpec, runs: Runs): Measurement | undefined =>
  shownRun(newestOfSpec(spec, runs).filter(({ stale }) => !stale));
