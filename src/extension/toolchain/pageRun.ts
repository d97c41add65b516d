/** Kernel runs in the explorer's page, which has a GPU. The page must stay visible. */
import { t } from '@vscode/l10n';
import type { Runnable } from '../../core/kernel/kernel';
import { sourceHashOf } from '../../core/text/hash';
import type { RunProgress } from '../../core/measure/backend';
import {
  NOT_VERIFIED,
  type BackendId,
  type Measurement,
  type Outcome,
} from '../../core/measure/measurement';
import { toSpec } from '../../core/spec/toSpec';
import type { FromWebview, ToWebview } from '../../protocol';

interface Subscription {
  readonly dispose: () => unknown;
}
type Listen<T> = (listener: (value: T) => void) => Subscription;

export interface RunPage {
  readonly post: (message: ToWebview) => void;
  readonly onMessage: Listen<FromWebview>;
  readonly onHidden: Listen<void>;
}

export interface PageRun {
  readonly id: string;
  readonly runnable: Runnable;
  readonly mode: 'verify' | 'time';
  readonly seed: number;
  readonly limitMs: number;
  readonly abort: AbortSignal;
  readonly report: (progress: RunProgress) => void;
  readonly openPage: () => Promise<RunPage | undefined>;
}

/** Timeout in milliseconds for the page to end a run that was cancelled or timed out. */
const CANCEL_MS = 5000;

export async function runInPage(run: PageRun): Promise<Measurement> {
  const { id, runnable, mode, seed, limitMs, abort, report } = run;
  report({ stage: t('Opening the explorer') });
  const page = await run.openPage();
  if (abort.aborted) return unmeasured(runnable, 'webgpu', 'cancelled', 'Cancelled.');
  if (page === undefined) {
    const why =
      'The explorer page, which runs WebGPU, did not open. Fix: open the explorer and run again.';
    return unmeasured(runnable, 'webgpu', 'unavailable', why);
  }
  const spec = runnable.spec === undefined ? null : toSpec(runnable.spec);
  return await new Promise<Measurement>(resolve => {
    const timers: ReturnType<typeof setTimeout>[] = [];
    const subscriptions: Subscription[] = [];
    const finish = (measurement: Measurement): void => {
      for (const timer of timers) clearTimeout(timer);
      for (const subscription of subscriptions) subscription.dispose();
      abort.removeEventListener('abort', cancel);
      resolve(measurement);
    };
    const give = (outcome: Outcome, why: string): void => {
      finish(unmeasured(runnable, 'webgpu', outcome, why));
    };
    /** Requests cancellation from the page. The run ends even if the page does not respond. */
    const stop = (outcome: Outcome, why: string): void => {
      page.post({ type: 'cancel', id });
      timers.push(setTimeout(give, CANCEL_MS, outcome, why));
    };
    const cancel = (): void => {
      stop('cancelled', 'Cancelled.');
    };
    const late = `No result after ${limitMs / 1000} s. Fix: increase gemm.runTimeoutSeconds, or check whether the kernel hangs.`;
    timers.push(setTimeout(stop, limitMs, 'timeout', late));
    subscriptions.push(
      page.onMessage(answer => {
        if (answer.type === 'progress' && answer.id === id) {
          const { stage, fraction } = answer;
          report({ stage, ...(fraction === undefined ? {} : { fraction }) });
        }
        if (answer.type === 'measured' && answer.id === id) {
          finish({ ...answer.measurement, ...ownFields(runnable, 'webgpu') });
        }
      }),
      page.onHidden(() => {
        const why = 'The explorer was hidden. Fix: keep it visible while its page runs WebGPU.';
        give('cancelled', why);
      }),
    );
    abort.addEventListener('abort', cancel);
    const { source, entry } = runnable;
    page.post({ type: 'runWebgpu', job: { id, mode, seed, source, entry, spec } });
  });
}

/** Returns the fields that the host sets, because the page is untrusted. */
const ownFields = (runnable: Runnable, backend: BackendId) => ({
  specKey: runnable.specKey,
  sourceHash: sourceHashOf(runnable),
  backend,
  resolved: runnable.spec ?? null,
});

export const unmeasured = (
  runnable: Runnable,
  backend: BackendId,
  outcome: Outcome,
  message: string,
): Measurement => ({
  ...ownFields(runnable, backend),
  kernelKey: '',
  device: { name: 'none', adapter: 'none', driver: 'unknown', where: 'extension host' },
  outcome,
  message,
  verification: NOT_VERIFIED,
});
