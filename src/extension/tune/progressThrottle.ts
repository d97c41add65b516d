/** Reduces the events of a tuning run to a state, which is published a few times per second. */
import type { TuneEvent } from '../../core/search/tune/events';
import { after, NOT_STARTED, type TuneState } from '../../core/search/tune/state';

const EVERY_MS = 250;

export interface ProgressThrottle {
  readonly say: (event: TuneEvent) => void;
  readonly flush: () => void;
}

export function createProgressThrottle(
  publish: (state: TuneState) => void,
  everyMs = EVERY_MS,
): ProgressThrottle {
  let state = NOT_STARTED;
  let waiting: TuneEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    state = after(state, ...waiting);
    waiting = [];
    publish(state);
  };
  return {
    flush,
    say: event => {
      waiting.push(event);
      timer ??= setTimeout(flush, everyMs);
    },
  };
}
