/** Environment of the runner: a webview, a browser page or a Dawn process. */
import { t } from '@vscode/l10n';
import type { MeasuredCeilings, Robustness } from '../core/measure/measurement';
import type { Losses } from './lostDevices';

/** Remedies for a missing or lost adapter; they differ between a webview and a process. */
export interface Remedies {
  /** WebGPU is not available. */
  readonly noApi: string;
  /** WebGPU is available but offers no adapter. */
  readonly noAdapter: string;
  /** The GPU was lost twice, or an earlier kernel may occupy it. */
  readonly restart: string;
  /** Per WebGPU feature, a sentence that explains how to enable it. */
  readonly withheld?: Readonly<Partial<Record<string, string>>>;
}

export interface Environment {
  /** `navigator.gpu`, or the result of Dawn's `create`. */
  readonly gpu: GPU | undefined;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Calls `action` once after a delay; returns a function that cancels it. */
  readonly after: (delayMs: number, action: () => void) => () => void;
  /** Whether the page is visible; always true for a process. */
  readonly visible: () => boolean;
  /** Calls `listener` when the page is hidden; returns a function that removes it. */
  readonly onHidden: (listener: () => void) => () => void;
  readonly losses: Losses;
  /** Whether accesses are bounds-checked: only Dawn can disable the checks. */
  readonly robustness: Robustness;
  /** Whether experimental features are enabled: only Dawn supports this. */
  readonly experimental?: boolean;
  /** Maximum predicted time of a submit; longer launches are split. */
  readonly submitMs: number;
  /** Host, recorded in measurements: `webview`, `cli`, `extension host`. */
  readonly where: string;
  readonly advice: Remedies;
  /** Ceilings measured earlier, by `ceilingsKey`; a timed run adds missing ceilings. */
  readonly ceilings: Map<string, MeasuredCeilings>;
}

/**
 * Windows resets a GPU that does not respond for 2 s, and the screen of the same GPU freezes in the
 * meantime.
 */
export const SUBMIT_MS = 1000;

/** Returns the advice for a page in VS Code's webview, or in a browser that VS Code opened. */
export const pageRemedies = (place: 'webview' | 'browser'): Remedies => ({
  ...placeAdvice(place),
  withheld: {
    'shader-f16': t(
      'Browsers do not offer it on NVIDIA under Linux. Dawn does: gemm-explorer run --backend webgpu --experimental.',
    ),
    'chromium-experimental-subgroup-matrix': t(
      'Start Chromium or VS Code with --enable-unsafe-webgpu, or use Dawn: gemm-explorer run --backend webgpu --experimental. The driver must support cooperative matrices.',
    ),
  },
});

const placeAdvice = (place: 'webview' | 'browser'): Remedies =>
  place === 'browser'
    ? {
        noApi: t('Use a browser with WebGPU, such as Chrome, Edge or Safari 26.'),
        noAdapter: t(
          'Update the GPU driver. On Linux, start Chromium with --enable-unsafe-webgpu --enable-features=Vulkan. Enable hardware acceleration in the browser’s settings. Simulate does not require a GPU.',
        ),
        restart: t('Reload this page, then run again.'),
      }
    : {
        noApi: t(
          'Use VS Code 1.123 or later, or a browser with WebGPU. On Linux, start it with --enable-unsafe-webgpu --enable-features=Vulkan.',
        ),
        noAdapter: t(
          'Update the GPU driver. On Linux, start VS Code with --enable-unsafe-webgpu --enable-features=Vulkan. Enable hardware acceleration (command Preferences: Configure Runtime Arguments). Simulate does not require a GPU.',
        ),
        restart: t('Reload the window (command Developer: Reload Window), then run again.'),
      };

/** Resolves after a delay. Zero lets the page paint and messages arrive. */
export const delay = (env: Environment, delayMs: number): Promise<void> =>
  new Promise(resolve => {
    env.after(delayMs, resolve);
  });
