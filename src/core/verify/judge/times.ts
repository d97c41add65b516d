/** Finds times that do not contain the work of the launches. */
import { t } from '@vscode/l10n';
import { median } from '../../measure/statistics';
import { grouped, precise } from '../../text/numbers';
import type { CompletionEvidence, Evidence, RepeatEvidence } from './evidence';
import type { JudgeFinding } from './ids';

/** Ratio of the medians of both times, and least ratio of every pair. */
const REPEAT_RATIO = 1.25;
const PAIR_RATIO = 1.1;
/** Fewer pairs may differ by chance. */
const LEAST_PAIRS = 4;
/** Time after which the host notices the end of a batch in any case, in milliseconds. */
const HOST_DELAY_MS = 2;
const HOST_SHARE = 0.2;
const DRAIN_SHARE = 0.1;

export const nameTimes = ({ repeats, completion, l2 }: Evidence): readonly JudgeFinding[] =>
  [
    repeats === undefined ? undefined : nameRepeats(repeats),
    completion === undefined ? undefined : nameCompletion(completion),
    l2 === undefined ? undefined : namePersisting(l2),
  ].filter(finding => finding !== undefined);

function nameRepeats({ freshMs, repeatedMs }: RepeatEvidence): JudgeFinding | undefined {
  const pairs = Math.min(freshMs.length, repeatedMs.length);
  if (pairs < LEAST_PAIRS) return undefined;
  const [fresh, repeated] = [median(freshMs), median(repeatedMs)];
  const isEach = freshMs.every((ms, at) => ms > PAIR_RATIO * (repeatedMs[at] ?? Infinity));
  if (!isEach || fresh <= REPEAT_RATIO * repeated) return undefined;
  const message = t(
    'Launches on new matrices take {0} ms, and launches on the same matrices again {1} ms, with equal cache state. The kernel recognizes its inputs and returns a stored result. Fix: compute C in every launch.',
    precise(fresh),
    precise(repeated),
  );
  return { id: 'repeated-inputs-faster', message };
}

function nameCompletion({
  eventMs,
  hostMs,
  drainMs,
}: CompletionEvidence): JudgeFinding | undefined {
  if (drainMs > HOST_DELAY_MS + DRAIN_SHARE * eventMs) {
    const message = t(
      'The GPU worked for {0} ms after the event that ends the timing ({1} ms). The subject leaves work on another stream. Fix: launch all work on the given stream.',
      precise(drainMs),
      precise(eventMs),
    );
    return { id: 'unfinished-work', message };
  }
  if (hostMs - drainMs > eventMs * (1 + HOST_SHARE) + HOST_DELAY_MS) {
    const message = t(
      'The events span {0} ms, but the batch took {1} ms on the host. A part of the work runs outside the events or on another stream. Fix: launch all work on the given stream, and do not synchronize.',
      precise(eventMs),
      precise(hostMs),
    );
    return { id: 'work-outside-timer', message };
  }
  return undefined;
}

function namePersisting({
  persistingBytes,
  windowBytes,
}: NonNullable<Evidence['l2']>): JudgeFinding | undefined {
  const bytes = Math.max(persistingBytes, windowBytes);
  if (bytes === 0) return undefined;
  const message = t(
    'The subject reserved {0} bytes of the L2 cache for persisting accesses, so that matrices stay in the cache between launches. Fix: remove the access policy window and cudaLimitPersistingL2CacheSize.',
    grouped(bytes),
  );
  return { id: 'persisting-l2', message };
}
