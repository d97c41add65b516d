/** WGSL checks on the GPU of an open explorer page that has an adapter. */
import type { FromWebview, ToWebview } from '../../protocol';
import type { CheckedWgsl, WgslOptions } from '../abilities';

export interface CheckingPage {
  readonly post: (message: ToWebview) => void;
}

export interface PageWgsl {
  readonly heard: (message: FromWebview) => void;
  /**
   * Resolves to the diagnostics. Resolves to undefined if no page can check, if the page does not
   * respond in time, or if the request is aborted.
   */
  readonly check: (source: string, options: WgslOptions) => Promise<CheckedWgsl | undefined>;
}

/** Timeout in milliseconds for the response of the page. */
const ANSWER_MS = 3000;

export function createPageWgsl(
  page: () => CheckingPage | undefined,
  answerMs = ANSWER_MS,
): PageWgsl {
  const waiting = new Map<string, (answer: CheckedWgsl | undefined) => void>();
  let requestCount = 0;
  return {
    heard: message => {
      if (message.type !== 'wgslChecked') return;
      const { id, messages } = message;
      waiting.get(id)?.(messages === null ? undefined : { ok: true, messages });
    },
    check: (source, { limits, signal }) => {
      const to = page();
      if (to === undefined || signal.aborted) return Promise.resolve(undefined);
      requestCount += 1;
      const id = `wgsl-${requestCount}`;
      return new Promise(resolve => {
        const end = (answer: CheckedWgsl | undefined): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', stop);
          waiting.delete(id);
          resolve(answer);
        };
        const stop = (): void => {
          end(undefined);
        };
        const timer = setTimeout(stop, answerMs);
        signal.addEventListener('abort', stop);
        waiting.set(id, end);
        to.post({ type: 'checkWgsl', id, source, ...(limits === undefined ? {} : { limits }) });
      });
    },
  };
}
