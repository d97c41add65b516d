/**
 * Processes: what the hook in the extension host noted, and, where strace is here, every program of
 * the whole tree.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Noted {
  readonly kind: 'process' | 'connection';
  readonly what: string;
  readonly stack: string;
}

export function hookNotes(records: string): readonly Noted[] {
  return readdirSync(records)
    .filter(name => name.startsWith('hook-'))
    .flatMap(name => readFileSync(join(records, name), 'utf8').split('\n'))
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Noted);
}

/** Ids of hostile links whose command ran. */
export const commandNotes = (records: string): readonly string[] => {
  const file = join(records, 'commands.jsonl');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
};

/** Arguments for strace that write each program that is started to a file. */
export const traceArguments = (file: string): readonly string[] => [
  '-f',
  '-qq',
  '--seccomp-bpf',
  '-e',
  'trace=execve',
  '-e',
  'signal=none',
  '-s',
  '1000',
  '-o',
  file,
];

export interface Executed {
  readonly program: string;
  readonly line: string;
}

/**
 * Successful calls; a call that strace shows in two parts counts by its first unless its second
 * reports a failure.
 */
export function executed(file: string): readonly Executed[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const failed = (index: number, line: string): boolean => {
    if (line.includes(' = -1 ')) return true;
    if (!line.endsWith('<unfinished ...>')) return false;
    const [pid = ''] = line.split(' ');
    const rest = lines
      .slice(index + 1)
      .find(next => next.startsWith(`${pid} `) && next.includes('execve resumed'));
    return rest?.includes(' = -1 ') === true;
  };
  return lines.flatMap((line, index) => {
    const program = /^\d+ +execve\("((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
    return program === undefined || failed(index, line) ? [] : [{ program, line }];
  });
}
