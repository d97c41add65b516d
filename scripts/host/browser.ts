/** The browser that shows the workbench: headless, a fresh profile, WebGPU on. */

import { existsSync } from 'node:fs';
import { chromium, type BrowserContext } from 'playwright-core';

const QUIET = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface BrowserOptions {
  readonly executable: string;
  readonly profile: string;
  readonly width: number;
  readonly height: number;
}

export function openBrowser(options: BrowserOptions): Promise<BrowserContext> {
  const { width, height } = options;
  return chromium.launchPersistentContext(options.profile, {
    executablePath: options.executable,
    headless: true,
    args: [...QUIET, '--enable-unsafe-webgpu', ...(hasGpu() ? [] : SOFTWARE_GPU)],
    viewport: { width, height },
    permissions: ['clipboard-read', 'clipboard-write'],
    // We stop it ourselves, together with the server.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

/** Without this flag a machine with no GPU has no WebGPU adapter at all. */
const SOFTWARE_GPU = ['--use-webgpu-adapter=swiftshader'];

const hasGpu = (): boolean =>
  process.platform !== 'linux' || existsSync('/dev/nvidia0') || existsSync('/dev/dri');
