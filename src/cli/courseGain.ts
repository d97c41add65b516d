/** `learn measure`: benchmarks the two kernels of the step of a chapter. */
import { randomUUID } from 'node:crypto';
import type { Chapter } from '../core/course/chapter';
import { numberOf } from '../core/course/chapterMarkdown';
import { courseChapters } from '../core/course/chapters/chapters';
import { gainOf, gainSpecs } from '../core/course/gain';
import { runsFileName } from '../core/measure/history';
import { runLine } from '../core/measure/historyLine';
import type { Measurement } from '../core/measure/measurement';
import { appendLines } from '../host/runHistoryFiles';
import { backendOf } from './backends';
import type { Context } from './command';
import { kernelOf } from './kernel';
import { cudaChoice, describe, EXIT_OF, runKernel } from './measure';
import { EXIT, invalidInput, type Result } from './result';

export interface MeasureGain {
  /** Folder whose `.gemm/runs` gets the runs. */
  readonly root: string;
  readonly gpu: string | undefined;
}

/**
 * Verifies and benchmarks the kernels before and after the step with CUDA. Adds both runs to the
 * history of the folder, and returns the predicted and the measured gain. Stops at a kernel that
 * does not run.
 */
export async function measureGain(
  chapter: Chapter,
  { root, gpu }: MeasureGain,
  context: Context,
): Promise<Result> {
  const specs = gainSpecs(chapter);
  if (specs === null) {
    const others = courseChapters().filter(one => gainSpecs(one) !== null);
    throw invalidInput(
      `Chapter ${numberOf(chapter)} compares no kernels. Fix: choose one of the chapters ${others.map(numberOf).join(', ')}.`,
    );
  }
  const backend = backendOf('cuda', cudaChoice('cuda', { gpu }));
  const measurements: Measurement[] = [];
  for (const spec of specs) {
    const runnable = kernelOf({ path: `chapter ${numberOf(chapter)}`, spec }, 'cuda');
    const made = await runKernel(runnable, { mode: 'time' }, { ...context, backend });
    const measurement = { ...made, at: new Date().toISOString() };
    measurements.push(measurement);
    if (made.outcome !== 'correct') {
      const json = { chapter: chapter.id, measurements };
      return { exit: EXIT_OF[made.outcome], json, text: describe(measurement) };
    }
    const line = runLine(randomUUID(), measurement);
    const added = await appendLines(root, runsFileName(measurement.specKey), [line]);
    if ('failed' in added) throw invalidInput(added.failed);
  }
  const gain = gainOf(chapter, measurements);
  return {
    exit: EXIT.yes,
    json: { chapter: chapter.id, gain, measurements },
    text: [gain?.text, gain?.measured].filter(Boolean).join('\n'),
  };
}
