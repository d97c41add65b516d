/** What the explorer's page asks for. It names no path and no program: only what to do with its spec. */
import * as vscode from 'vscode';
import type { FromWebview } from '../protocol';
import { runShown, type RunParts } from './runCommands';
import type { JobRunner } from './runJob';
import type { Shown } from './shown';
import type { Guard } from './trust';

export interface PageParts {
  readonly guard: Guard;
  readonly jobs: JobRunner;
  readonly log: vscode.LogOutputChannel;
  readonly runParts: RunParts;
  readonly shown: () => Shown | undefined;
  /** Previews in Restricted Mode. */
  readonly generate: () => Promise<void>;
  readonly report: () => Promise<unknown>;
  readonly checkToolChain: () => Promise<void>;
}

export function createPageHandler(parts: PageParts): (message: FromWebview) => void {
  const { guard, jobs, log, runParts, shown } = parts;
  const perform = async (message: FromWebview): Promise<void> => {
    switch (message.type) {
      case 'generate':
        await parts.generate();
        return;
      case 'exportReport':
        await parts.report();
        return;
      case 'run': {
        const { backend, mode } = message;
        const current = shown();
        if (backend === 'cpu' || current === undefined) return;
        await guard('Running a kernel', () => runShown(current, mode, backend, runParts));
        return;
      }
      case 'cancelRun':
        jobs.cancel(message.id);
        return;
      case 'manageTrust':
        await vscode.commands.executeCommand('workbench.trust.manage');
        return;
      case 'checkToolChain':
        await parts.checkToolChain();
        return;
      case 'log':
        log.info(`Explorer: ${message.text}`);
        return;
      // Answered by the explorer and by the run that waits for them.
      case 'ready':
      case 'changeSpec':
      case 'progress':
      case 'measured':
        return;
    }
  };
  return message => {
    perform(message).catch((error: unknown) => {
      log.error(error instanceof Error ? error : String(error));
      void vscode.window.showErrorMessage(`GEMM Explorer: ${String(error)}`);
    });
  };
}
