/** Writes to standard output and standard error; what cannot be written is never a success. */
import { writeSync } from 'node:fs';
import { codeOf } from '../host/text';
import { EXIT } from './result';

/** The reader of standard output has closed it, as `head -1` does: the command goes on, and its exit code stays its own. */
let readerIsGone = false;

/** Ends the program, because its answer reaches nobody. */
function lost(error: Error): void {
  if (readerIsGone) return;
  if (codeOf(error) === 'EPIPE') {
    readerIsGone = true;
    return;
  }
  try {
    writeSync(2, `Standard output could not be written: ${error.message}\n`);
  } catch {
    // Standard error is closed, too; the exit code remains.
  }
  process.exit(EXIT.no);
}

/** Errors between two writes; without standard error the exit code remains. */
export function watchStreams(): void {
  process.stdout.on('error', lost);
  process.stderr.on('error', () => undefined);
}

/** Writes text as it is, and resolves when it is out, or when there is no reader. */
export function writeOut(text: string): Promise<void> {
  return new Promise(resolve => {
    if (readerIsGone) {
      resolve();
      return;
    }
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
