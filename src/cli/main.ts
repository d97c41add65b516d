/**
 * `gemm-explorer COMMAND`: runs the command, prints its result, and exits with the command's exit
 * code.
 */
import { stripVTControlCharacters } from 'node:util';
import { renderUsage, type ArgsDef, type CommandDef } from 'citty';
import type { Command, Context } from './command';
import { commands } from './commands';
import { runProgram } from './program';
import { EXIT, invalidInput, type Result } from './result';
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

await runProgram(run);
