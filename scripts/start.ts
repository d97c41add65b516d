/**
 * `npm start`: opens a sample workspace with GEMM Explorer, in a desktop VS Code if installed,
 * otherwise in the embedded host. Without a display, or with --headless, the demo runs unattended.
 * --serve starts the embedded host and only prints its address, for a remote browser (over an SSH
 * tunnel).
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runDemo } from './demo';
import { browserFlags } from './host/browser';
import { startGroup, stopGroup } from './host/processes';
import { hasDisplay, isExecutable, onPath } from './install/find';
import { projectRoot } from './install/project';
import { startHostServer, type HostServer } from './vscodeHost';

async function main(args: readonly string[]): Promise<void> {
  const unknown = args.find(arg => !['--headless', '--serve'].includes(arg));
  if (unknown !== undefined)
    throw new Error(`Unknown option ${unknown}. Fix: use --headless, --serve or no option.`);
  if (args.includes('--serve')) await serve(false);
  else if (args.includes('--headless') || !hasDisplay()) await runDemo();
  else {
    const desktop = desktopVscode();
    if (desktop === undefined) await serve(true);
    else await openDesktop(desktop);
  }
}

/**
 * Returns the value of GEMM_VSCODE if set, otherwise the VS Code executable of `code` on PATH;
 * undefined if there is none.
 */
function desktopVscode(): string | undefined {
  const chosen = process.env['GEMM_VSCODE'];
  if (chosen !== undefined && chosen !== '') return chosen;
  const code = onPath('code');
  if (process.platform !== 'win32' || code === undefined) return code;
  // On Windows, `code` is a batch file, which requires a shell; the executable is one folder up.
  const program = join(dirname(dirname(code)), 'Code.exe');
  return isExecutable(program) ? program : undefined;
}

/**
 * Copies missing files of the sample workspace to out/, where changes persist between sessions, and
 * returns the path of the copy.
 */
async function sampleWorkspace(): Promise<string> {
  const workspace = join(projectRoot(), 'out', 'sample-workspace');
  const sample = join(projectRoot(), 'scripts', 'sample');
  await cp(sample, workspace, { recursive: true, force: false });
  return workspace;
}

async function openDesktop(executable: string): Promise<void> {
  const workspace = await sampleWorkspace();
  console.log(`Opening ${workspace} in ${executable}`);
  const args = ['--new-window', '--wait', `--extensionDevelopmentPath=${projectRoot()}`, workspace];
  const child = spawn(executable, args, { stdio: 'inherit' });
  await once(child, 'exit');
}

async function serve(openBrowser: boolean): Promise<void> {
  const host = await startHostServer({ workspace: await sampleWorkspace(), trust: 'trusted' });
  console.log(`GEMM Explorer: ${host.url}\nPress Ctrl-C to stop the server.`);
  if (openBrowser) openWindow(host);
  await host.server.whenEnded;
  await host.close();
  throw new Error(`The VS Code server exited. Output:\n${host.server.log()}`);
}

/** Opens a separate window, because the user's browser may have WebGPU disabled. */
function openWindow(host: HostServer): void {
  const profile = `--user-data-dir=${join(host.folder, 'browser')}`;
  const args = [...browserFlags(), profile, `--app=${host.url}`];
  const child = startGroup(host.browser, args, {}, () => undefined);
  host.closeFirst(() => stopGroup(child));
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
