/** Abstracts the host of the WebGPU runner: a webview, a browser page or a Dawn process. */
import { t } from '@vscode/l10n';
import type { MeasuredCeilings, Robustness } from '../core/measure/measurement';
import type { Losses } from './lostDevices';

export interface Remedies {
  readonly noApi: string;
  readonly noAdapter: string;
  /** Remedy for a repeated device loss or an unresponsive GPU. */
  readonly restart: string;
  /** Explains how to enable a WebGPU feature, by feature name. */
  readonly withheld?: Readonly<Partial<Record<string, string>>>;
}

export interface Environment {
  /** `navigator.gpu`, or the object that Dawn's `create` returns. */
  readonly gpu: GPU | undefined;
  /** Returns the time of a monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Calls `action` once after a delay. Returns a function that cancels the call. */
  readonly after: (delayMs: number, action: () => void) => () => void;
  /** Returns whether the page is visible. Always true in a Dawn process. */
  readonly visible: () => boolean;
  /** Calls `listener` when the page is hidden. Returns a function that removes the listener. */
  readonly onHidden: (listener: () => void) => () => void;
  readonly losses: Losses;
  /** Whether memory accesses are bounds-checked. Only Dawn can disable the checks. */
  readonly robustness: Robustness;
  /** Whether experimental features are enabled. Only Dawn supports this option. */
  readonly experimental?: boolean;
  /** Whether the judge examines hand-written and edited kernels. */
  readonly judges?: boolean;
  /** Maximum predicted time of a submit in milliseconds; longer launches are split. */
  readonly submitMs: number;
  /** Name of the host in measurements, such as `webview` or `cli`. */
  readonly where: string;
  readonly advice: Remedies;
  /** Measured ceilings by `ceilingsKey`. A timed run with full effort adds missing ceilings. */
  readonly ceilings: Map<string, MeasuredCeilings>;
}

/**
 * Default of `submitMs` in milliseconds. Windows resets a GPU that does not respond for 2 s, and
 * the display freezes while a kernel runs.
 */
export const SUBMIT_MS = 1000;

export const pageRemedies = (place: 'webview' | 'browser'): Remedies => ({
  ...placeAdvice(place),
  withheld: {
    'shader-f16': t(
      'Browsers do not support this feature on NVIDIA under Linux. Use Dawn: gemm-explorer run --backend webgpu --experimental.',
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
          'Use VS Code 1.123 or later, or a browser with WebGPU. On Linux, start VS Code or the browser with --enable-unsafe-webgpu --enable-features=Vulkan.',
        ),
        noAdapter: t(
          'Update the GPU driver. On Linux, start VS Code with --enable-unsafe-webgpu --enable-features=Vulkan. Enable hardware acceleration (command Preferences: Configure Runtime Arguments). Simulate does not require a GPU.',
        ),
        restart: t('Reload the window (command Developer: Reload Window), then run again.'),
      };

/** Resolves after a delay. A delay of zero yields to the page's painting and message events. */
export const delay = (env: Environment, delayMs: number): Promise<void> =>
  new Promise(resolve => {
    env.after(delayMs, resolve);
  });
