/** *Measure ceilings*: measures the ceilings of the GPU for later runs and for the roofline. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Abilities } from '../abilities';
import {
  showErrorMessage,
  showInformationMessage,
  showProgress,
  showWarningMessage,
} from '../display/notify';
import { COMMANDS } from '../ids';
import { digits } from './runText';
import { progressText } from './runJob';
import type { ToolChain } from '../toolchain/toolChain';

export async function measureCeilings(
  { measureCeilings: measure }: Abilities,
  toolChain: ToolChain,
  log: vscode.LogOutputChannel,
): Promise<void> {
  const cuda = await toolChain.probeCuda();
  if (!cuda.available || measure === undefined) {
    const lacks = cuda.available ? '' : `${cuda.why} ${cuda.next}`;
    await offerWebgpu(t('CUDA ceilings cannot be measured here. {0}', lacks));
    return;
  }
  const options = {
    location: vscode.ProgressLocation.Notification,
    cancellable: true,
    title: t('Measuring ceilings of {0}', cuda.device.name),
  };
  const found = await showProgress(options, (progress, token) => {
    const controller = new AbortController();
    token.onCancellationRequested(() => {
      controller.abort();
    });
    return measure({
      abort: controller.signal,
      progress: step => {
        progress.report({ message: progressText(step) });
      },
    });
  });
  if (!found.ok) {
    log.warn(found.message);
    if (found.outcome !== 'cancelled') void showErrorMessage(found.message);
    return;
  }
  const { ceilings, ready, note } = found;
  for (const { id, value, unit } of ceilings.list) log.info(`${id}: ${value} ${unit}`);
  if (note !== undefined) void showWarningMessage(note);
  const text = ceilings.list
    .filter(({ id }) => id === 'fma.f32' || id === 'dram')
    .map(({ id, value, unit }) => `${id} ${digits(value)} ${unit}`)
    .join(', ');
  void showInformationMessage(
    t('{0} reaches {1}. The log lists all ceilings.', ready.device.name, text),
  );
}

/**
 * Suggests a WebGPU benchmark. The first timed run on an adapter measures the ceilings of that
 * adapter.
 */
async function offerWebgpu(message: string): Promise<void> {
  const open = t('Open explorer');
  const why = t('Benchmark a WGSL kernel to measure the ceilings of your WebGPU adapter.');
  if ((await showWarningMessage(`${message} ${why}`, open)) === open) {
    await vscode.commands.executeCommand(COMMANDS.openExplorer);
  }
}
