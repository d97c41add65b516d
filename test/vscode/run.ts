/**
 * Runs the suites inside a real VS Code: the desktop one that GEMM_VSCODE names; on macOS and
 * Windows the one that @vscode/test-electron downloads; otherwise the embedded host.
 */

import { rmSync } from 'node:fs';
import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTests } from '@vscode/test-electron';
import { projectRoot } from '../../scripts/install/project';
import { RESULT_VARIABLE } from './report';

async function main(): Promise<void> {
  const root = projectRoot();
  const folder = await mkdtemp(join(tmpdir(), 'gemm-vscode-test-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  const workspace = join(folder, 'workspace');
  const resultPath = join(folder, 'result.json');
  const executable = process.env['GEMM_VSCODE'] ?? embedded();
  await cp(join(root, 'scripts', 'sample'), workspace, { recursive: true });
  await runTests({
    ...(executable === undefined ? {} : { vscodeExecutablePath: executable }),
    extensionDevelopmentPath: root,
    extensionTestsPath: join(import.meta.dirname, 'index.cjs'),
    launchArgs: [workspace],
    // The desktop prints the extension host's console itself.
    extensionTestsEnv: executable === embedded() ? { [RESULT_VARIABLE]: resultPath } : {},
  });
}

const embedded = (): string | undefined =>
  process.platform === 'linux' ? join(import.meta.dirname, 'launcher.js') : undefined;

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
