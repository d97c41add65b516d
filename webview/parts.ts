/** Loading of the deferred views (later.ts), which views/later.tsx wraps. */
import { t } from '@vscode/l10n';
import { messageOf } from './format';
import type * as Later from './later';

export type Parts = typeof Later;

let loading: Promise<Parts> | undefined;
let loaded: Partial<Parts> | null = null;

/**
 * Provides deferred views without loading them, for a page that is rendered without a browser.
 * Views that are not given are omitted from the page.
 */
export function provideParts(parts: Partial<Parts>): void {
  loaded = parts;
}

export const partsNow = (): Partial<Parts> | null => loaded;

/**
 * Loads the deferred views once. If loading fails, rejects with a message for the user, and the
 * next call retries.
 */
export async function loadParts(): Promise<Parts> {
  loading ??= import('./later');
  try {
    const parts = await loading;
    loaded = parts;
    return parts;
  } catch (error) {
    loading = undefined;
    throw new Error(t('A section of this page failed to load: {0}', messageOf(error)), {
      cause: error,
    });
  }
}
