/** Makes the README's pictures anew from the demo: node out/scripts/pictures.js */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runDemo } from './demo';
import { projectRoot } from './install/project';

const PICTURES = {
  '1-generated.png': 'generated.png',
  '3-tile-changed.png': 'explorer.png',
  '5-roofline.png': 'roofline.png',
} as const;

await runDemo();
const images = join(projectRoot(), 'docs', 'images');
await mkdir(images, { recursive: true });
for (const [from, to] of Object.entries(PICTURES)) {
  await copyFile(join(projectRoot(), 'out', 'demo', from), join(images, to));
  console.log(`docs/images/${to}`);
}
