/**
 * Writes docs/tour.md and its screenshots from a session in a real VS Code.
 * `test/long/e2e/keyboardWalk.test.ts` runs the same steps without screenshots.
 *
 * node out/scripts/tour.js
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from './install/project';
import { walk } from './tour/walk';
import { handsOn } from './tour/hands';
import { tellStory, wrapped } from './tour/story';
import { screenshot, startHost } from './vscodeHost';

const OPENING = `# Tour

${wrapped('The tour has fourteen steps, from an empty folder to two measured kernels and the course. The steps explain how the tiles affect threads, registers, occupancy and the roofline. [Concepts](concepts.md) defines these terms.')}

${wrapped('`node out/scripts/tour.js` generates this page and its screenshots. The screenshots show runs on a software adapter, so ignore the rates.')}`;

const folder = await mkdtemp(join(tmpdir(), 'gemm-tour-'));
try {
  const workspace = join(folder, 'kernels');
  await mkdir(workspace);
  const host = await startHost({ workspace, trust: 'trusted', width: 1440, height: 900 });
  try {
    const hands = handsOn(host.page);
    const docs = join(projectRoot(), 'docs');
    const story = await tellStory(host.page, join(docs, 'images', 'tour'));
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
