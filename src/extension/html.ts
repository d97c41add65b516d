/** The explorer's page: what is in it, and what it may load. The state comes by message, never by template. */

export interface PageAssets {
  readonly nonce: string;
  /** `webview.cspSource`. */
  readonly source: string;
  readonly script: string;
  readonly style: string;
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
  ].join('; ');

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);

/** JSON in a script element, where nothing but its end tag could end it. */
const dataOf = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

export function pageHtml(assets: PageAssets): string {
  return `<!DOCTYPE html>
<html lang="${escape(assets.language)}">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${escape(contentSecurityPolicy(assets))}">
<meta property="csp-nonce" content="${escape(assets.nonce)}">
<title>GEMM Explorer</title>
<link rel="stylesheet" href="${escape(assets.style)}">
</head>
<body>
<div id="root"></div>
<script type="application/json" id="l10n">${dataOf(assets.bundle)}</script>
<script nonce="${escape(assets.nonce)}" src="${escape(assets.script)}"></script>
</body>
</html>
`;
}
