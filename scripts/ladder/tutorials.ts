/** Rates of the five tutorials next to the recorded rates of the same kernels on the H200. */
import type { Measurement } from '../../src/core/measure/measurement';
import { predictedDevice, tutorialNamed } from '../../src/core/tutorials/list';
import { tutorialReport } from '../../src/core/tutorials/report';
import { plannedRuns } from '../../src/core/tutorials/runs';
import { reportTables } from '../../src/core/tutorials/tables';
import { TUTORIAL_NAMES, type Tutorial } from '../../src/core/tutorials/tutorial';
import { table } from '../sections';
import type { Recorded } from './recorded';
import { runOf } from './runs';

export const tutorials = (cuda: Recorded): string =>
  TUTORIAL_NAMES.map(name => section(tutorialNamed(name), cuda)).join('\n\n');

function section(tutorial: Tutorial, cuda: Recorded): string {
  const { name, title, reproduces } = tutorial;
  const text = `### ${title}\n\n${reproduces}: \`gemm-explorer seed ${name}\`.`;
  if (tutorial.sizes.length === 0) return text;
  const sizes = [...new Set([...tutorial.sizes, ...cuda.sizes])].sort((a, b) => a - b);
  const report = tutorialReport(tutorial, {
    device: predictedDevice(tutorial),
    sizes,
    runs: recordedRuns(tutorial, sizes, cuda.source.results),
    compiled: new Map(),
    notCompiled: null,
  });
  const rates = reportTables(report).at(-1);
  return rates === undefined ? text : `${text}\n\n${table(rates.head, rates.rows)}`;
}

/** Returns the recorded run of each timed kernel, by run key. */
function recordedRuns(
  tutorial: Tutorial,
  sizes: readonly number[],
  results: readonly Measurement[],
): ReadonlyMap<string, Measurement> {
  const planned = plannedRuns(tutorial, { backend: 'cuda', device: 'h200', sizes });
  return new Map(
    planned.flatMap(({ key, mode, made }) => {
      const run = mode === 'time' && made.ok ? runOf(made.kernel.spec, results) : undefined;
      return run === undefined ? [] : [[key, run] as const];
    }),
  );
}
