/**
 * Makes the animation of the README from the built page: elements of the tile map, a dragged edge
 * of the block tile, and the steps of a thread block.
 *
 * node out/scripts/animation.js
 */
import { writeFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import type { GemmSpec } from '../src/core/spec/schema';
import { animatedPng, type AnimationFrame } from './page/apng';
import { launch, openExplorer } from './page/explorerPage';
import { show } from './page/samples';

const FILE = 'docs/images/tiles-and-steps.png';
const SIZE = { width: 1240, height: 760 };
const SHORT_MS = 450;
const LONG_MS = 1200;
const SPEC: GemmSpec = {
  problem: { m: 512, n: 512, k: 256 },
  targets: ['cuda'],
  schedule: {
    algorithm: 'pipelined',
    block: { m: 64, n: 64, k: 16 },
    warp: { m: 32, n: 32 },
    thread: { m: 8, n: 4 },
    stages: 3,
  },
};

interface Shot {
  readonly png: Buffer;
  readonly milliseconds: number;
}

async function shots(page: Page): Promise<readonly Shot[]> {
  const taken: Shot[] = [];
  const take = async (milliseconds = SHORT_MS): Promise<void> => {
    taken.push({ png: await page.screenshot(), milliseconds });
  };
  const tiles = page.locator('#tiles');
  await tiles.locator('.readout').waitFor();
  await scrollTo(tiles);
  await take(LONG_MS);
  const [matrices, block] = [
    tiles.locator('.map-surface').first(),
    tiles.locator('.map-surface').last(),
  ];
  for (const [x, y] of [
    [0.5, 0.5],
    [0.62, 0.58],
    [0.75, 0.67],
    [0.9, 0.76],
    [0.2, 0.76],
    [0.1, 0.76],
  ] as const) {
    await pointAt(matrices, x, y);
    await take();
  }
  for (const [x, y] of [
    [0.2, 0.2],
    [0.4, 0.3],
    [0.6, 0.6],
  ] as const) {
    await pointAt(block, x, y);
    await take();
  }
  const edge = page.getByRole('slider', { name: 'rows of the block tile' });
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp']) {
    await edge.press(key);
    await page.locator('#tiles .later:not(.stale)').waitFor();
    await take(LONG_MS);
  }
  const steps = page.locator('#block-steps');
  await steps.getByText('Trace a thread block').click();
  await steps.getByRole('status').waitFor();
  await scrollTo(steps);
  const press = (name: string): Promise<void> => steps.getByText(name, { exact: true }).click();
  for (const name of [...repeated('Step', 12), 'Next barrier', ...repeated('Step', 8)]) {
    await press(name);
    await take();
  }
  for (const name of [...repeated('Next barrier', 3), ...repeated('Step', 3)]) {
    await press(name);
    await take();
  }
  await steps.getByRole('slider').press('End');
  await take(LONG_MS);
  return taken;
}

const repeated = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, () => name);

/** Scrolls below the sticky header. */
const scrollTo = (section: Locator): Promise<void> =>
  section.evaluate(element => {
    element.scrollIntoView({ block: 'start' });
  });

async function pointAt(picture: Locator, x: number, y: number): Promise<void> {
  const box = await picture.boundingBox();
  if (box === null) throw new Error('The picture is not visible.');
  await picture.page().mouse.move(box.x + x * box.width, box.y + y * box.height);
}

/** Decodes an image in a page. */
async function pixelsOf(page: Page, png: Buffer): Promise<Uint32Array> {
  const base64 = await page.evaluate(async source => {
    const image = new Image();
    image.src = `data:image/png;base64,${source}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context?.drawImage(image, 0, 0);
    const data = context?.getImageData(0, 0, image.width, image.height).data ?? [];
    // In parts, because a call has a limited number of arguments.
    let bytes = '';
    for (let at = 0; at < data.length; at += 8192)
      bytes += String.fromCharCode(...data.slice(at, at + 8192));
    return btoa(bytes);
  }, png.toString('base64'));
  return new Uint32Array(new Uint8Array(Buffer.from(base64, 'base64')).buffer);
}

const browser = await launch();
try {
  const { page, send } = await openExplorer(browser, { ...SIZE, gpu: 'none' });
  await send(show({ spec: SPEC, backends: [], runs: [] }));
  const taken = await shots(page);
  const blank = await browser.newPage();
  const frames: AnimationFrame[] = [];
  for (const { png, milliseconds } of taken)
    frames.push({ pixels: await pixelsOf(blank, png), milliseconds });
  const animation = animatedPng(SIZE, frames);
  writeFileSync(FILE, animation);
  console.log(`${FILE}: ${Math.round(animation.length / 1000)} kB`);
} finally {
  await browser.close();
}
