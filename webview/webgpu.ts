/** WebGPU environment of this page. */
import type { MeasuredCeilings } from '../src/core/measure/measurement';
import { pageRemedies, SUBMIT_MS, type Environment } from '../src/webgpu/environment';

/** Returns the runner's environment. Ceilings are cached for the lifetime of the page. */
export function pageEnvironment(): Environment {
  const where = document.documentElement.dataset['place'] ?? 'webview';
  return {
    gpu: 'gpu' in navigator ? navigator.gpu : undefined,
    now: () => performance.now(),
    after: (delayMs, action) => {
      const timer = setTimeout(action, delayMs);
      return () => {
        clearTimeout(timer);
      };
    },
    visible: () => document.visibilityState === 'visible',
    onHidden: listener => {
      const onChange = () => {
        if (document.visibilityState === 'hidden') listener();
      };
      document.addEventListener('visibilitychange', onChange);
      return () => {
        document.removeEventListener('visibilitychange', onChange);
      };
    },
    losses: { count: 0 },
    robustness: 'on',
    judges: true,
    submitMs: SUBMIT_MS,
    where,
    advice: pageRemedies(where === 'browser' ? 'browser' : 'webview'),
    ceilings: new Map<string, MeasuredCeilings>(),
  };
}
