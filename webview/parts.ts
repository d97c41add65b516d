/** Loads the deferred part of the page (later.ts) once; views/later.tsx wraps its views. */
import { t } from '@vscode/l10n';
import { messageOf } from './format';
import type * as Later from './later';

export type Parts = typeof Later;

let loading: Promise<Parts> | undefined;
let loaded: Parts | null = null;

/** Returns null until the part is loaded. */
export const partsNow = (): Parts | null => loaded;

/** Rejects with a message for the user; the next call retries. */
export async function loadParts(): Promise<Parts> {
  loading ??= import('./later');
  try {
    loaded = await loading;
    return loaded;
  } catch (error) {
    loading = undefined;
    throw new Error(t('Part of this page failed to load: {0}', messageOf(error)), {
      cause: error,
    });
  }
}
