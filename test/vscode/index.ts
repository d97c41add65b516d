/** Runs in the extension host: mocha over the compiled suites beside this module. */

import { readdirSync } from 'node:fs';
import { format } from 'node:util';
import { join } from 'node:path';
import Mocha from 'mocha';
import { RESULT_VARIABLE, appendLog, writeResult } from './report';

const TEST_TIMEOUT_MS = 60_000;

export async function run(): Promise<void> {
  const resultPath = process.env[RESULT_VARIABLE];
  const log = (...parts: readonly unknown[]): void => {
    const line = format(...parts);
    if (resultPath === undefined) console.log(line);
    else appendLog(resultPath, line);
  };
  // The extension host's console goes to the workbench; the report belongs to whoever started it.
  Mocha.reporters.Base.consoleLog = log;
  const result = await runMocha().catch((error: unknown) => {
    log(error);
    return { tests: 0, failures: 1 };
  });
  if (resultPath !== undefined) writeResult(resultPath, result);
  if (result.failures > 0) throw new Error(`${result.failures} of ${result.tests} tests failed.`);
  if (result.tests === 0) throw new Error('No tests ran.');
}

async function runMocha(): Promise<{ readonly tests: number; readonly failures: number }> {
  const grep = process.env['GEMM_TEST_GREP'];
  const mocha = new Mocha({
    ui: 'bdd',
    timeout: TEST_TIMEOUT_MS,
    forbidOnly: Boolean(process.env['CI']),
    ...(grep === undefined ? {} : { grep }),
  });
  const suites = join(__dirname, 'suite');
  for (const name of readdirSync(suites).sort())
    if (name.endsWith('.test.cjs')) mocha.addFile(join(suites, name));
  return await new Promise((resolve, reject) => {
    try {
      const runner = mocha.run(failures => {
        resolve({ tests: runner.stats?.tests ?? 0, failures });
      });
    } catch (error) {
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  });
}
