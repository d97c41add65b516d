/** Parts of a page as one HTML file, which loads nothing and contains no scripts. */
import type { Chart } from './chart';
import { chartSvg } from './chartSvg';
import { visibleText } from '../text/plainText';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

export const htmlText = (value: string): string =>
  visibleText(value).replace(/[&<>"]/g, character => ESCAPES[character] ?? character);

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;color:#222;background:#fff;max-width:860px;margin:2em auto;padding:0 1em;overflow-wrap:anywhere}
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}table{border-collapse:collapse}
th,td{text-align:left;vertical-align:top;padding:3px 16px 3px 0;border-bottom:1px solid #ddd;font-weight:400}
th{color:#555}svg{max-width:100%;height:auto}figure{margin:1em 0}pre{background:#f4f4f4;padding:1em;overflow:auto}`;

export interface HtmlPage {
  readonly title: string;
  /** HTML of the body after the title. */
  readonly parts: readonly string[];
  /** Additional CSS. */
  readonly style?: string;
  /** Name of the program that wrote the page. */
  readonly generator?: string;
}

export const htmlPage = ({ title, parts, style = '', generator }: HtmlPage): string =>
  [
    '<!DOCTYPE html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    ...(generator === undefined
      ? []
      : [`<meta name="generator" content="${htmlText(generator)}">`]),
    `<title>${htmlText(title)}</title><style>${STYLE}${style}</style></head><body><main>`,
    `<h1>${htmlText(title)}</h1>`,
    ...parts,
    '</main></body></html>',
    '',
  ].join('\n');

export const section = (title: string, content: string): string =>
  content === '' ? '' : `<h2>${htmlText(title)}</h2>\n${content}`;

export const figure = (chart: Chart): string => `<figure>${chartSvg(chart)}</figure>`;

export type HtmlRow = readonly [name: string, value: string];

export const factTable = (rows: readonly HtmlRow[]): string =>
  rows.length === 0
    ? ''
    : `<table>${rows
        .map(
          ([name, value]) =>
            `<tr><th scope="row">${htmlText(name)}</th><td>${htmlText(value)}</td></tr>`,
        )
        .join('')}</table>`;

export const list = (items: readonly string[]): string =>
  items.length === 0 ? '' : `<ul>${items.map(item => `<li>${htmlText(item)}</li>`).join('')}</ul>`;
