/**
 * What the tests inside VS Code tell the process that started it: a log that grows, then a result.
 */

import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Names the result file; the extension host inherits it. */
export const RESULT_VARIABLE = 'GEMM_TEST_RESULT';

export interface TestResult {
  readonly tests: number;
  readonly failures: number;
}

export const logPath = (resultPath: string): string => `${resultPath}.log`;

export function appendLog(resultPath: string, line: string): void {
  appendFileSync(logPath(resultPath), `${line}\n`);
}

/** Renamed into place, so that whoever waits for the file never reads half of it. */
export function writeResult(resultPath: string, result: TestResult): void {
  writeFileSync(`${resultPath}.new`, JSON.stringify(result));
  renameSync(`${resultPath}.new`, resultPath);
}

/** The result, or undefined while the tests still run. */
export function readResult(resultPath: string): TestResult | undefined {
  const text = readIfThere(resultPath);
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  if (!isResult(value)) throw new Error(`${resultPath} holds no test result: ${text}`);
  return value;
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const isResult = (value: unknown): value is TestResult =>
  typeof value === 'object' &&
  value !== null &&
  'tests' in value &&
  typeof value.tests === 'number' &&
  'failures' in value &&
  typeof value.failures === 'number';
