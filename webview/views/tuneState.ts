/** State of a search for the fastest schedule. */
import type { ShownTune } from '../../src/core/search/tune/shown';

export const isBusy = (tune: ShownTune | null): boolean =>
  tune?.stage === 'starting' || tune?.stage === 'running';
