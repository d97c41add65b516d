/** Files and clipboard content of a chart: SVG, PNG at twice the size, and CSV. */
import type { Chart } from '../src/core/charts/chart';
import { chartSvg } from '../src/core/charts/chartSvg';
import type { ChartFormat, ChartName } from '../src/protocol';

export const PICTURE_THEMES = ['light', 'dark'] as const;
export type PictureTheme = (typeof PICTURE_THEMES)[number];

/** A picture that can be saved without the page. */
export interface Picture {
  readonly name: ChartName;
  /** Returns the picture with its title, caption and legend. */
  readonly svg: (theme: PictureTheme) => string;
  readonly csv?: () => string;
}

/** Returns the function that draws a chart in the colors of a theme. */
export const svgOf =
  (chart: () => Chart) =>
  (theme: PictureTheme): string =>
    chartSvg(chart(), { theme });

const PNG_SCALE = 2;
const PNG_URL = 'data:image/png;base64,';

/** Returns the file content: SVG and CSV as text, PNG in base64. */
export async function pictureFile(
  format: ChartFormat,
  picture: Picture,
  theme: PictureTheme,
): Promise<string> {
  if (format === 'csv') return picture.csv?.() ?? '';
  const svg = picture.svg(theme);
  if (format === 'svg') return svg;
  const canvas = await drawn(svg);
  return canvas.toDataURL('image/png').slice(PNG_URL.length);
}

/** Copies the picture to the clipboard as PNG. */
export async function copyPicture(picture: Picture, theme: PictureTheme): Promise<void> {
  const svg = picture.svg(theme);
  // Start the write before the key or pointer event ends, and encode the picture meanwhile.
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': blobOf(svg) })]);
}

async function blobOf(svg: string): Promise<Blob> {
  const canvas = await drawn(svg);
  return new Promise((resolve, reject) => {
    canvas.toBlob(blob => {
      if (blob === null) reject(new Error('The browser could not encode the picture.'));
      else resolve(blob);
    }, 'image/png');
  });
}

async function drawn(svg: string): Promise<HTMLCanvasElement> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth * PNG_SCALE;
  canvas.height = image.naturalHeight * PNG_SCALE;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser has no 2D canvas context.');
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}
