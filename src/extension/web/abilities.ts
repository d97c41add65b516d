/**
 * Abilities in the web extension host: the complete core, and WebGPU in the explorer's page.
 * Processes cannot be started.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { createSimulateBackend } from '../../core/simulate/backend';
import type { Tool } from '../../host/doctor';
import type { Abilities } from '../abilities';
import { unmeasured } from '../toolchain/pageRun';
import { workspaceFiles } from '../workspace/workspaceFiles';

const lacksNvcc = () => ({
  why: t(
    'nvcc requires the desktop extension host: the web extension host cannot start processes.',
  ),
  next: t(
    'Open this folder in desktop VS Code or in a remote window. WebGPU and Simulate work here.',
  ),
});

const tool = (id: string, hint: string): Tool => ({
  id,
  found: false,
  version: null,
  path: null,
  hint,
});

export const webAbilities: Abilities = {
  findNvcc: () => Promise.resolve({ ok: false, ...lacksNvcc() }),
  cudaBackend: () => ({
    id: 'cuda',
    probe: () => Promise.resolve({ available: false, ...lacksNvcc() }),
    run: ({ runnable }) => {
      const { why, next } = lacksNvcc();
      return Promise.resolve(unmeasured(runnable, 'cuda', 'unavailable', `${why} ${next}`));
    },
  }),
  doctor: () => {
    const { why, next } = lacksNvcc();
    const browser = t('The web extension host cannot start local programs.');
    return Promise.resolve([
      tool('nvcc', `${why} ${next}`),
      tool('webgpu', t('Open the explorer to show its WebGPU adapter.')),
      { id: 'vscode', found: true, version: vscode.version, path: null, hint: browser },
    ]);
  },
  checkWgsl: () =>
    Promise.resolve({
      ok: false,
      why: t(
        "The explorer's page checks WGSL if a WebGPU adapter is available. Fix: open the explorer.",
      ),
    }),
  files: workspaceFiles,
  simulate: createSimulateBackend({
    now: () => performance.now(),
    pause: () => new Promise(resolve => setTimeout(resolve, 0)),
  }),
};
