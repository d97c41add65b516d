/** Registers *Reproduce a tutorial*. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Markdown } from '../../core/text/markdown';
import type { TutorialCompiler } from '../../core/tutorials/execute';
import { tutorialNamed } from '../../core/tutorials/list';
import { TUTORIAL_NAMES } from '../../core/tutorials/tutorial';
import { showProgress } from '../display/notify';
import { showQuickPick } from '../display/picks';
import { COMMANDS } from '../ids';
import type { Runs } from '../runs/register';
import type { Base, Feature } from '../shared/base';
import { commandsOf } from '../shared/commands';
import { settings } from '../shared/settings';
import type { Toolchain } from '../toolchain/register';
import { reproduced, type TutorialHost } from './reproduce';

export interface TutorialsParts extends Base {
  readonly runs: Pick<Runs, 'queueOf' | 'showBeside'>;
  readonly toolchain: Toolchain;
}

export const registerTutorials = (parts: TutorialsParts): Feature => ({
  subscriptions: [commandsOf(parts)(COMMANDS.reproduceTutorial, () => reproduce(parts))],
});

async function reproduce({ runs, toolchain }: TutorialsParts): Promise<void> {
  const items = TUTORIAL_NAMES.map(tutorialNamed).map(tutorial => ({
    label: tutorial.title,
    detail: tutorial.reproduces,
    tutorial,
  }));
  const picked = await showQuickPick(items, {
    title: t('GEMM: reproduce a tutorial'),
    matchOnDetail: true,
  });
  if (picked === undefined) return;
  const { tutorial } = picked;
  const options = {
    location: vscode.ProgressLocation.Notification,
    cancellable: true,
    title: t('Reproducing: {0}', tutorial.title),
  };
  const text = await showProgress(options, async (progress, token) => {
    const controller = new AbortController();
    token.onCancellationRequested(() => {
      controller.abort();
    });
    const { signal: abort } = controller;
    const { queue, ...host } = await hostOf(toolchain, abort);
    const report = (message: string, increment: number): void => {
      progress.report({ message, increment });
    };
    const work = (): Promise<Markdown | null> => reproduced(tutorial, host, { abort, report });
    const waiting = (): void => {
      progress.report({ message: t('Waiting for the previous run') });
    };
    return await (queue === null ? work() : runs.queueOf(queue).run(work, waiting));
  });
  if (text !== null) await runs.showBeside(`${tutorial.title}.md`, text);
}

/**
 * Selects the backend: cuda if it is available, otherwise simulate. Restricted Mode does not run or
 * compile kernels. `queue` is the device whose runs must not overlap.
 */
async function hostOf(
  { toolChain, hostBackend }: Toolchain,
  signal: AbortSignal,
): Promise<TutorialHost & { readonly queue: string | null }> {
  if (!vscode.workspace.isTrusted) {
    const missing = t(
      'Restricted Mode does not run or compile kernels, so this report contains predicted rates.',
    );
    const findCompiler = () => Promise.resolve({ missing });
    return { backend: { missing }, untimed: null, findCompiler, queue: null };
  }
  const findCompiler = async (): Promise<TutorialCompiler | { readonly missing: string }> => {
    const found = await toolChain.nvcc();
    if (!found.ok) return { missing: `${found.why} ${found.next}` };
    const { compiler } = found;
    return {
      inspect: compiler.inspect,
      compile: ({ source }, arch) =>
        compiler.ptx(source, { arch, signal, timeoutMs: settings.compileTimeoutMs() }),
    };
  };
  const cuda = await toolChain.probeCuda();
  if (cuda.available) {
    const queue = `GPU ${settings.cudaDevice()}`;
    return { backend: hostBackend('cuda'), untimed: null, findCompiler, queue };
  }
  const untimed = t(
    'CUDA is not available, so this report contains predicted rates. {0} {1}',
    cuda.why,
    cuda.next,
  );
  return { backend: hostBackend('simulate'), untimed, findCompiler, queue: 'processor' };
}
