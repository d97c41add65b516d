/** The explorer's page: what is in it, and what it may load. The state comes by message, never by template. */

export interface PageAssets {
  readonly nonce: string;
  /** `webview.cspSource`. */
  readonly source: string;
  readonly script: string;
  /** What the script imports at once: asked for together with it. */
  readonly shared: string;
  readonly style: string;
  /** What stands in for VS Code where the page is shown in a browser. */
  readonly browser?: { readonly script: string; readonly style: string };
  /** Of the page's texts. */
  readonly language: string;
  /** The texts of the display language by their English, for the page's `t`; none in English. */
  readonly bundle: Readonly<Record<string, string>>;
}

export const contentSecurityPolicy = ({ nonce, source }: PageAssets): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${source} 'nonce-${nonce}'`,
    `font-src ${source}`,
    `img-src ${source} data:`,
    // Simulate's worker, whose text the page reads from beside its script.
    `connect-src ${source}`,
    'worker-src blob:',
  ].join('; ');

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);

/** JSON in a script element, where nothing but its end tag could end it. */
const dataOf = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

export function pageHtml(assets: PageAssets): string {
  const { nonce, script, shared, style, browser } = assets;
  const styles = [...(browser === undefined ? [] : [browser.style]), style];
  const place = browser === undefined ? '' : ' data-place="browser"';
  const first =
    browser === undefined
      ? ''
      : `<script nonce="${escape(nonce)}" src="${escape(browser.script)}"></script>\n`;
  // A browser would ask for one of its own accord, at an address that is none of ours.
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
