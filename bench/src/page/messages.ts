/**
 * Measures the time for processing the extension's messages and the time to the first paint of the
 * page.
 */
import { launch, openExplorer, type ExplorerPage } from '../../../scripts/page/explorerPage';
import { showWithRuns } from './recorded';
import { newest } from '../../../scripts/page/samples';

export interface Shown {
  /** Length of the message as JSON, in characters. */
  readonly characters: number;
  /**
   * Times from the message's arrival to the end of its task, and to the frame that shows the
   * message.
   */
  readonly ms: readonly { readonly handledMs: number; readonly paintMs: number }[];
}

const MESSAGES = 10;

/**
 * Measures messages that contain all runs. Each message has a different spec, so that the page must
 * process it.
 */
export async function measureShow({ page }: ExplorerPage, runs: number): Promise<Shown> {
  const message = showWithRuns(runs);
  const ms: { handledMs: number; paintMs: number }[] = [];
  for (let i = 0; i < MESSAGES; i++) {
    const problem = { ...message.spec.problem, m: 512 + 128 * i };
    const next = { ...message, ...newest(), spec: { ...message.spec, problem } };
    ms.push(
      await page.evaluate(
        data =>
          new Promise<{ handledMs: number; paintMs: number }>(resolve => {
            const channel = new MessageChannel();
            let began = NaN;
            let handled = NaN;
            channel.port1.onmessage = () => {
              resolve({ handledMs: handled - began, paintMs: performance.now() - began });
            };
            window.addEventListener(
              'message',
              () => {
                began = performance.now();
                // The timer fires after the page's message listener and its microtasks.
                requestAnimationFrame(() => {
                  channel.port2.postMessage(null);
                });
                setTimeout(() => {
                  handled = performance.now();
                });
              },
              { once: true, capture: true },
            );
            window.postMessage(data, '*');
          }),
        next,
      ),
    );
  }
  return { characters: JSON.stringify(message).length, ms };
}

export interface FirstPaint {
  /**
   * Times from navigation to the first contentful paint. Scripts and styles are served from memory.
   */
  readonly paintMs: readonly number[];
}

/** Measures a page that is restored from saved state, as after a reload. */
export async function measureFirstPaint(dist: string, loads: number): Promise<FirstPaint> {
  const browser = await launch();
  const { spec, name } = showWithRuns(0);
  const view = { target: null, backend: 'webgpu', machine: null };
  const paintMs: number[] = [];
  try {
    for (let i = 0; i < loads; i++) {
      const explorer = await openExplorer(browser, { dist, saved: { spec, name, view } });
      await explorer.page.waitForSelector('#tiles');
      const painted = await explorer.page.waitForFunction(
        () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
      );
      paintMs.push((await painted.jsonValue()) ?? NaN);
      await explorer.close();
    }
  } finally {
    await browser.close();
  }
  return { paintMs };
}
