/**
 * Measures the time from an input event to the frame that shows its result, in the page itself. The
 * clock starts at the time stamp of the event that changes the parameter (a field's `input`, else
 * the key's own). It stops in a task posted from an animation frame in which the page had changed,
 * which runs after that frame's style, layout and paint. Raster and display come after it.
 */
import type { Page } from 'playwright-core';

export interface Sample {
  /** To the first frame that shows the change; null if the page did not change. */
  readonly paintMs: number | null;
  /** To the last frame of the change, which includes deferred views. */
  readonly lastMs: number | null;
  /**
   * Time from the keystroke to the first frame; the browser handles the key before the field has
   * its new text.
   */
  readonly keyMs: number | null;
  /** The page's measurement of its derivation in the same interval; null if nothing was derived. */
  readonly deriveMs: number | null;
}

interface Stopwatch {
  arm: () => void;
  settled: () => Promise<Sample>;
}
type PageWindow = typeof globalThis & { stopwatch: Stopwatch };

/** User Timing name: webview/main.tsx. */
export const DERIVE = 'derive';

/** Installs the stopwatch in a page. */
export const installStopwatch = (page: Page): Promise<void> => page.evaluate(install, DERIVE);

/** Starts listening, calls `act`, and waits until the page is idle. */
export async function timeOf(page: Page, act: () => Promise<void>): Promise<Sample> {
  await page.evaluate(() => {
    (globalThis as PageWindow).stopwatch.arm();
  });
  await act();
  return page.evaluate(() => (globalThis as PageWindow).stopwatch.settled());
}

/** Returns the smallest step of the page's clock, in milliseconds. */
export const clockStepMs = (page: Page): Promise<number> =>
  page.evaluate(() => {
    let least = Infinity;
    for (let i = 0; i < 1000; i++) {
      const began = performance.now();
      let now = began;
      while (now === began) now = performance.now();
      least = Math.min(least, now - began);
    }
    return least;
  });

/** Runs in the page. */
function install(name: string): void {
  const QUIET_MS = 40;
  let pressed: number | null = null;
  let began: number | null = null;
  let painted: number | null = null;
  let ended: number | null = null;
  let derived: number | null = null;
  let pending = 0;
  let lastChange = 0;
  const channel = new MessageChannel();
  channel.port1.onmessage = () => {
    pending--;
    ended = performance.now();
    painted ??= ended;
  };
  const root = document.getElementById('root');
  if (root === null) throw new Error('The page has no root.');
  new MutationObserver(() => {
    if (began === null) return;
    lastChange = performance.now();
    pending++;
    requestAnimationFrame(() => {
      channel.port2.postMessage(null);
    });
  }).observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  new PerformanceObserver(list => {
    for (const { duration } of list.getEntriesByName(name)) derived = (derived ?? 0) + duration;
  }).observe({ type: 'measure' });
  window.addEventListener(
    'keydown',
    event => {
      pressed ??= event.timeStamp;
      began ??= event.timeStamp;
      lastChange = performance.now();
    },
    { capture: true },
  );
  window.addEventListener(
    'input',
    event => {
      // Elements of the toolkit dispatch these events themselves.
      if (!event.isTrusted) return;
      began = event.timeStamp;
      // A frame between the key and its text shows only the key's effect, such as a focus ring.
      painted = null;
      ended = null;
    },
    { capture: true },
  );
  (globalThis as PageWindow).stopwatch = {
    arm: () => {
      pressed = null;
      began = null;
      painted = null;
      ended = null;
      derived = null;
    },
    settled: async () => {
      do await new Promise(resolve => setTimeout(resolve, QUIET_MS / 4));
      while (pending > 0 || performance.now() - lastChange < QUIET_MS);
      if (began === null || pressed === null) throw new Error('No key reached the page.');
      const since = (from: number, to: number | null) => (to === null ? null : to - from);
      const sample = {
        paintMs: since(began, painted),
        lastMs: since(began, ended),
        keyMs: since(pressed, painted),
        deriveMs: derived,
      };
      began = null;
      return sample;
    },
  };
}
