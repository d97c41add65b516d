/** Automatic selection of the kernels in a file and of the backend, for tasks and tests. */
import { t } from '@vscode/l10n';
import type * as vscode from 'vscode';
import { emit } from '../../core/kernel/emit';
import { recoverGenerated } from '../../core/kernel/generatedKernel';
import type { Runnable } from '../../core/kernel/kernel';
import { MAX_PROBLEM_FMAS } from '../../core/simulate/limit';
import { checkAndPlan } from '../../core/defaults/check';
import { isSpec, kernelOf } from '../documents/kernelDocument';
import type { Measurement } from '../../core/measure/measurement';
import { runAndKeep, type RunParts } from './runCommands';
import type { Job, JobWatcher } from './runJob';
import { shownOf, type Shown } from '../documents/shown';
import type { ToolChain } from '../toolchain/toolChain';

export interface Choice {
  readonly runnable: Runnable;
  readonly backend: Job['backend'];
  readonly shown: Shown | undefined;
}

export type Chosen = Choice | { readonly why: string };

/**
 * Returns the kernels of a spec for every legal target, or the kernel `entry` of a kernel file.
 * Returns the reason if there is no such kernel.
 */
function candidates(
  document: vscode.TextDocument,
  entry: string | undefined,
): readonly Runnable[] | string {
  if (!isSpec(document)) {
    const file = kernelOf(document, entry);
    return file.ok ? [file.runnable] : file.reason;
  }
  const read = shownOf(document);
  if (!read.ok) return read.reason;
  const { report, plans } = checkAndPlan(read.shown.spec);
  const { legal, violations } = report;
  const kernels = legal.flatMap(target => {
    const planned = plans[target];
    return planned.ok ? [emit(planned.plan)] : [];
  });
  const [first] = violations;
  return kernels.length === 0 ? `${first?.path ?? ''}: ${first?.message ?? ''}` : kernels;
}

/**
 * Returns a kernel with the backend `wanted`, or the reason why there is none. The default is the
 * first usable backend: CUDA, then WebGPU in the page, then Simulate and the CPU for verification.
 */
export async function selectRunnable(
  document: vscode.TextDocument,
  entry: string | undefined,
  mode: Job['mode'],
  wanted: Job['backend'] | undefined,
  toolChain: ToolChain,
): Promise<Chosen> {
  const found = candidates(document, entry);
  if (typeof found === 'string') return { why: found };
  const read = shownOf(document);
  const shown = read.ok ? read.shown : undefined;
  const cuda = found.find(({ target }) => target === 'cuda');
  const wgsl = found.find(({ target }) => target === 'wgsl');
  const small = found.find(canSimulate);
  const give = (runnable: Runnable | undefined, backend: Job['backend'], why: string): Chosen =>
    runnable === undefined ? { why } : { runnable, backend, shown };
  const noCuda = t('The file has no kernel that is legal for CUDA.');
  const noWgsl = t('The file has no kernel that is legal for WGSL.');
  const noSimulate = t(
    'Simulate supports only generated kernels of at most {0} FMAs.',
    MAX_PROBLEM_FMAS,
  );
  if (wanted === 'cuda' || wanted === 'cpu') return give(cuda, wanted, noCuda);
  if (wanted === 'webgpu') return give(wgsl, 'webgpu', noWgsl);
  if (wanted === 'simulate') return give(small, 'simulate', noSimulate);
  const host = cuda === undefined ? undefined : await toolChain.probeCuda();
  if (host?.available === true) return give(cuda, 'cuda', noCuda);
  if (wgsl !== undefined) return give(wgsl, 'webgpu', noWgsl);
  if (mode === 'verify' && small !== undefined) return give(small, 'simulate', noSimulate);
  if (mode === 'verify' && cuda !== undefined && toolChain.hasCpu())
    return give(cuda, 'cpu', noCuda);
  const missing = host === undefined ? noCuda : `${host.why} ${host.next}`;
  return { why: mode === 'verify' ? `${missing} ${noSimulate}` : missing };
}

export function canSimulate(runnable: Runnable): boolean {
  const { m, n, k } = runnable.problem;
  return m * n * k <= MAX_PROBLEM_FMAS && recoverGenerated(runnable) !== null;
}

/**
 * Runs the selected kernel. A verification falls back to Simulate if the backend is unavailable,
 * `mayReplace` is true and Simulate supports the kernel.
 */
export async function runChosen(
  { runnable, backend, shown }: Choice,
  mode: Job['mode'],
  uri: vscode.Uri,
  parts: RunParts,
  watcher: JobWatcher & { readonly mayReplace: boolean },
): Promise<Measurement> {
  const job = { runnable, backend, mode, shown };
  const measurement = await runAndKeep(job, uri, parts, watcher);
  const missing = measurement.outcome === 'unavailable' && watcher.mayReplace;
  if (!missing || mode !== 'verify' || !canSimulate(runnable)) return measurement;
  const why = measurement.message ?? '';
  watcher.report({ stage: t('{0} Verifying with Simulate instead.', why) });
  return await runAndKeep({ ...job, backend: 'simulate' }, uri, parts, watcher);
}
