/**
 * *Run and verify* and *Benchmark*: selection of the kernel and the backend, and handling of the
 * result.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { emit } from '../../core/kernel/emit';
import type { Runnable } from '../../core/kernel/kernel';
import type { Measurement } from '../../core/measure/measurement';
import type { GemmSpec, Target } from '../../core/spec/schema';
import { MAX_PROBLEM_FMAS } from '../../core/simulate/limit';
import { smaller } from '../../core/simulate/smaller';
import { check, checkAndPlan } from '../../core/defaults/check';
import type { BrowserPage } from '../explorer/browserPage';
import type { KernelArgument } from '../../hostValues';
import { showErrorMessage, showInformationMessage, showWarningMessage } from '../display/notify';
import { showQuickPick, type PickItem } from '../display/picks';
import { wgslDiagnostics } from '../toolchain/wgslMessages';
import type { Compiler } from '../toolchain/compileKernel';
import { factsOfRun } from '../toolchain/facts';
import { isForeign, isKernel, isSpec, kernelOf } from '../documents/kernelDocument';
import { COMMANDS } from '../ids';
import { offerRepair } from '../specs/offerRepair';
import { reloadHelps, resultText, severityOf } from './resultText';
import type { AdapterLimits } from '../../core/search/ladder/fit';
import type { Job, JobRunner, JobWatcher } from './runJob';
import { followedEntry } from '../documents/ownKernel';
import type { RunStore } from '../history/runStore';
import { shownOf, type Shown } from '../documents/shown';
import type { ToolChain } from '../toolchain/toolChain';
import { writableFolder } from '../workspace/writableFolder';

type Mode = Job['mode'];

export interface RunParts {
  readonly jobs: JobRunner;
  readonly store: RunStore;
  readonly toolChain: ToolChain;
  readonly compiler: Compiler;
  readonly shown: () => Shown | undefined;
  readonly log: vscode.LogOutputChannel;
  /** The page in the user's browser, which may have an adapter if the window has no adapter. */
  readonly browser: Pick<BrowserPage, 'canOpen' | 'open'>;
  readonly adapterRoom: (shown: Shown) => Promise<AdapterLimits | undefined>;
}

export async function runKernel(
  argument: KernelArgument | undefined,
  mode: Mode,
  parts: RunParts,
): Promise<void> {
  const document =
    argument === undefined
      ? vscode.window.activeTextEditor?.document
      : await vscode.workspace.openTextDocument(vscode.Uri.parse(argument.uri, true));
  if (document !== undefined && (isKernel(document) || isForeign(document))) {
    const file = kernelOf(document, argument?.entry);
    if (!file.ok) {
      void showErrorMessage(file.reason);
      return;
    }
    const from = shownOf(document);
    const shown = from.ok ? from.shown : undefined;
    const { runnable } = file;
    const wgsl = shown !== undefined && check(shown.spec).legal.includes('wgsl');
    const way =
      runnable.foreign === undefined
        ? await wayOf(runnable.target, mode, wgsl, parts)
        : await cudaOnly(mode, parts);
    if (way === undefined) return;
    if (way.backend === 'webgpu' && runnable.target === 'cuda' && shown !== undefined) {
      await runShown(shown, way.mode, way.backend, parts);
    } else {
      const followed = followedEntry(document, file);
      await runJob({ ...way, runnable, shown, followed }, document.uri, parts);
    }
    return;
  }
  const read = document !== undefined && isSpec(document) ? shownOf(document) : undefined;
  if (read?.ok === false) {
    void showErrorMessage(read.reason);
    return;
  }
  const shown = read?.shown ?? parts.shown();
  if (shown === undefined) {
    void showInformationMessage(
      t('Open a kernel (.cu, .wgsl), a *.gemm.json file or the explorer first.'),
    );
    return;
  }
  await runShown(shown, mode, undefined, parts);
}

/**
 * Runs a spec on the given or selected backend. Resolves to the reason if no run took place,
 * otherwise null.
 */
export async function runShown(
  shown: Shown,
  mode: Mode,
  wanted: Job['backend'] | undefined,
  parts: RunParts,
): Promise<string | null> {
  const { report, plans } = checkAndPlan(shown.spec);
  const { legal, violations } = report;
  const picked =
    wanted === undefined && legal.length > 0 ? await promptBackend(shown, legal, mode) : undefined;
  if (wanted === undefined && legal.length > 0 && picked === undefined) return nothingChosen();
  if (picked !== undefined && 'spec' in picked) {
    return await runShown({ ...shown, spec: picked.spec }, mode, 'simulate', parts);
  }
  const target = targetFor(wanted, legal) ?? picked?.target;
  const planned = target === undefined ? undefined : plans[target];
  if (target === undefined || planned?.ok !== true) {
    const [first] = planned?.ok === false ? planned.violations : violations;
    if (first === undefined) return nothingChosen();
    const why = t('Nothing was run: the spec is invalid. {0}: {1}', first.path, first.message);
    void offerRepair(why, shown, repaired => runShown(repaired, mode, wanted, parts));
    return why;
  }
  const way =
    wanted === undefined
      ? await wayOf(target, mode, legal.includes('wgsl'), parts)
      : { backend: wanted, mode };
  if (way === undefined) return nothingChosen();
  if (way.backend === 'webgpu' && target === 'cuda') {
    return await runShown(shown, way.mode, way.backend, parts);
  }
  await runJob({ ...way, runnable: emit(planned.plan), shown }, shown.specFile, parts);
  return null;
}

const nothingChosen = (): string => t('Nothing was run: no kernel or backend was selected.');

function targetFor(
  backend: Job['backend'] | undefined,
  legal: readonly Target[],
): Target | undefined {
  if (backend === 'webgpu') return 'wgsl';
  if (backend === 'cuda' || backend === 'cpu') return 'cuda';
  return legal.length === 1 || backend === 'simulate' ? legal[0] : undefined;
}

type Where = { readonly target: Target } | { readonly spec: GemmSpec };

/**
 * Returns the only legal target. If there are several, prompts for a target or, to verify, for
 * Simulate at a supported problem shape; undefined if the prompt is dismissed.
 */
async function promptBackend(
  { spec }: Shown,
  legal: readonly Target[],
  mode: Mode,
): Promise<Where | undefined> {
  const [only] = legal;
  if (legal.length === 1 && only !== undefined) return { target: only };
  const { m, n, k } = spec.problem;
  const fits = m * n * k <= MAX_PROBLEM_FMAS;
  const small = fits ? spec : smaller(spec);
  const { problem } = small;
  const simulate = {
    label: t('Simulate'),
    description: fits
      ? t('interpreted, no GPU')
      : t('no GPU, at {0} x {1} x {2}', problem.m, problem.n, problem.k),
    where: { spec: small },
  };
  const gpus = [
    {
      label: 'WGSL',
      where: { target: 'wgsl' as const },
      description: t('on the GPU of the computer that shows this window'),
    },
    {
      label: 'CUDA',
      where: { target: 'cuda' as const },
      description:
        vscode.env.remoteName === undefined
          ? t("on this computer's GPU")
          : t('on the GPU of remote machine {0}', vscode.env.remoteName),
    },
  ];
  const items: readonly { label: string; description: string; where: Where }[] = [
    ...gpus.filter(({ where }) => legal.includes(where.target)),
    ...(mode === 'verify' && check(small).legal.length > 0 ? [simulate] : []),
  ];
  const picked = await showQuickPick(items, {
    title: t('GEMM: select backend'),
    placeHolder: t('Kernel and backend to run'),
    // The completion of a walkthrough step moves the focus, which would close this picker.
    ignoreFocusOut: true,
  });
  return picked?.where;
}

interface Way {
  readonly backend: Job['backend'];
  readonly mode: Mode;
}

/**
 * Returns WebGPU for WGSL, and CUDA for CUDA kernels. If CUDA is unavailable, prompts for an
 * alternative; undefined if nothing is to run.
 */
async function wayOf(
  target: Target,
  mode: Mode,
  hasWgsl: boolean,
  { toolChain }: RunParts,
): Promise<Way | undefined> {
  if (target === 'wgsl') return { backend: 'webgpu', mode };
  const cuda = await toolChain.probeCuda();
  if (cuda.available) return { backend: 'cuda', mode };
  const wgsl: Alternative = {
    label: mode === 'time' ? t('Benchmark WGSL') : t('Verify WGSL'),
    description: t('same spec, WGSL on WebGPU'),
    way: { backend: 'webgpu', mode },
  };
  const cpu: Alternative = {
    label: t('Verify on CPU'),
    description: t('compiled for the CPU, no timing'),
    way: { backend: 'cpu', mode: 'verify' },
  };
  const simulate: Alternative = {
    label: t('Simulate'),
    description: t('interpreted, small sizes, no timing'),
    way: { backend: 'simulate', mode: 'verify' },
  };
  const setUp: Alternative = { label: t('Check toolchain'), detail: cuda.next };
  const picked = await showQuickPick(
    [...(hasWgsl ? [wgsl] : []), ...(toolChain.hasCpu() ? [cpu] : []), simulate, setUp],
    {
      title: t('CUDA is not available: select another backend'),
      placeHolder: cuda.why,
      ignoreFocusOut: true,
    },
  );
  if (picked === setUp) await vscode.commands.executeCommand(COMMANDS.checkToolChain);
  return picked?.way;
}

/** Returns CUDA. If it is unavailable, reports why and returns undefined. */
async function cudaOnly(mode: Mode, { toolChain }: RunParts): Promise<Way | undefined> {
  const cuda = await toolChain.probeCuda();
  if (cuda.available) return { backend: 'cuda', mode };
  void showErrorMessage(
    t('Compiled kernels and Python functions require CUDA. {0} {1}', cuda.why, cuda.next),
  );
  return undefined;
}

/** Item of the prompt; an item without a way runs nothing. */
interface Alternative extends PickItem {
  readonly way?: Way;
}

export async function runJob(
  job: Job,
  uri: vscode.Uri | undefined,
  parts: RunParts,
): Promise<void> {
  const measurement = await runAndKeep({ ...job, brings: true }, uri, parts);
  // The run has ended, even if its notification stays open.
  void show(measurement, parts).catch((error: unknown) => {
    parts.log.error(String(error));
  });
}

export async function runAndKeep(
  job: Job,
  uri: vscode.Uri | undefined,
  { jobs, store, toolChain, compiler, log }: RunParts,
  watcher?: JobWatcher,
): Promise<Measurement> {
  log.info(`${job.mode} ${job.runnable.specKey} on ${job.backend}`);
  const measurement = await jobs.run(job, watcher);
  log.info(JSON.stringify(measurement));
  if (job.backend === 'cuda') learn(job.runnable, measurement, toolChain, compiler);
  if (job.backend === 'webgpu') {
    compiler.reportText(job.runnable.source, wgslDiagnostics(measurement));
  }
  // Unavailable and cancelled runs have no result to store.
  const ran = measurement.outcome !== 'unavailable' && measurement.outcome !== 'cancelled';
  const { series } = job;
  const stored = series === undefined ? measurement : { ...measurement, series };
  if (ran) await store.add(stored, writableFolder(uri));
  return measurement;
}

function learn(
  runnable: Runnable,
  measurement: Measurement,
  toolChain: ToolChain,
  compiler: Compiler,
): void {
  const build = toolChain.nvccBuild();
  const facts = factsOfRun(runnable, measurement, `nvcc ${build ?? ''}`);
  if (build !== undefined && facts !== undefined) compiler.learn(runnable.source, [facts]);
}

async function show(measurement: Measurement, { browser }: RunParts): Promise<void> {
  const { backend, outcome } = measurement;
  const open = t('Open in browser');
  const reload = t('Reload Window');
  const canOpen = backend === 'webgpu' && outcome === 'unavailable' && browser.canOpen();
  const offered = [...(canOpen ? [open] : []), ...(reloadHelps(measurement) ? [reload] : [])];
  const chosen = await notify(measurement, offered);
  if (chosen === open) await browser.open();
  if (chosen === reload) await vscode.commands.executeCommand('workbench.action.reloadWindow');
}

function notify(run: Measurement, choices: readonly string[]): Thenable<string | undefined> {
  const text = resultText(run);
  switch (severityOf(run)) {
    case 'information':
      return showInformationMessage(text, ...choices);
    case 'warning':
      return showWarningMessage(text, ...choices);
    case 'error':
      return showErrorMessage(text, ...choices);
  }
}
