/** Writes to standard output and standard error. A failed write is never reported as success. */
import { writeSync } from 'node:fs';
import { codeOf } from '../host/text';
import { EXIT } from './result';

/**
 * Whether the reader has closed standard output, as `head -1` does. The command then continues and
 * keeps its exit code.
 */
let readerIsGone = false;

/**
 * Reports a write error and exits. If the reader has closed the stream, returns without a report.
 */
function failOutput(error: Error): void {
  if (readerIsGone) return;
  if (codeOf(error) === 'EPIPE') {
    readerIsGone = true;
    return;
  }
  try {
    writeSync(2, `Standard output could not be written: ${error.message}\n`);
  } catch {
    // Standard error is closed too; only the exit code remains.
  }
  process.exit(EXIT.no);
}

/**
 * Handles stream errors that occur between writes. Errors on standard error are ignored, because
 * they cannot be reported.
 */
export function watchStreams(): void {
  process.stdout.on('error', failOutput);
  process.stderr.on('error', () => undefined);
}

/**
 * Writes `text` to standard output. Resolves after the write, or immediately if the reader has
 * already closed the stream.
 */
export function writeOut(text: string): Promise<void> {
  return new Promise(resolve => {
    if (readerIsGone) {
      resolve();
      return;
    }
    process.stdout.write(text, error => {
      if (error) failOutput(error);
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
