/**
 * From an empty folder to compared runs in a real VS Code, by keyboard alone. Writes docs/tour.md and its
 * pictures: node out/scripts/tour.js
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from './install/project';
import { walk } from './tour/walk';
import { handsOn } from './tour/hands';
import { tellStory } from './tour/story';
import { screenshot, startHost } from './vscodeHost';

const OPENING = `# A tour, by keyboard

From an empty folder to two measured kernels side by side, in a real VS Code, without a mouse. This page and its
pictures are made by \`node out/scripts/tour.js\`, which presses the keys it lists and stops where something does not
answer. The GPU here is a software adapter, so look at the way and not at the rates.`;

const folder = await mkdtemp(join(tmpdir(), 'gemm-tour-'));
try {
  const workspace = join(folder, 'kernels');
  await mkdir(workspace);
  const host = await startHost({ workspace, trust: 'trusted', width: 1440, height: 900 });
  try {
    const hands = handsOn(host.page);
    const docs = join(projectRoot(), 'docs');
    const story = await tellStory(host.page, hands, join(docs, 'images', 'tour'));
    await walk({ page: host.page, hands, story });
    await story.write(join(docs, 'tour.md'), OPENING);
  } catch (error) {
    await screenshot(host.page, join(projectRoot(), 'out', 'tour-failed.png'));
    throw error;
  } finally {
    await host.close();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
