/** Translations that the extension embeds in the page as data. */
import { config } from '@vscode/l10n';
import * as v from 'valibot';

const bundleSchema = v.record(v.string(), v.string());

/**
 * Loads the translations before the first render. Without valid translations, the page is in
 * English.
 */
export function useDisplayLanguage(): void {
  const text = document.getElementById('l10n')?.textContent ?? '{}';
  const bundle = v.safeParse(v.pipe(v.string(), v.parseJson(), bundleSchema), text);
  config({ contents: bundle.success ? bundle.output : {} });
}
