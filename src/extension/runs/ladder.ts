/** *Run ladder*: runs one problem on every legal rung and shows the speedup per rung. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { isDeviceId } from '../../core/hardware/devices';
import { smaller } from '../../core/simulate/smaller';
import { fitRungs, stepsOf, type RungFit } from '../../core/search/ladder/ladderSteps';
import { ladderMarkdown } from '../../core/search/ladder/markdown';
import type { Markdown } from '../../core/text/markdown';
import type { Measurement } from '../../core/measure/measurement';
import { resolve } from '../../core/defaults/resolve';
import { chartTheme } from '../display/chartTheme';
import { showInformationMessage, showProgress, showWarningMessage } from '../display/notify';
import { showQuickPick } from '../display/picks';
import { isKernel, isSpec } from '../documents/kernelDocument';
import { runAndKeep, type RunParts } from './runCommands';
import type { Job } from './runJob';
import { settings } from '../shared/settings';
import { shownOf, type Shown } from '../documents/shown';

export type ShowText = (name: string, text: Markdown) => Promise<void>;

export async function runLadder(parts: RunParts, show: ShowText): Promise<void> {
  const shown = subject(parts);
  if (shown === undefined) {
    void showInformationMessage(
      t(
        'Open a *.gemm.json file, a generated kernel or the explorer to select the problem of the ladder.',
      ),
    );
    return;
  }
  const backend = await promptBackend(parts);
  if (backend === undefined) return;
  const spec = backend === 'simulate' ? smaller(shown.spec) : shown.spec;
  const subjectShown = { ...shown, spec };
  const holds =
    backend === 'webgpu'
      ? fitRungs(spec, 'wgsl', await parts.adapterRoom(subjectShown))
      : fitRungs(spec, 'cuda');
  const runs = await runRungs(holds, backend, subjectShown, parts);
  if (runs.size === 0) return;
  const resolved = resolve(spec);
  const device = isDeviceId(resolved.device) ? resolved.device : settings.device();
  const { m, n, k, a } = resolved.problem;
  const title = t('Ladder of {0} x {1} x {2}, {3}, on {4}', m, n, k, a.dtype, backend);
  const steps = stepsOf(holds, runs, device);
  await show(`${title}.md`, ladderMarkdown(steps, { title, theme: chartTheme() }));
}

function subject(parts: RunParts): Shown | undefined {
  const document = vscode.window.activeTextEditor?.document;
  const from =
    document !== undefined && (isSpec(document) || isKernel(document))
      ? shownOf(document)
      : undefined;
  return from?.ok === true ? from.shown : parts.shown();
}

async function promptBackend({ toolChain }: RunParts): Promise<Job['backend'] | undefined> {
  const items = [
    { label: 'CUDA', description: t('verify and time every rung'), backend: 'cuda' as const },
    { label: 'WebGPU', description: t('verify and time every rung'), backend: 'webgpu' as const },
    {
      label: t('Simulate'),
      backend: 'simulate' as const,
      description: t('without a GPU: verify every rung at a small size'),
    },
  ];
  const picked = await showQuickPick(items, {
    title: t('GEMM: run ladder on'),
  });
  if (picked?.backend !== 'cuda') return picked?.backend;
  const cuda = await toolChain.probeCuda();
  if (cuda.available) return 'cuda';
  void showWarningMessage(t('CUDA is not available. {0} {1}', cuda.why, cuda.next));
  return undefined;
}

/**
 * Runs the legal rungs and returns the measurements by rung number. Stops after a cancellation or
 * if the backend is unavailable.
 */
function runRungs(
  holds: readonly RungFit[],
  backend: Job['backend'],
  shown: Shown,
  parts: RunParts,
): Thenable<ReadonlyMap<number, Measurement>> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    cancellable: true,
    title: t('Running the ladder on {0}', backend),
  };
  const mode = backend === 'simulate' ? 'verify' : 'time';
  const series = { kind: 'ladder', id: crypto.randomUUID() } as const;
  return showProgress(options, async (progress, token) => {
    const runs = new Map<number, Measurement>();
    const controller = new AbortController();
    token.onCancellationRequested(() => {
      controller.abort();
    });
    for (const hold of holds) {
      if (controller.signal.aborted) break;
      const { number, rung } = hold;
      const increment = 100 / holds.length;
      const message = t('{0} of {1}: {2}', number, holds.length, rung.algorithm);
      progress.report({ message, increment });
      if (!hold.ok) continue;
      const watcher = {
        signal: controller.signal,
        report: ({ stage }: { readonly stage: string }) => {
          progress.report({ message: `${message}, ${stage}` });
        },
      };
      const job: Job = { runnable: hold.kernel, backend, mode, shown, series };
      const measurement = await runAndKeep(job, shown.specFile, parts, watcher);
      if (measurement.outcome === 'cancelled') break;
      runs.set(number, measurement);
      if (measurement.outcome === 'unavailable') break;
    }
    return runs;
  });
}
