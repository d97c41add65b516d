/** Settings and tasks: a workspace has one file of each, so they take turns. */
import { rm } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { until } from '../../../scripts/host/until';
import { SOUND } from '../corpus/corpus';
import type { HostileFile } from '../corpus/entry';
import { put, type Surroundings } from '../place';
import { endJob, readNotifications, type Screen } from './screen';
import type { Acts } from './visit';

/**
 * Returns the output folder of a settings file, if it is inside the workspace and not in .git or
 * .vscode.
 */
export function outputFolder(workspace: string, file: HostileFile): string | undefined {
  if (typeof file.content !== 'string') return undefined;
  const { 'gemm.outputFolder': folder } = JSON.parse(file.content) as Readonly<
    Record<string, unknown>
  >;
  if (typeof folder !== 'string' || folder === 'way-out') return undefined;
  if (/(^|\/)\.(git|vscode)(\/|$)/i.test(folder)) return undefined;
  const path = resolve(workspace, folder);
  return path.startsWith(`${workspace}${sep}`) ? path.slice(workspace.length + 1) : undefined;
}

/** Puts the file in its place, waits until the editor has read it, and generates. */
export async function takeTurn(
  screen: Screen,
  place: Surroundings,
  file: HostileFile,
  acts: Acts,
): Promise<void> {
  const { ask, during } = screen;
  during.what = file.id;
  await rm(join(place.workspace, file.path), { force: true });
  await put(place.workspace, file);
  if (file.category === 'settings' && typeof file.content === 'string') {
    const { 'editor.rulers': rulers } = JSON.parse(file.content) as { 'editor.rulers': unknown };
    await until(`the settings of ${file.id}`, async () =>
      JSON.stringify(await ask('rulers', null)) === JSON.stringify(rulers) ? true : undefined,
    );
    for (const command of ['gemm.generate', 'gemm.openExplorer', 'gemm.checkToolChain']) {
      during.what = `${command} with ${file.id}`;
      const { job } = await ask('start', { command, path: SOUND.path });
      acts.commands += 1;
      await endJob(screen, job);
    }
    return;
  }
  const label = file.id.replace('task-', '');
  if (await ask('trusted', null)) {
    // Shell and process tasks are VS Code's own: only what starts by itself is of interest there.
    const own = !label.endsWith('-open') || label === 'folder-open';
    acts.commands += own ? (await ask('tasks', { label: file.id })).length : 0;
  }
  await readNotifications(screen);
}
