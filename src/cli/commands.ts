/** Every command by name, in the order of the help. */
import type { Command } from './command';
import { checkCommand } from './commands/check';
import { devicesCommand } from './commands/devices';
import { layoutCommand, tuneCommand } from './commands/notYet';
import { occupancyCommand } from './commands/occupancy';

export const commands: Readonly<Record<string, Command>> = {
  devices: devicesCommand,
  check: checkCommand,
  occupancy: occupancyCommand,
  layout: layoutCommand,
  tune: tuneCommand,
};
