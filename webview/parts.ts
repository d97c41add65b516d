/** Loading of the deferred views (later.ts), which views/later.tsx wraps. */
import { t } from '@vscode/l10n';
import { messageOf } from './format';
import type * as Later from './later';

export type Parts = typeof Later;

let loading: Promise<Parts> | undefined;
let loaded: Parts | null = null;

export const partsNow = (): Parts | null => loaded;

/**
 * Loads the deferred views once. If loading fails, rejects with a message for the user, and the
 * next call retries.
 */
export async function loadParts(): Promise<Parts> {
  loading ??= import('./later');
  try {
    loaded = await loading;
    return loaded;
  } catch (error) {
    loading = undefined;
    throw new Error(t('A section of this page failed to load: {0}', messageOf(error)), {
      cause: error,
    });
  }
}
