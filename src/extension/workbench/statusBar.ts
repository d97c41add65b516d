/**
 * Status bar item, shown while a kernel, a spec or the explorer is active, or while a run is in
 * progress. It never starts a process.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { joined, type Markdown } from '../../core/text/markdown';
import type { Measurement } from '../../core/measure/measurement';
import type { Target } from '../../core/spec/schema';
import { icon, icons } from '../display/iconLabel';
import { showQuickPick } from '../display/picks';
import { createStatusItem } from '../display/statusItem';
import { COMMANDS, EXPLORER_VIEW, type CommandId } from '../ids';
import { isKernel, isSpec, kernelTextOf, nameOf } from '../documents/kernelDocument';
import { isTooLong } from '../documents/selectors';
import { activeRun, type ActiveParts } from './activeRun';
import { progressText, type JobRunner, type RunningJob } from '../runs/runJob';
import { whereText } from '../runs/runText';
import { resultText } from '../runs/resultText';
import type { ToolChain } from '../toolchain/toolChain';
import { statusText, type StatusInput } from './statusText';

/** Delay in milliseconds between the last edit and the update of the newest run. */
const SETTLE_MS = 300;

export interface StatusParts extends ActiveParts {
  readonly jobs: JobRunner;
  readonly toolChain: ToolChain;
  readonly onDidChangeRuns: vscode.Event<void>;
}

export class StatusBar implements vscode.Disposable {
  private readonly item = createStatusItem({
    id: 'gemm.status',
    name: 'GEMM Explorer',
    command: COMMANDS.showActions,
  });
  private running: RunningJob | undefined;
  private last: Measurement | undefined;
  private adapter: string | null = null;
  private settling: ReturnType<typeof setTimeout> | undefined;
  private readonly subscriptions: readonly vscode.Disposable[];

  constructor(private readonly parts: StatusParts) {
    const { jobs, toolChain, onDidChangeRuns } = parts;
    const update = (): void => {
      this.update();
    };
    const refreshRun = (): void => {
      const line = vscode.window.activeTextEditor?.selection.active.line ?? 0;
      this.last = activeRun(activeDocument(), line, parts);
      this.update();
    };
    const refreshLater = (document: vscode.TextDocument): void => {
      if (document !== activeDocument()) return;
      clearTimeout(this.settling);
      this.settling = setTimeout(refreshRun, SETTLE_MS);
    };
    this.subscriptions = [
      vscode.window.onDidChangeActiveTextEditor(refreshRun),
      vscode.window.tabGroups.onDidChangeTabs(refreshRun),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        refreshLater(document);
      }),
      // The cursor selects the kernel in a file of several kernels.
      vscode.window.onDidChangeTextEditorSelection(({ textEditor: { document } }) => {
        if (!isKernel(document) || isTooLong(document)) return;
        if (kernelTextOf(document).kernels.length > 1) refreshLater(document);
      }),
      toolChain.onDidChange(update),
      onDidChangeRuns(refreshRun),
      jobs.onDidProgress(running => {
        this.running = running;
        this.update();
      }),
      jobs.onDidEnd(measurement => {
        const { backend, device, outcome } = measurement;
        const ran = outcome !== 'unavailable' && outcome !== 'cancelled';
        if (backend === 'webgpu' && ran) this.adapter = device.name;
        this.update();
      }),
    ];
    this.update();
  }

  dispose(): void {
    clearTimeout(this.settling);
    this.item.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  isRunning(): boolean {
    return this.running !== undefined;
  }

  private update(): void {
    const document = activeDocument();
    if (document === undefined && !explorerInFront() && this.running === undefined) {
      this.item.hide();
      return;
    }
    const target = document !== undefined && isKernel(document) ? targetOf(document) : null;
    const { toolChain } = this.parts;
    const cuda = toolChain.backends().find(({ id }) => id === 'cuda');
    const { running } = this;
    const input: StatusInput = {
      target,
      adapter: this.adapter,
      last: this.last ?? null,
      cuda: toolChain.wasProbed() ? (cuda ?? null) : null,
      running:
        running === undefined
          ? null
          : { backend: running.job.backend, text: progressText(running.progress) },
    };
    this.item.show(statusText(input), this.tooltip(input));
  }

  private tooltip({ cuda, running, last }: StatusInput): Markdown {
    const lines = [
      cuda === null ? t('CUDA: not checked yet.') : t('CUDA: {0}', cuda.note),
      this.adapter === null
        ? t('WebGPU: GPU of the computer that shows this window.')
        : t('WebGPU: {0}, on the computer that shows this window.', this.adapter),
      t('Simulate: available on every computer, for small problems only.'),
      ...(last === null ? [] : [t('Newest run: {0} ({1})', resultText(last), whereText(last))]),
      running === null ? t('Click for actions.') : t('Click for actions, including Cancel run.'),
    ];
    return joined(lines, '\n\n');
  }
}

function activeDocument(): vscode.TextDocument | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document !== undefined && (isKernel(document) || isSpec(document)) ? document : undefined;
}

const targetOf = (document: vscode.TextDocument): Target =>
  nameOf(document).toLowerCase().endsWith('.wgsl') ? 'wgsl' : 'cuda';

const explorerInFront = (): boolean =>
  vscode.window.tabGroups.all.some(({ activeTab }) => {
    const input: unknown = activeTab?.input;
    return input instanceof vscode.TabInputWebview && input.viewType.endsWith(EXPLORER_VIEW);
  });

export async function showActions(running: boolean, cancel: () => void): Promise<void> {
  const command = (name: string, label: string, id: CommandId) => ({
    label: icons`${icon(name)} ${label}`,
    act: async (): Promise<void> => {
      await vscode.commands.executeCommand(id);
    },
  });
  const stop = {
    label: icons`$(debug-stop) ${t('Cancel run')}`,
    act: (): Promise<void> => {
      cancel();
      return Promise.resolve();
    },
  };
  const picked = await showQuickPick(
    [
      ...(running ? [stop] : []),
      command('play', t('Run and verify'), COMMANDS.runAndVerify),
      command('dashboard', t('Benchmark'), COMMANDS.benchmark),
      command('rocket', t('Tune'), COMMANDS.tune),
      command('settings', t('Open explorer'), COMMANDS.openExplorer),
      command('graph-line', t('Show roofline'), COMMANDS.showRoofline),
      command('diff', t('Compare runs'), COMMANDS.compareRuns),
      command('tools', t('Check toolchain'), COMMANDS.checkToolChain),
      command('book', t('Open walkthrough'), COMMANDS.openWalkthrough),
    ],
    { title: 'GEMM Explorer', placeHolder: t('Select an action') },
  );
  await picked?.act();
}
