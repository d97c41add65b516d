/**
 * HTML of the explorer's page and its content security policy. The first frame is markup without
 * scripts and styles; all other state arrives in messages.
 */

export interface PageAssets {
  readonly nonce: string;
  /** `webview.cspSource`. */
  readonly source: string;
  readonly script: string;
  readonly style: string;
  /** Script and style that replace the VS Code API and theme; absent for a page in VS Code. */
  readonly browser?: { readonly script: string; readonly style: string };
  readonly language: string;
  /** Markup that is shown until the script has loaded the page. Its values are escaped. */
  readonly firstFrame?: string;
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
    // The page fetches the Simulate worker from the folder of its own script.
    `connect-src ${source}`,
    'worker-src blob:',
  ].join('; ');

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);

/** Escapes JSON for a script element, so that it cannot contain a closing tag. */
const dataOf = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

export function pageHtml(assets: PageAssets): string {
  const { nonce, script, style, browser, firstFrame = '' } = assets;
  const styles = [...(browser === undefined ? [] : [browser.style]), style];
  const place = browser === undefined ? '' : ' data-place="browser"';
  const first =
    browser === undefined
      ? ''
      : `<script nonce="${escape(nonce)}" src="${escape(browser.script)}"></script>\n`;
  const frame =
    firstFrame === '' ? '' : `<div id="first-frame" inert aria-busy="true">${firstFrame}</div>\n`;
  // Prevents the browser's request for a favicon, which is not served.
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
</head>
<body>
${frame}<div id="root"></div>
<script type="application/json" id="l10n">${dataOf(assets.bundle)}</script>
${first}<script type="module" nonce="${escape(nonce)}" src="${escape(script)}"></script>
</body>
</html>
`;
}
