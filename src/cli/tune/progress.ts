/**
 * Formats the events of a tuning run as progress lines: best schedule so far, progress and errors.
 */
import type { TuneEvent } from '../../core/search/tune/events';
import { after, NOT_STARTED, tiedWithBest, type TuneState } from '../../core/search/tune/state';
import { number } from '../table';

/** Minimum interval in milliseconds between progress lines without a new best schedule. */
const EVERY_MS = 2000;

export function progressLines(note: (line: string) => void): (event: TuneEvent) => void {
  let state = NOT_STARTED;
  let shown = { at: -Infinity, best: state.best };
  return event => {
    state = after(state, event);
    const line = lineOf(event);
    if (line !== undefined) note(line);
    if (event.type !== 'clock') return;
    const isDue = state.elapsedMs - shown.at >= EVERY_MS;
    if (!isDue && state.best === shown.best) return;
    shown = { at: state.elapsedMs, best: state.best };
    note(progressLine(state));
  };
}

function lineOf(event: TuneEvent): string | undefined {
  switch (event.type) {
    case 'started':
      return [
        `tune: ${event.place.backend} on ${event.place.gpus.join(', ')}; schedules are ordered ${event.order.text}`,
        ...(event.kept === 0 ? [] : [` ${event.kept} measurements loaded from the journal`]),
      ].join('\n');
    case 'counted': {
      const { members, walked, legal } = event.space;
      const looked = walked === members ? '' : `, ${walked} of them checked`;
      return ` ${members} schedules${looked}: ${legal} legal; at most ${event.budget.schedules} will be measured`;
    }
    case 'round':
      return event.effort === 'quick'
        ? undefined
        : ` measuring ${event.candidates} candidates ${event.effort === 'full' ? 'with the full protocol' : 'for longer'}`;
    case 'failed':
      return `  ${event.specKey}: ${event.outcome}: ${event.why.slice(0, 200)}`;
    case 'note':
      return `  ${event.text}`;
    default:
      return undefined;
  }
}

function progressLine(state: TuneState): string {
  const { candidates, budget, best, elapsedMs, leftMs } = state;
  const done = [...candidates.values()].filter(
    ({ status }) => status !== 'tried' && status !== 'compiled',
  ).length;
  const time = candidates.get(best ?? '')?.time;
  const ties = tiedWithBest(state).length - 1;
  const left = leftMs === null ? '' : `, about ${Math.ceil(leftMs / 1000)} s left`;
  const tied = ties > 0 ? ` (statistical ties: ${ties})` : '';
  const fastest =
    time === undefined
      ? 'no schedule measured yet'
      : `best ${number(time.tflops)} TFLOP/s +- ${number(time.errorPercent)} %${tied} ${best ?? ''}`;
  return `  ${done} of ${budget?.schedules ?? 0} schedules in ${Math.round(elapsedMs / 1000)} s${left}: ${fastest}`;
}
