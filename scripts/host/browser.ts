/** Starts a headless browser for the workbench, with a given profile and optional WebGPU. */

import { existsSync } from 'node:fs';
import { chromium, type BrowserContext } from 'playwright-core';
import { TIMEOUT_MS } from './until';

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
  readonly webgpu: 'on' | 'off';
}

export async function openBrowser(options: BrowserOptions): Promise<BrowserContext> {
  const { width, height } = options;
  const context = await chromium.launchPersistentContext(options.profile, {
    executablePath: options.executable,
    headless: true,
    args: options.webgpu === 'on' ? browserFlags() : QUIET,
    viewport: { width, height },
    permissions: ['clipboard-read', 'clipboard-write'],
    // `onInterrupt` closes the browser before the server, so Playwright must not handle signals.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  return context;
}

/**
 * Returns the flags that enable WebGPU, which is disabled by default on Linux, and SwiftShader on
 * machines without a GPU.
 */
export const browserFlags = (): string[] => [
  ...QUIET,
  '--enable-unsafe-webgpu',
  hasGpu() ? '--enable-features=Vulkan' : '--use-webgpu-adapter=swiftshader',
];

/** GEMM_SOFTWARE_GPU=1 selects SwiftShader even if the machine has a GPU. */
const hasGpu = (): boolean => process.env['GEMM_SOFTWARE_GPU'] !== '1' && hasGpuDevice();

const hasGpuDevice = (): boolean =>
  process.platform !== 'linux' || existsSync('/dev/nvidia0') || existsSync('/dev/dri');
