/** What a page loses at 200 and 400 %. */
import type { Page } from 'playwright-core';

/** 1280 x 1024 at 200 and 400 % (WCAG 2.2, 1.4.10). */
const ZOOMED = { '200 %': { width: 640, height: 512 }, '400 %': { width: 320, height: 256 } };

/** What is cut off, or needs more room than there is; code and tables scroll by themselves. */
export async function lostByZoom(page: Page): Promise<readonly string[]> {
  const all: string[] = [];
  for (const [zoom, size] of Object.entries(ZOOMED)) {
    await page.setViewportSize(size);
    await page.evaluate(settled);
    all.push(...(await page.evaluate(lost)).map(what => `${zoom}: ${what}`));
  }
  return all;
}

/** Whoever observes sizes has drawn again. */
const settled = (): Promise<void> =>
  new Promise(resolve => {
    requestAnimationFrame(() => {
      requestAnimationFrame(() => {
        resolve();
      });
    });
  });

function lost(): readonly string[] {
  const root = document.documentElement;
  const wide = root.scrollWidth - root.clientWidth;
  const cut = [
    ...document.querySelectorAll('label, .label, th, td, p, dd, dt, legend, summary, h1, h2, h3'),
  ]
    .filter(element => element.closest('.visually-hidden, .listing, .table') === null)
    .filter(
      element => element.checkVisibility() && getComputedStyle(element).overflowX !== 'visible',
    )
    .filter(element => element.scrollWidth > element.clientWidth + 1)
    .map(element => `cut: ${element.textContent}`);
  return [...(wide > 0 ? [`${wide} px too wide`] : []), ...cut];
}
