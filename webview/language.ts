/** The page's language: the extension puts the bundle of the display language into the page as data. */
import { config } from '@vscode/l10n';
import * as v from 'valibot';

const bundleSchema = v.record(v.string(), v.string());

/** Before the first render. A page without a bundle, or with one that is none, is in English. */
export function useDisplayLanguage(): void {
  const text = document.getElementById('l10n')?.textContent ?? '{}';
  const bundle = v.safeParse(v.pipe(v.string(), v.parseJson(), bundleSchema), text);
  config({ contents: bundle.success ? bundle.output : {} });
}
