/** Maps command names to commands, in the order of the help text. */
import type { Command } from './command';
import { analyzeCommand } from './commands/analyze';
import { annotateCommand } from './commands/annotate';
import { auditCommand } from './commands/audit';
import { benchCommand } from './commands/bench';
import { ceilingsCommand } from './commands/ceilings';
import { checkCommand } from './commands/check';
import { compileCommand } from './commands/compile';
import { devicesCommand } from './commands/devices';
import { dispatchCommand } from './commands/dispatch';
import { doctorCommand } from './commands/doctor';
import { exportCommand } from './commands/export';
import { generateCommand } from './commands/generate';
import { inspectCommand } from './commands/inspect';
import { ladderCommand } from './commands/ladder';
import { layoutCommand } from './commands/layout';
import { loopsCommand } from './commands/loops';
import { learnCommand } from './commands/learn';
import { mcp } from './commands/mcp';
import { ncuCommand } from './commands/ncu';
import { occupancyCommand } from './commands/occupancy';
import { quizCommand } from './commands/quiz';
import { rankCommand } from './commands/rank';
import { regressCommand } from './commands/regress';
import { runCommand } from './commands/run';
import { seedCommand } from './commands/seed';
import { shareCommand } from './commands/share';
import { tuneCommand } from './commands/tune';

export const commands: Readonly<Record<string, Command>> = {
  doctor: doctorCommand,
  devices: devicesCommand,
  check: checkCommand,
  generate: generateCommand,
  export: exportCommand,
  share: shareCommand,
  annotate: annotateCommand,
  compile: compileCommand,
  inspect: inspectCommand,
  run: runCommand,
  bench: benchCommand,
  regress: regressCommand,
  ceilings: ceilingsCommand,
  analyze: analyzeCommand,
  ncu: ncuCommand,
  occupancy: occupancyCommand,
  quiz: quizCommand,
  rank: rankCommand,
  dispatch: dispatchCommand,
  ladder: ladderCommand,
  seed: seedCommand,
  layout: layoutCommand,
  loops: loopsCommand,
  learn: learnCommand,
  tune: tuneCommand,
  audit: auditCommand,
  mcp,
};
