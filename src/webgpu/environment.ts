/** What the runner needs from the world around it: a webview, a browser page or a Dawn process. */
import { t } from '@vscode/l10n';
import type { MeasuredCeilings, Robustness } from '../core/measure/measurement';
import type { Losses } from './lost';

/** What the reader can do where there is no adapter; it differs between a webview and a process. */
export interface Advice {
  /** There is no WebGPU at all. */
  readonly noApi: string;
  /** WebGPU is there and offers no adapter. */
  readonly noAdapter: string;
  /** The GPU was lost twice, or an earlier kernel may still hold it. */
  readonly restart: string;
  /** By feature of WebGPU: what makes an adapter offer it, in a sentence. */
  readonly withheld?: Readonly<Partial<Record<string, string>>>;
}

export interface Environment {
  /** `navigator.gpu`, or what Dawn's `create` returned. */
  readonly gpu: GPU | undefined;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Calls `action` after a while, once; what it returns takes that back. */
  readonly after: (delayMs: number, action: () => void) => () => void;
  /** Whether the page is on screen; always true for a process. */
  readonly visible: () => boolean;
  /** Calls `listener` when the page is hidden; what it returns removes it. */
  readonly onHidden: (listener: () => void) => () => void;
  readonly losses: Losses;
  /** Accesses are checked against bounds: only Dawn can leave that out. */
  readonly robustness: Robustness;
  /** Features are offered that are withheld by default: only Dawn can be told to. */
  readonly experimental?: boolean;
  /** What a submit may take as predicted: a longer launch goes in parts. */
  readonly submitMs: number;
  /** Machine part this is: `webview`, `cli`, `extension host`. Goes into measurements. */
  readonly where: string;
  readonly advice: Advice;
  /** Ceilings that were measured before, by `ceilingsKey`; a timed run adds what is missing. */
  readonly ceilings: Map<string, MeasuredCeilings>;
}

/** Windows resets a GPU that does not answer for 2 s, and whoever looks at the same GPU's screen waits meanwhile. */
export const SUBMIT_MS = 1000;

/** For a page in VS Code's webview, or in a browser that VS Code has opened. */
export const pageAdvice = (place: 'webview' | 'browser'): Advice => ({
  ...placeAdvice(place),
  withheld: {
    'shader-f16': t(
      'On NVIDIA under Linux browsers withhold it; Dawn offers it there: gemm-explorer run --backend webgpu --experimental.',
    ),
    'chromium-experimental-subgroup-matrix': t(
      'Chromium and VS Code withhold it unless they are started with --enable-unsafe-webgpu; Dawn offers it with gemm-explorer run --backend webgpu --experimental. The driver must have cooperative matrices as well.',
    ),
  },
});

const placeAdvice = (place: 'webview' | 'browser'): Advice =>
  place === 'browser'
    ? {
        noApi: t('Use a browser with WebGPU, such as Chrome, Edge or Safari 26.'),
        noAdapter: t(
          'Update the GPU driver. On Linux, start Chromium with --enable-unsafe-webgpu --enable-features=Vulkan. Hardware acceleration must not be switched off (in the browser’s settings). Simulate needs no GPU.',
        ),
        restart: t('Reload this page, then run again.'),
      }
    : {
        noApi: t(
          'Use VS Code 1.123 or later, or a browser with WebGPU. On Linux, start it with --enable-unsafe-webgpu --enable-features=Vulkan.',
        ),
        noAdapter: t(
          'Update the GPU driver. On Linux, start VS Code with --enable-unsafe-webgpu --enable-features=Vulkan. Hardware acceleration must not be switched off (command Preferences: Configure Runtime Arguments). Simulate needs no GPU.',
        ),
        restart: t('Reload the window (command Developer: Reload Window), then run again.'),
      };

/** Resolves after a while. Zero lets the page paint and messages arrive. */
export const delay = (env: Environment, delayMs: number): Promise<void> =>
  new Promise(resolve => {
    env.after(delayMs, resolve);
  });
