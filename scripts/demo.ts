/** The main job in a real VS Code without hands: what it makes lies in out/demo. */

import { rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from './install/project';
import {
  runCommand,
  screenshot,
  startHost,
  waitForEditor,
  webviewFrame,
  type Host,
} from './vscodeHost';

interface Demo {
  readonly host: Host;
  readonly workspace: string;
  readonly out: string;
}

export async function runDemo(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gemm-demo-'));
  // On exit rather than at the end, so that it goes when we are interrupted as well.
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  const workspace = join(folder, 'sample');
  await cp(join(projectRoot(), 'scripts', 'sample'), workspace, { recursive: true });
  const out = join(projectRoot(), 'out', 'demo');
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const host = await startHost({ workspace, trust: 'trusted' });
  try {
    await drive({ host, workspace, out });
  } catch (error) {
    await screenshot(host.page, join(out, 'failed.png'));
    throw error;
  } finally {
    await host.close();
  }
  console.log(`Everything it made is in ${out}`);
}

async function drive(demo: Demo): Promise<void> {
  await generate(demo);
  await openExplorer(demo);
}

/** Palette: writes the files and opens them. */
async function generate({ host, out }: Demo): Promise<void> {
  await runCommand(host.page, 'GEMM: Generate tiled GEMM');
  await waitForEditor(host.page, '.cu');
  await screenshot(host.page, join(out, '1-generated.png'));
}

async function openExplorer({ host, out }: Demo): Promise<void> {
  await runCommand(host.page, 'GEMM: Open explorer');
  await webviewFrame(host.page);
  await screenshot(host.page, join(out, '2-explorer.png'));
}
