/**
 * Tools and backends of the extension host. The search for tools runs on request and is cached;
 * Restricted Mode never searches.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Availability, Backend } from '../../core/measure/backend';
import type { ToWebview } from '../../protocol';
import type { Abilities, FoundCompiler } from '../abilities';
import type { Dawn, DawnAction } from './dawn';
import { icon, icons } from '../display/iconLabel';
import { showProgress } from '../display/notify';
import { showQuickPick, type PickItem } from '../display/picks';
import { unmeasured } from './pageRun';
import type { Guard } from '../trust/guard';

type BackendRows = Extract<ToWebview, { type: 'show' }>['backends'];

const NO_CPU = {
  available: false,
  why: 'No C++ compiler can be started here.',
  next: 'Use Simulate, or open the folder in desktop VS Code on Linux.',
} as const;

export class ToolChain implements vscode.Disposable {
  private nvccFound: Promise<FoundCompiler> | undefined;
  private build: string | undefined;
  private probed = false;
  private cudaFound: Promise<Availability> | undefined;
  private cuda: BackendRows[number] = {
    id: 'cuda',
    available: false,
    note: t('Not checked yet.'),
  };
  private cpuFound: Promise<Availability> | undefined;
  private cpu: BackendRows[number] = {
    id: 'cpu',
    available: false,
    note: t('Not checked yet.'),
  };
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscription: vscode.Disposable;
  readonly onDidChange = this.changed.event;
  readonly simulate: Backend;
  readonly noCpu: Backend = {
    id: 'cpu',
    probe: () => Promise.resolve(NO_CPU),
    run: ({ runnable }) =>
      Promise.resolve(unmeasured(runnable, 'cpu', 'unavailable', `${NO_CPU.why} ${NO_CPU.next}`)),
  };

  constructor(readonly abilities: Abilities) {
    this.simulate = abilities.simulate;
    this.subscription = vscode.workspace.onDidChangeConfiguration(event => {
      if (['gemm.nvcc', 'gemm.cuda'].some(name => event.affectsConfiguration(name))) this.forget();
    });
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  forget(): void {
    this.nvccFound = undefined;
    this.cudaFound = undefined;
    this.cpuFound = undefined;
  }

  /** Returns the build of the nvcc in use, such as `13.0.88`; undefined until nvcc is found. */
  nvccBuild(): string | undefined {
    return this.build;
  }

  nvcc(): Promise<FoundCompiler> {
    this.nvccFound ??= this.abilities.findNvcc().then(found => {
      this.build = found.ok ? found.compiler.build : undefined;
      return found;
    });
    return this.nvccFound;
  }

  wasProbed(): boolean {
    return this.probed;
  }

  /**
   * Returns whether CUDA kernels run here, or the reason and the remedy. Starts processes, so it
   * requires a trusted workspace.
   */
  async probeCuda(): Promise<Availability> {
    this.cudaFound ??= this.abilities.cudaBackend().probe();
    const [answer, cpu] = await Promise.all([this.cudaFound, this.probeCpu(), this.nvcc()]);
    const note = answer.available ? onMachine(answer.device.name) : `${answer.why} ${answer.next}`;
    const changed = note !== this.cuda.note || cpu !== this.cpu.note || !this.probed;
    this.probed = true;
    this.cuda = { id: 'cuda', available: answer.available, note };
    this.cpu = { id: 'cpu', available: (await this.cpuFound)?.available === true, note: cpu };
    if (changed) this.changed.fire();
    return answer;
  }

  /**
   * Returns false if CUDA kernels do not run here. Returns true in Restricted Mode, which does not
   * start the processes of a probe.
   */
  async mayHaveCuda(): Promise<boolean> {
    return !vscode.workspace.isTrusted || (await this.probeCuda()).available;
  }

  private async probeCpu(): Promise<string> {
    this.cpuFound ??= (this.abilities.cpuBackend?.() ?? this.noCpu).probe();
    const answer = await this.cpuFound;
    return answer.available
      ? t('{0}: verification only, no timing', answer.device.adapter)
      : `${answer.why} ${answer.next}`;
  }

  /** Returns whether CUDA kernels can be verified on the CPU, according to the last probe. */
  hasCpu(): boolean {
    return this.cpu.available;
  }

  /**
   * Returns the current state of the backends without starting processes. The webview adds the
   * webgpu entry.
   */
  backends(): BackendRows {
    const simulate = {
      id: 'simulate',
      available: true,
      note: t('Runs anywhere, small sizes'),
    } as const;
    return [simulate, ...(this.abilities.cpuBackend === undefined ? [] : [this.cpu]), this.cuda];
  }
}

function onMachine(gpu: string): string {
  const { remoteName } = vscode.env;
  if (remoteName === undefined) return gpu;
  return t('{0}, GPU of remote machine {1}', gpu, remoteName);
}

/** Implements *Check toolchain*: lists all tools, with remedies for missing tools. */
export function checkToolchain(
  toolChain: ToolChain,
  guard: Guard,
  log: vscode.LogOutputChannel,
  dawn: Pick<Dawn, 'actions'>,
): Promise<void> {
  return guard(t('Checking the toolchain'), async () => {
    toolChain.forget();
    const [tools, actions] = await showProgress(
      { location: vscode.ProgressLocation.Notification, title: t('Checking toolchain') },
      async () => {
        const { doctor } = toolChain.abilities;
        return await Promise.all([doctor(), dawn.actions(), toolChain.probeCuda()]);
      },
    );
    for (const { id, found, version, path, hint } of tools) {
      log.info(`${id}: ${found ? `${version ?? 'found'}, ${path ?? ''}` : 'not found'}. ${hint}`);
    }
    // The editor does not need the browser tool.
    const shown = tools.filter(({ id }) => id !== 'browser');
    const missing = (id: string): string => (id === 'webgpu' ? 'question' : 'circle-slash');
    const rows = shown.map(tool => ({
      label: icons`${icon(tool.found ? 'check' : missing(tool.id))} ${tool.id}`,
      description: [tool.version, tool.path].filter(Boolean).join('  '),
      detail: tool.hint,
      ...(tool.id === 'nvcc' ? { run: setNvcc } : {}),
    }));
    const picked = await showQuickPick<Partial<DawnAction> & PickItem>([...rows, ...actions], {
      title: t('GEMM: toolchain'),
      placeHolder: t('Installed tools; select nvcc to set its path'),
    });
    await picked?.run?.();
  }).then(() => undefined);
}

async function setNvcc(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', 'gemm.nvcc.path');
}
