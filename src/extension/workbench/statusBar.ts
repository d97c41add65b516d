/** One item while a kernel, a spec or the explorer is in front, or while something runs. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Measurement } from '../../core/measure/measurement';
import type { Target } from '../../core/spec/schema';
import { COMMANDS, EXPLORER_VIEW, type CommandId } from '../ids';
import { isKernel, isSpec, nameOf } from '../kernelDocument';
import { progressText, type JobRunner, type RunningJob } from '../runJob';
import { escapeMarkdown, whereText } from '../runs/runText';
import { resultText } from '../resultText';
import type { ToolChain } from '../toolChain';
import { statusText, type StatusInput } from './statusText';

/** Opening a file starts no program at once: whoever leafs through files is not slowed down. */
const PROBE_MS = 1500;

export interface StatusParts {
  readonly jobs: JobRunner;
  readonly toolChain: ToolChain;
}

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'gemm.status',
    vscode.StatusBarAlignment.Left,
  );
  private running: RunningJob | undefined;
  private last: Measurement | undefined;
  private adapter: string | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly subscriptions: readonly vscode.Disposable[];

  constructor(private readonly parts: StatusParts) {
    const { jobs, toolChain } = parts;
    const update = (): void => {
      this.update();
    };
    this.item.name = 'GEMM Explorer';
    this.item.command = COMMANDS.showActions;
    this.subscriptions = [
      vscode.window.onDidChangeActiveTextEditor(update),
      vscode.window.tabGroups.onDidChangeTabs(update),
      toolChain.onDidChange(update),
      jobs.onDidProgress(running => {
        this.running = running;
        this.update();
      }),
      jobs.onDidEnd(measurement => {
        this.last = measurement;
        const { backend, device, outcome } = measurement;
        const ran = outcome !== 'unavailable' && outcome !== 'cancelled';
        if (backend === 'webgpu' && ran) this.adapter = device.name;
        this.update();
      }),
    ];
    this.update();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.item.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  isRunning(): boolean {
    return this.running !== undefined;
  }

  private update(): void {
    const document = vscode.window.activeTextEditor?.document;
    const ours = document !== undefined && (isKernel(document) || isSpec(document));
    if (!ours && !explorerInFront() && this.running === undefined) {
      this.item.hide();
      return;
    }
    const target = document !== undefined && isKernel(document) ? targetOf(document) : null;
    if (target !== 'wgsl') this.probeSoon();
    const { toolChain } = this.parts;
    const cuda = toolChain.backends().find(({ id }) => id === 'cuda');
    const { running } = this;
    const input: StatusInput = {
      ...{ target, adapter: this.adapter, last: this.last ?? null },
      cuda: toolChain.wasProbed() ? (cuda ?? null) : null,
      running:
        running === undefined
          ? null
          : { backend: running.job.backend, text: progressText(running.progress) },
    };
    this.item.text = statusText(input);
    this.item.tooltip = this.tooltip(input);
    this.item.show();
  }

  private probeSoon(): void {
    const { toolChain } = this.parts;
    if (!vscode.workspace.isTrusted || toolChain.wasProbed()) return;
    this.timer ??= setTimeout(() => void toolChain.probeCuda(), PROBE_MS);
  }

  private tooltip({ cuda, running }: StatusInput): vscode.MarkdownString {
    const { last } = this;
    const lines = [
      cuda === null ? t('CUDA: not looked for yet.') : t('CUDA: {0}', cuda.note),
      this.adapter === null
        ? t('WebGPU: the GPU of the computer that shows this window.')
        : t('WebGPU: {0}, of the computer that shows this window.', this.adapter),
      t('Simulate: runs anywhere, small sizes.'),
      ...(last === undefined ? [] : [t('Last: {0} ({1})', resultText(last), whereText(last))]),
      running === null ? t('Click for actions.') : t('Click to cancel or to show the run.'),
    ];
    return new vscode.MarkdownString(lines.map(escapeMarkdown).join('\n\n'));
  }
}

const targetOf = (document: vscode.TextDocument): Target =>
  nameOf(document).toLowerCase().endsWith('.wgsl') ? 'wgsl' : 'cuda';

const explorerInFront = (): boolean =>
  vscode.window.tabGroups.all.some(({ activeTab }) => {
    const input: unknown = activeTab?.input;
    return input instanceof vscode.TabInputWebview && input.viewType.endsWith(EXPLORER_VIEW);
  });

/** What the item offers when it is clicked. */
export async function showActions(running: boolean, cancel: () => void): Promise<void> {
  const command = (icon: string, label: string, id: CommandId) => ({
    label: `$(${icon}) ${label}`,
    act: async (): Promise<void> => {
      await vscode.commands.executeCommand(id);
    },
  });
  const stop = {
    label: `$(debug-stop) ${t('Cancel the run')}`,
    act: (): Promise<void> => {
      cancel();
      return Promise.resolve();
    },
  };
  const picked = await vscode.window.showQuickPick(
    [
      ...(running ? [stop] : []),
      command('play', t('Run and verify'), COMMANDS.runAndVerify),
      command('dashboard', t('Benchmark'), COMMANDS.benchmark),
      command('rocket', t('Tune'), COMMANDS.tune),
      command('settings', t('Open explorer'), COMMANDS.openExplorer),
      command('graph-line', t('Show roofline'), COMMANDS.showRoofline),
      command('diff', t('Compare runs'), COMMANDS.compareRuns),
      command('tools', t('Check tool chain'), COMMANDS.checkToolChain),
      command('book', t('Open walkthrough'), COMMANDS.openWalkthrough),
    ],
    { title: 'GEMM Explorer', placeHolder: t('What to do') },
  );
  await picked?.act();
}
