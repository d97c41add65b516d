/** One file after the other: looked at, then acted on. */
import type { HostileFile } from '../corpus/entry';
import { clickLive, endJob, findLive, hoverShown, readNotifications, type Screen } from './screen';

export const isSpec = ({ path }: HostileFile): boolean => path.endsWith('.gemm.json');
export const isKernel = ({ path }: HostileFile): boolean => /\.(cu|wgsl)$/.test(path);
export const hasEditor = (file: HostileFile): boolean =>
  typeof file.content === 'string' && (isSpec(file) || isKernel(file));

/** Most hovers shown of one file. */
const MOST_HOVERS = 3;

/** Opens the file, shows its hovers and what the status bar has of it. No command of ours runs. */
export async function look(screen: Screen, file: HostileFile): Promise<boolean> {
  const { ask, page, during } = screen;
  during.what = `looking at ${file.id}`;
  const { opened } = await ask('open', { path: file.path });
  if (!opened) return false;
  for (const place of await ask('hovers', { path: file.path, most: MOST_HOVERS })) {
    await ask('hover', place);
    if (await hoverShown(page)) {
      screen.counts.hovers += 1;
      await clickLive(screen, 'hover');
    }
    await ask('workbench', { command: 'editor.action.hideHover' });
  }
  await clickLive(screen, 'lens');
  await ask('fixes', { path: file.path, most: 2 });
  const status = page.locator('.statusbar-item').filter({ hasText: 'GEMM' }).first();
  if ((await status.count()) > 0 && (await status.isVisible())) {
    await status.hover({ timeout: 2_000 }).catch(() => undefined);
    if (await hoverShown(page)) await clickLive(screen, 'hover');
    await page.mouse.move(700, 5);
  }
  await readNotifications(screen);
  return true;
}

const SPEC_COMMANDS = ['gemm.openExplorer', 'gemm.generate', 'gemm.runAndVerify'];
const KERNEL_COMMANDS = ['gemm.openExplorer', 'gemm.runAndVerify', 'gemm.describeKernel'];
const RARE_COMMANDS = [
  'gemm.benchmark',
  'gemm.showRoofline',
  'gemm.showPtx',
  'gemm.showSass',
  'gemm.comparePtx',
  'gemm.exportReport',
  'gemm.tune',
  'gemm.runLadder',
  'gemm.importNcu',
  'gemm.profile',
];

export interface Acts {
  commands: number;
}

/** Runs the commands that the file offers; `index` picks one of the rarer ones in turn. */
export async function act(
  screen: Screen,
  file: HostileFile,
  index: number,
  acts: Acts,
): Promise<void> {
  const { ask, during } = screen;
  const rare = RARE_COMMANDS[index % RARE_COMMANDS.length] ?? '';
  for (const command of [...(isSpec(file) ? SPEC_COMMANDS : KERNEL_COMMANDS), rare]) {
    during.what = `${command} of ${file.id}`;
    const { job } = await ask('start', { command, path: file.path });
    acts.commands += 1;
    await endJob(screen, job);
    if (command === 'gemm.openExplorer') await lookAtPages(screen);
  }
  during.what = `CodeLens of ${file.id}`;
  // VS Code shows a file with a NUL byte as binary, so it has no lenses.
  const isText = typeof file.content !== 'string' || !file.content.includes('\0');
  for (const job of isText ? await ask('lenses', { path: file.path }) : []) {
    acts.commands += 1;
    await endJob(screen, job);
  }
  await ask('workbench', { command: 'workbench.action.revertAndCloseActiveEditor' });
}

/** The explorer's page: links and images of file text in any frame. */
export async function lookAtPages(screen: Screen): Promise<void> {
  for (const frame of screen.page.frames()) {
    const targets = await findLive(frame, 'body', screen.bait).catch(() => []);
    if (frame === screen.page.mainFrame()) continue;
    for (const target of targets)
      screen.live.push({ where: `page of ${screen.during.what}`, target: target.slice(0, 200) });
  }
}
