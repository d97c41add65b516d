#!/usr/bin/env node
/**
 * Stands in for desktop VS Code where there is none: takes the arguments that
 * `@vscode/test-electron` passes, runs the tests in the embedded host, ends with their exit code.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startHost, type Host } from '../../scripts/vscodeHost';
import { RESULT_VARIABLE, logPath, readIfThere, readResult, type TestResult } from './report';

interface Arguments {
  readonly extensionPath: string;
  readonly testsPath: string;
  readonly workspace: string | undefined;
  readonly restricted: boolean;
}

const DEFAULT_TIMEOUT_S = 300;

/**
 * What test-electron adds for the desktop (sandbox, updates, profile folders) means nothing here.
 */
function parse(args: readonly string[]): Arguments {
  const value = (name: string): string => {
    const found = args.find(arg => arg.startsWith(`${name}=`));
    if (found === undefined) throw new Error(`Pass ${name}=PATH, as @vscode/test-electron does.`);
    return resolve(found.slice(name.length + 1));
  };
  const workspace = args.find(arg => !arg.startsWith('-'));
  return {
    extensionPath: value('--extensionDevelopmentPath'),
    testsPath: value('--extensionTestsPath'),
    workspace: workspace === undefined ? undefined : resolve(workspace),
    restricted: args.includes('--restricted'),
  };
}

async function main(): Promise<number> {
  const { extensionPath, testsPath, workspace, restricted } = parse(process.argv.slice(2));
  const folder = mkdtempSync(join(tmpdir(), 'gemm-test-'));
  const removeFolder = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', removeFolder);
  const resultPath = process.env[RESULT_VARIABLE] ?? join(folder, 'result.json');
  rmSync(resultPath, { force: true });
  rmSync(logPath(resultPath), { force: true });
  const host = await startHost({
    workspace: workspace ?? folder,
    trust: restricted ? 'restricted' : 'trusted',
    extensionPath,
    extensionTestsPath: testsPath,
    env: { [RESULT_VARIABLE]: resultPath },
  });
  try {
    const result = await waitForResult(host, resultPath);
    return result.failures === 0 && result.tests > 0 ? 0 : 1;
  } finally {
    await host.close();
  }
}

/** Prints the tests' report as it grows, until the result is there. */
async function waitForResult(host: Host, resultPath: string): Promise<TestResult> {
  const seconds = Number(process.env['GEMM_TEST_TIMEOUT'] ?? DEFAULT_TIMEOUT_S);
  const deadline = Date.now() + seconds * 1000;
  let printed = 0;
  for (;;) {
    // Read first, print after: the log is complete before the result appears.
    const result = readResult(resultPath);
    const log = readIfThere(logPath(resultPath)) ?? '';
    process.stdout.write(log.slice(printed));
    printed = log.length;
    if (result !== undefined) return result;
    if (Date.now() > deadline || host.serverEnded())
      throw new Error(
        `${host.serverEnded() ? 'The VS Code server ended' : `No result after ${seconds} s (GEMM_TEST_TIMEOUT)`}. ` +
          `Output:\n${host.serverLog()}`,
      );
    await delay(100);
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
