/** Translations that the extension embeds in the page as data. */
import { config } from '@vscode/l10n';
import * as v from 'valibot';

const bundleSchema = v.record(v.string(), v.string());

/**
 * Loads the translations of a bundle before its first use of `t`. Without valid translations, the
 * page is in English.
 */
export function useDisplayLanguage(): void {
  const text = document.getElementById('l10n')?.textContent ?? '{}';
  const bundle = v.safeParse(v.pipe(v.string(), v.parseJson(), bundleSchema), text);
  const contents = bundle.success ? bundle.output : {};
  config({ contents });
  // The core is a bundle with its own translations (scripts/build/coreLater.mjs).
  Object.assign(globalThis, { gemmTranslations: contents });
}
