/** Listing creation: searches for nvcc, compiles with progress and reports errors. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Inspection } from '../../core/profile/listing/inspect';
import type { Listing } from '../../core/profile/listing/instruction';
import type { PlainListing } from '../../core/profile/listing/plainListing';
import { archOf } from '../../core/hardware/computeCapability';
import { deviceOf, findDevice } from '../../core/hardware/devices';
import type { Compiler } from '../toolchain/compileKernel';
import { showErrorMessage, showProgress, showWarningMessage } from '../display/notify';
import { COMMANDS } from '../ids';
import { settings } from '../shared/settings';
import type { ToolChain } from '../toolchain/toolChain';
import type { Subject } from './subject';

export interface CompileParts {
  readonly toolChain: ToolChain;
  readonly compiler: Compiler;
  readonly onInspected: (inspection: Inspection) => void;
}

export interface MadeListing extends PlainListing {
  readonly arch: string;
  readonly normalised: () => string;
  /** First line of the main loop (zero-based), if the listing has one. */
  readonly start: number | undefined;
}

/**
 * Compiles the source and returns the listing. Returns undefined after a failure, which is shown,
 * or after a cancellation.
 */
export async function compileListing(
  { source, name, device, uri, runnable }: Subject,
  language: Listing['language'],
  parts: CompileParts,
): Promise<MadeListing | undefined> {
  const { computeCapability } = findDevice(device) ?? deviceOf(settings.device());
  if (computeCapability === undefined) {
    const why = t(
      '{0} has no PTX. Fix: choose an NVIDIA device in the spec or the settings.',
      device,
    );
    void showWarningMessage(why);
    return undefined;
  }
  const found = await parts.toolChain.nvcc();
  if (!found.ok) {
    void showMissing(`${found.why} ${found.next}`);
    return undefined;
  }
  const arch = archOf(computeCapability);
  const title =
    language === 'ptx' ? t('Compiling {0} to PTX', name) : t('Disassembling {0} to SASS', name);
  const result = await withProgress(title, signal =>
    found.compiler[language](source, { signal, arch, timeoutMs: settings.compileTimeoutMs() }),
  );
  if (uri !== undefined && (result.ok || result.outcome !== 'cancelled')) {
    parts.compiler.report(uri, result.diagnostics);
  }
  if (!result.ok) {
    if (result.outcome !== 'cancelled') {
      void showErrorMessage(
        language === 'ptx'
          ? t('No PTX: {0} ({1})', result.message, name)
          : t('No SASS: {0} ({1})', result.message, name),
      );
    }
    return undefined;
  }
  const compiler = `nvcc ${found.compiler.build}`;
  parts.compiler.learn(
    source,
    result.kernels.map(kernel => ({ ...kernel, compiler })),
  );
  const { inspect } = found.compiler;
  const listing = { source, listing: result.text, language, compiler, arch, runnable };
  parts.onInspected(await inspect(listing));
  const { text, sources } = result;
  return {
    text,
    sources,
    arch,
    normalised: () => found.compiler.normalised(text, language),
    start: found.compiler.mainLoopLine(text, language),
  };
}

async function showMissing(why: string): Promise<void> {
  const check = t('Check toolchain');
  const text = t('PTX and SASS require nvcc. {0}', why);
  if ((await showWarningMessage(text, check)) === check) {
    await vscode.commands.executeCommand(COMMANDS.checkToolChain);
  }
}

export const withProgress = <T>(
  title: string,
  work: (signal: AbortSignal, stage: (text: string) => void) => Promise<T>,
): Thenable<T> =>
  showProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    (progress, token) => {
      const controller = new AbortController();
      token.onCancellationRequested(() => {
        controller.abort();
      });
      return work(controller.signal, message => {
        progress.report({ message });
      });
    },
  );
