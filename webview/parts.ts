/** Loads the later part of the page (later.ts), once; a view in it is `later(...)` of views/later.tsx. */
import { t } from '@vscode/l10n';
import { wordsOf } from './format';
import type * as Later from './later';

export type Parts = typeof Later;

let loading: Promise<Parts> | undefined;
let loaded: Parts | null = null;

/** Null until it has been loaded. */
export const partsNow = (): Parts | null => loaded;

/** Rejects with words for the reader; the next call tries again. */
export async function loadParts(): Promise<Parts> {
  loading ??= import('./later');
  try {
    loaded = await loading;
    return loaded;
  } catch (error) {
    loading = undefined;
    throw new Error(t('A part of this page could not be loaded: {0}', wordsOf(error)), {
      cause: error,
    });
  }
}
