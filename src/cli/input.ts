/** Reads the inputs of a command: a regular file, or `-` for standard input. */
import { NotRegular, openRegular, readRegular, readUpTo } from '../host/userFile';
import { messageOf } from '../host/text';
import { invalidInput, type Failure } from './result';

const MAX_FILE_BYTES = 4_000_000;
const MAX_REPORT_BYTES = 64_000_000;

export const nameOf = (path: string): string => (path === '-' ? 'Standard input' : path);

export const readText = (path: string): Promise<string> => read(path, MAX_FILE_BYTES);

export const readBytes = (path: string): Promise<Buffer> => bytesOf(path, MAX_REPORT_BYTES);

export const readReport = (path: string): Promise<string> => read(path, MAX_REPORT_BYTES);

/** Reads a file. `option` is the command-line option that is named in error messages. */
export async function readNamed(option: string, path: string, mostBytes: number): Promise<string> {
  return await read(path, mostBytes, `${option}: ${path} could not be read`);
}

async function read(path: string, mostBytes: number, what?: string): Promise<string> {
  return (await bytesOf(path, mostBytes, what)).toString('utf8');
}

async function bytesOf(
  path: string,
  mostBytes: number,
  what = `Cannot read ${nameOf(path)}`,
): Promise<Buffer> {
  try {
    return path === '-'
      ? await readUpTo(process.stdin, mostBytes)
      : await readRegular(path, mostBytes);
  } catch (error) {
    throw unread(what, error);
  }
}

/** Yields the contents of a file or of standard input in chunks, without a size limit. */
export async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const what = `Cannot read ${nameOf(path)}`;
  try {
    const stream = path === '-' ? process.stdin : (await openRegular(path)).createReadStream();
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    throw unread(what, error);
  }
}

export function stopReading(): void {
  process.stdin.destroy();
}

function unread(what: string, error: unknown): Failure {
  const fix =
    error instanceof NotRegular
      ? '. Fix: copy its contents to a regular file, or pass - to read standard input.'
      : '';
  return invalidInput(`${what}: ${messageOf(error)}${fix}`);
}
