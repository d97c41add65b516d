/** Writes to standard output and standard error; what cannot be written is never a success. */
import { writeSync } from 'node:fs';
import { EXIT } from './result';

/** Ends the program: its answer reaches nobody. A reader that closes early, such as `head`, is no error of ours. */
function lost(error: Error): never {
  if ('code' in error && error.code === 'EPIPE') process.exit(EXIT.yes);
  try {
    writeSync(2, `Standard output could not be written: ${error.message}\n`);
  } catch {
    // Nobody to tell; the exit code says it.
  }
  process.exit(EXIT.no);
}

/** Errors between two writes; without standard error the exit code still says it. */
export function watchStreams(): void {
  process.stdout.on('error', lost);
  process.stderr.on('error', () => undefined);
}

/** Writes text as it is, and resolves when it is out. */
export function writeOut(text: string): Promise<void> {
  return new Promise(resolve => {
    process.stdout.write(text, error => {
      if (error) lost(error);
      resolve();
    });
  });
}

export function writeError(text: string): Promise<void> {
  return new Promise(resolve => {
    process.stderr.write(text, () => {
      resolve();
    });
  });
}
