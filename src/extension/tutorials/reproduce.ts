/** Reproduces a tutorial with the backend of this host, as Markdown. Does not use VS Code. */
import { t } from '@vscode/l10n';
import type { Abort, Backend } from '../../core/measure/backend';
import type { Measurement } from '../../core/measure/measurement';
import type { Markdown } from '../../core/text/markdown';
import { compileKernels, executeRuns, type TutorialCompiler } from '../../core/tutorials/execute';
import { predictedDevice } from '../../core/tutorials/list';
import { tutorialMarkdown } from '../../core/tutorials/markdown';
import { tutorialReport } from '../../core/tutorials/report';
import { plannedRuns } from '../../core/tutorials/runs';
import type { Tutorial } from '../../core/tutorials/tutorial';

/** Backend and compiler that may be used; `missing` states why there is none. */
export interface TutorialHost {
  readonly backend: Backend | { readonly missing: string };
  /** Reason why the backend does not time kernels; null if it does. */
  readonly untimed: string | null;
  readonly findCompiler: () => Promise<TutorialCompiler | { readonly missing: string }>;
}

export interface TutorialProgress {
  readonly abort: Abort;
  /** Receives the text of each run, and its share of all runs in percent. */
  readonly report: (message: string, increment: number) => void;
}

/** Resolves to null if the user cancels. */
export async function reproduced(
  tutorial: Tutorial,
  { backend, untimed, findCompiler }: TutorialHost,
  { abort, report }: TutorialProgress,
): Promise<Markdown | null> {
  const device = predictedDevice(tutorial);
  const { sizes } = tutorial;
  // A function, because the value changes during the awaited calls.
  const isCancelled = (): boolean => abort.aborted;
  const runs = 'missing' in backend ? new Map<string, Measurement>() : await run(backend);
  if (isCancelled()) return null;
  const compiled = await compileKernels(tutorial, findCompiler);
  if (isCancelled()) return null;
  const notes = [
    ...('missing' in backend ? [backend.missing] : []),
    ...(untimed === null ? [] : [untimed]),
  ];
  return tutorialMarkdown(tutorialReport(tutorial, { device, sizes, runs, ...compiled }), notes);

  function run(on: Backend): Promise<ReadonlyMap<string, Measurement>> {
    const planned = plannedRuns(tutorial, { backend: on.id, device, sizes });
    return executeRuns(planned, on, {
      abort,
      onRun: ({ text }, index) => {
        report(t('{0} of {1}: {2}', index + 1, planned.length, text), 100 / planned.length);
      },
    });
  }
}
