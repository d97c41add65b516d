/**
 * `gemm-explorer COMMAND`: runs the command, prints its result, and exits with the command's exit
 * code.
 */
import { stripVTControlCharacters } from 'node:util';
import { renderUsage, type ArgsDef, type CommandDef } from 'citty';
import type { Command, Context } from './command';
import { commands } from './commands';
import { endCancelled, watchSignals } from './signals';
import { watchStreams, writeError, writeOut } from './output';
import { EXIT, Failure, interrupted, invalidInput, type ExitCode, type Result } from './result';
import { version } from './version';

const NAME = 'gemm-explorer';

const root: CommandDef = {
  meta: {
    name: NAME,
    version,
    description: 'Generate, analyze, run and measure tiled GEMM kernels',
  },
  subCommands: Object.fromEntries(
    Object.entries(commands).map(([name, { meta, args }]) => [name, { meta, args }]),
  ),
};

/**
 * Replaces the names of positional arguments, which citty prints in the usage, with their value
 * hints, such as SPEC|FILE.
 */
const shown = (args: ArgsDef): ArgsDef =>
  Object.fromEntries(
    Object.entries(args).map(([name, { valueHint, ...rest }]) =>
      rest.type === 'positional' ? [valueHint ?? name, rest] : [name, args[name] ?? rest],
    ),
  );

async function usage(command?: Command): Promise<string> {
  const text = await (command === undefined
    ? renderUsage(root)
    : renderUsage({ meta: command.meta, args: shown(command.args) }, root));
  // citty adds color codes to the help even if the output is not a terminal.
  return process.stdout.isTTY ? text : stripVTControlCharacters(text);
}

async function run(args: readonly string[], context: Context): Promise<Result> {
  const [name, ...rest] = args;
  if (name === '--version' || name === '-v') return { exit: EXIT.yes, text: version };
  if (name === '--help' || name === '-h') return { exit: EXIT.yes, text: await usage() };
  if (name === undefined) throw invalidInput(`No command.\n\n${await usage()}`);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    throw invalidInput(`Unknown command "${name}". Commands: ${Object.keys(commands).join(', ')}.`);
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    return { exit: EXIT.yes, text: await usage(command) };
  }
  return await command.run(rest, context);
}

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

async function main(): Promise<void> {
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

await main();
