/**
 * `bench SPEC... --against FILE`: measures each kernel and compares it with recorded runs, for CI.
 */
import { gate, gateReport, type Gated, type GateReport } from '../core/measure/gate';
import { readGateFile } from '../core/measure/gateFile';
import { HISTORY_LIMITS } from '../core/measure/historyReader';
import { junit } from '../core/measure/junit';
import type { Measurement } from '../core/measure/measurement';
import { messageOf } from '../host/text';
import { writeUserFile } from '../host/userFile';
import type { Context } from './command';
import { readNamed } from './input';
import { measured, type MeasureOptions } from './measure';
import { recordRuns } from './recordRuns';
import { EXIT, invalidInput, type ExitCode, type Result } from './result';
import { table } from './table';

export interface GateOptions extends MeasureOptions {
  readonly against: string;
  readonly maxSlowdownPercent: number;
  readonly junit?: string;
}

export const DEFAULT_SLOWDOWN = '3%';

export function slowdownIn(text: string): number {
  const [, number] = /^(\d+(?:\.\d+)?)\s*%?$/.exec(text.trim()) ?? [];
  if (number !== undefined) return Number(number);
  throw invalidInput(`Expected --max-slowdown to be a percentage such as 3%, got "${text}".`);
}

export async function runGate(
  paths: readonly string[],
  options: GateOptions,
  context: Context,
): Promise<Result> {
  const against = await runsOf(options.against, '--against');
  const results: Gated[] = [];
  for (const path of paths) {
    const measurement = await measured(path, options, context);
    results.push(gate(measurement, against, options.maxSlowdownPercent));
    if (context.abort.aborted) break;
  }
  const measurements = results.map(({ measurement }) => measurement);
  await recordRuns(measurements, options.record, context);
  const report = gateReport(results, options.maxSlowdownPercent);
  if (options.junit !== undefined) await write(options.junit, junit(report));
  return { exit: exitOf(report), json: report, text: describe(report) };
}

/** Reads recorded runs. `option` is the command-line option that is named in error messages. */
export async function runsOf(path: string, option: string): Promise<readonly Measurement[]> {
  const file = readGateFile(await readNamed(option, path, HISTORY_LIMITS.bytes));
  if (file.ok) return file.runs;
  throw invalidInput(`${option} is not a valid file of runs: ${path}, line ${file.line}`, [
    { path: `${path}:${file.line}`, message: file.message },
  ]);
}

async function write(path: string, text: string): Promise<void> {
  try {
    await writeUserFile(path, text);
  } catch (error) {
    throw invalidInput(`--junit: ${path} could not be written: ${messageOf(error)}`);
  }
}

/**
 * Returns the exit code. A slower or failed kernel is a negative result. If a kernel was not
 * measured or none was compared, a prerequisite is missing.
 */
function exitOf({ ok, results }: GateReport): ExitCode {
  if (ok) return EXIT.yes;
  const isMissed = results.some(({ verdict }) => verdict === 'slower' || verdict === 'failed');
  return isMissed ? EXIT.no : EXIT.lacking;
}

function describe({ results, ok, compared }: GateReport): string {
  const rows = results.map(({ specKey, verdict, message }) => [specKey, verdict, message]);
  const summary = `${ok ? 'Gate passed' : 'Gate failed'}: ${compared} of ${results.length} kernels compared.`;
  return `${table(rows)}\n\n${summary}`;
}
