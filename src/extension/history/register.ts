/** Registers the store of this workspace's measurements. */
import type { Base, Feature } from '../shared/base';
import { RunStore } from './runStore';

export interface History extends Feature {
  readonly store: RunStore;
}

export function registerHistory({ abilities, log }: Base): History {
  const store = new RunStore(abilities.files, log);
  // Activation does not wait for this read.
  setTimeout(() => void store.load());
  return { store, subscriptions: [store] };
}
