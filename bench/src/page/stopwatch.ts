/**
 * Measures, in the page, the time from an input event to the frame that shows its result. The clock
 * starts at the time stamp of the event that changes the parameter: a field's `input` event,
 * otherwise the key event. The clock stops in a task posted from an animation frame in which the
 * page had changed. This task runs after the style, layout and paint of that frame. Rasterization
 * and display are not included.
 */
import type { Page } from 'playwright-core';

export interface Sample {
  /** Time to the first frame that shows the change; null if the page did not change. */
  readonly paintMs: number | null;
  readonly lastMs: number | null;
  /** Time from the keystroke to the first frame, including the browser's handling of the key. */
  readonly keyMs: number | null;
  /**
   * Time that the page spent on its analysis in this interval, from its own measurement; null if
   * the page measured no analysis.
   */
  readonly deriveMs: number | null;
}

interface Stopwatch {
  arm: () => void;
  settled: () => Promise<Sample>;
}
type PageWindow = typeof globalThis & { stopwatch: Stopwatch };

/** Time in milliseconds between two keys of a fast typist (200 words per minute). */
const KEY_PAUSE_MS = 60;

/** Name of the User Timing measure that webview/page.tsx records. */
export const DERIVE = 'derive';

export const installStopwatch = (page: Page): Promise<void> => page.evaluate(install, DERIVE);

/** Starts the stopwatch, calls `act`, and waits until the page has not changed for 40 ms. */
export async function timeOf(page: Page, act: () => Promise<void>): Promise<Sample> {
  await page.evaluate(() => {
    (globalThis as PageWindow).stopwatch.arm();
  });
  await act();
  return page.evaluate(() => (globalThis as PageWindow).stopwatch.settled());
}

/**
 * Waits until the browser has shown the frame of earlier input, such as a moved focus. Otherwise a
 * key pressed within a millisecond waits for the rasterization of that frame, which no typist is
 * fast enough to cause.
 */
export const frameShown = (page: Page): Promise<void> =>
  page.evaluate(
    pauseMs =>
      new Promise<void>(resolve => {
        requestAnimationFrame(() => {
          setTimeout(resolve, pauseMs);
        });
      }),
    KEY_PAUSE_MS,
  );

/** Returns the smallest of 1000 observed steps of the page's clock, in milliseconds. */
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

/** Playwright serializes this function and runs it in the page. */
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
  if (root === null) throw new Error('The page has no root element.');
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
      // Ignore untrusted events, which elements of the UI toolkit dispatch.
      if (!event.isTrusted) return;
      began = event.timeStamp;
      // Ignore frames between the key and the input event: they show only the key's effect, such as
      // a focus ring.
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
