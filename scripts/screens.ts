/**
 * Takes screenshots of every section of the explorer's page in all themes and widths, and combines
 * them into one sheet per section: one row per theme and one column per width.
 *
 * node out/scripts/screens.js [FOLDER]
 *
 * The default folder is out/screens. Fails if the page reports an error.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { loadExplorer, newPage, launch, type ThemeName } from './page/explorerPage';
import { drawn } from './page/openedPage';
import { STATES, type PageState } from './page/states';
import { THEMES } from './page/themes';

const WIDTHS = [400, 700, 1000, 1600];
const HEIGHT_PX = 1000;
/** States that together show every section. */
const NAMES = [
  'steps of a block',
  'runs compared',
  'tuned, tied',
  'tensor cores',
  'illegal',
  'question',
  'question about requests',
  'question, answered',
  'illegal loop nest',
  'layout with an error',
  'layout with a swizzle',
];
const THEME_NAMES = Object.keys(THEMES) as readonly ThemeName[];

interface Picture {
  readonly theme: ThemeName;
  readonly width: number;
  readonly png: Buffer;
}

type Sheets = Map<string, Picture[]>;

const folder = process.argv[2] ?? path.join('out', 'screens');
mkdirSync(folder, { recursive: true });
const browser = await launch();
try {
  const page = await newPage(browser);
  const sheets: Sheets = new Map();
  for (const state of STATES.filter(({ name }) => NAMES.includes(name)))
    for (const width of WIDTHS) await takePictures(page, state, width, sheets);
  // The content security policy of the explorer would block the style of a sheet.
  const blank = await newPage(browser);
  for (const [name, pictures] of sheets) {
    const file = path.join(folder, `${name}.png`);
    await writeSheet(blank, file, pictures);
    console.log(`${file}: ${pictures.length} pictures`);
  }
} finally {
  await browser.close();
}

async function takePictures(
  page: Page,
  { name, messages, gpu, saved, act }: PageState,
  width: number,
  sheets: Sheets,
): Promise<void> {
  const options = { width, height: HEIGHT_PX, saved, ...(gpu === undefined ? {} : { gpu }) };
  const explorer = await loadExplorer(page, options);
  for (const message of messages) await explorer.send(message);
  await page.waitForSelector('section');
  await act?.(page);
  await explorer.unfold();
  // The sticky lines would cover the pictures of the sections.
  await page.evaluate(() => {
    document.querySelector<HTMLElement>('.sticky-head')?.style.setProperty('position', 'static');
    document.documentElement.style.setProperty('scroll-padding-top', '0');
  });
  for (const theme of THEME_NAMES) {
    await explorer.setTheme(theme);
    await drawn(page);
    for (const part of await page.locator('.page-head > div, section[id]').all()) {
      const id = (await part.getAttribute('id')) ?? 'sticky-head';
      await part.evaluate(element => {
        element.scrollIntoView();
      });
      const box = await part.boundingBox();
      if (box === null || box.height === 0) continue;
      const key = `${name.replaceAll(/\W+/g, '-')}-${id}`;
      const height = Math.min(box.height, HEIGHT_PX - box.y);
      const png = await page.screenshot({ clip: { ...box, height } });
      sheets.set(key, [...(sheets.get(key) ?? []), { theme, width, png }]);
    }
  }
  if (explorer.errors.length > 0) throw new Error(`${name}: ${explorer.errors.join('; ')}`);
  await explorer.close();
}

async function writeSheet(page: Page, file: string, pictures: readonly Picture[]): Promise<void> {
  const cell = ({ theme, width, png }: Picture): string =>
    `<figure><figcaption>${theme}, ${width} px</figcaption>
      <img src="data:image/png;base64,${png.toString('base64')}"></figure>`;
  const row = (theme: ThemeName): string =>
    `<div>${pictures
      .filter(one => one.theme === theme)
      .map(cell)
      .join('')}</div>`;
  await page.setViewportSize({ width: 1700, height: HEIGHT_PX });
  await page.setContent(`<style>
    body { margin: 8px; font: 12px sans-serif; }
    div { display: flex; align-items: start; }
    figure { margin: 4px; }
    img { zoom: 0.5; border: 1px solid gray; }
  </style>${THEME_NAMES.map(row).join('')}`);
  await page.screenshot({ path: file, fullPage: true });
}
