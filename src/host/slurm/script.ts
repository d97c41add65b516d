/** Batch scripts of a job. They run in its folder, so they do not contain its path. */
import { sbatchOptions, type SlurmOptions } from '../../core/search/tune/slurmOptions';

/** Program that a task executes. Paths may contain any character except NUL. */
export interface TaskProgram {
  readonly node: string;
  /** `dist/slurmTask.cjs`. */
  readonly script: string;
  /** Whether `node` is Electron, which runs as Node only if a variable requests it. */
  readonly isElectron?: boolean;
}

/** Quotes a text for a POSIX shell. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Label of a wave of tasks, or of the final task. */
export type Wave = number | 'final';

export const scriptName = (wave: Wave): string =>
  wave === 'final' ? 'final.sh' : `wave-${wave}.sh`;

export interface ScriptInput {
  readonly kind: 'tune' | 'audit';
  /** Folder name of the job. */
  readonly id: string;
  readonly wave: Wave;
  readonly options: SlurmOptions;
  readonly program: TaskProgram;
}

const PURPOSE: Readonly<Record<ScriptInput['kind'], Readonly<Record<'wave' | 'final', string>>>> = {
  tune: {
    wave: 'Each task verifies and times its share of the schedules, and appends to its own journal.',
    final: 'Merges the journals, measures missing schedules, and races the finalists on one GPU.',
  },
  audit: {
    wave: 'Each task verifies and times its share of the shapes, and appends to its own journal.',
    final: 'Merges the journals, and measures missing shapes.',
  },
};

export function scriptText({ kind, id, wave, options, program }: ScriptInput): string {
  const isFinal = wave === 'final';
  const { tasks } = options;
  const label = isFinal ? 'final' : `wave-${wave}`;
  const sbatch = [
    `--job-name=gemm-${kind}`,
    ...(isFinal ? [] : [`--array=0-${tasks - 1}`]),
    '--ntasks=1',
    '--requeue',
    '--open-mode=append',
    `--output=logs/${label}${isFinal ? '' : '-%a'}.log`,
    ...sbatchOptions(options),
  ];
  return [
    '#!/bin/bash',
    `# GEMM Explorer, ${id}: ${isFinal ? 'the final task' : `wave ${wave} of ${tasks} tasks`}.`,
    `# ${PURPOSE[kind][isFinal ? 'final' : 'wave']}`,
    `# To submit it again: cd to the folder of this file, and run sbatch ${scriptName(wave)}.`,
    ...sbatch.map(option => `#SBATCH ${option}`),
    '',
    'set -eu',
    ...(program.isElectron === true ? ['export ELECTRON_RUN_AS_NODE=1'] : []),
    `exec ${[
      shellQuoted(program.node),
      shellQuoted(program.script),
      `--wave ${wave}`,
      `--tasks ${tasks}`,
    ].join(' ')}`,
    '',
  ].join('\n');
}
