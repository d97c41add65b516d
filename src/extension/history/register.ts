/** The measurements of this workspace. */
import type { Base, Feature } from '../shared/base';
import { RunStore } from './runStore';

export interface History extends Feature {
  readonly store: RunStore;
}

export function registerHistory({ abilities, log }: Base): History {
  const store = new RunStore(abilities.files, log);
  // Runs after activation, which does not wait for it.
  setTimeout(() => void store.load());
  return { store, subscriptions: [store] };
}
