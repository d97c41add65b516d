/**
 * HTML of the explorer's page and its content security policy. State arrives by message, never
 * through the template.
 */

export interface PageAssets {
  readonly nonce: string;
  /** `webview.cspSource`. */
  readonly source: string;
  readonly script: string;
  /** Static imports of the script, preloaded with it. */
  readonly shared: string;
  readonly style: string;
  /** Replaces the VS Code API if the page is shown in a browser. */
  readonly browser?: { readonly script: string; readonly style: string };
  /** Language of the page's texts. */
  readonly language: string;
  /** Translations for the page's `t`, keyed by the English text; empty for English. */
  readonly bundle: Readonly<Record<string, string>>;
}

export const contentSecurityPolicy = ({ nonce, source }: PageAssets): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${source} 'nonce-${nonce}'`,
    `font-src ${source}`,
    `img-src ${source} data:`,
    // The page fetches Simulate's worker script from the folder of its script.
    `connect-src ${source}`,
    'worker-src blob:',
  ].join('; ');

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);

/** Escapes JSON for a script element, which only a closing tag can terminate. */
const dataOf = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

export function pageHtml(assets: PageAssets): string {
  const { nonce, script, shared, style, browser } = assets;
  const styles = [...(browser === undefined ? [] : [browser.style]), style];
  const place = browser === undefined ? '' : ' data-place="browser"';
  const first =
    browser === undefined
      ? ''
      : `<script nonce="${escape(nonce)}" src="${escape(browser.script)}"></script>\n`;
  // Without it, a browser requests a favicon from an address that we do not serve.
  const icon = browser === undefined ? '' : '<link rel="icon" href="data:,">\n';
  return `<!DOCTYPE html>
<html lang="${escape(assets.language)}"${place}>
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${escape(contentSecurityPolicy(assets))}">
<meta property="csp-nonce" content="${escape(assets.nonce)}">
<title>GEMM Explorer</title>
${icon}${styles.map(href => `<link rel="stylesheet" href="${escape(href)}">`).join('\n')}
<link rel="modulepreload" nonce="${escape(nonce)}" href="${escape(shared)}">
</head>
<body>
<div id="root"></div>
<script type="application/json" id="l10n">${dataOf(assets.bundle)}</script>
${first}<script type="module" nonce="${escape(nonce)}" src="${escape(script)}"></script>
</body>
</html>
`;
}
