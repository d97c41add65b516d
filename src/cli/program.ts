/** Runs the CLI or one of its commands as a process: output, errors, signals and the exit code. */
import type { Context } from './command';
import { watchStreams, writeError, writeOut } from './output';
import { EXIT, Failure, interrupted, type ExitCode, type Result } from './result';
import { endCancelled, watchSignals } from './signals';

const line = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

async function print(result: Result, asJson: boolean): Promise<void> {
  if (asJson && result.json !== undefined) await writeOut(line(JSON.stringify(result.json)));
  else if (result.text !== undefined) await writeOut(line(result.text));
}

/**
 * Prints an error on standard error and, with `--json`, also as JSON on standard output. Returns
 * the exit code.
 */
async function fail(error: unknown, asJson: boolean): Promise<ExitCode> {
  const known = error instanceof Failure;
  const message = known ? error.message : `Unexpected: ${describe(error)}`;
  const problems = known ? error.problems : [];
  const lines = problems.map(({ path, message: what }) => `  ${path}${path && ': '}${what}`);
  await writeError(line([message, ...lines].join('\n')));
  if (asJson) await writeOut(line(JSON.stringify({ error: { message, problems } })));
  return known ? error.exit : EXIT.no;
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** Runs a program with the arguments of this process, and exits with its exit code. */
export async function runProgram(
  run: (args: readonly string[], context: Context) => Promise<Result>,
): Promise<void> {
  const args = process.argv.slice(2);
  const asJson = args.includes('--json');
  const abort = watchSignals();
  watchStreams();
  const context: Context = {
    abort,
    note: text => void process.stderr.write(line(text)),
  };
  const exit = await run(args, context)
    .then(async result => {
      await print(result, asJson);
      return result.exit;
    })
    .catch((error: unknown) => fail(abort.aborted ? interrupted() : error, asJson));
  if (abort.aborted) await endCancelled();
  process.exit(exit);
}
