/**
 * Starts and runs processes without a shell, with bounded time and output, and without leftover
 * processes.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { childEnvironment } from './environment';
import { collectOutput, followOutput, type OutputStream } from './output';
import { signalGroup, track } from './processGroup';
import { codeOf, messageOf } from './text';

export interface ProcessOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs: number;
  /** Written to standard input, which is otherwise closed. */
  readonly input?: string;
  /** Added to the environment, see environment.ts. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Called for each complete line, without its line terminator, as it arrives. */
  readonly onLine?: (line: string, stream: OutputStream) => void;
}

export interface ProcessResult {
  /** Null if a signal ended the process or it never started. */
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** A stream exceeded the limit of 4 MB; its text ends with a line that reports this. */
  readonly truncated: boolean;
  /** The reason why the process could not be started. */
  readonly spawnError?: string;
}

/** Delay between SIGTERM and SIGKILL. */
const GRACE_MS = 2000;
/** A descendant that left the group may keep the pipes open; they are abandoned after this time. */
const PIPE_GRACE_MS = 1000;

/** Runs a process; never rejects. `file` is an absolute path, and never a batch file on Windows. */
export function runProcess(
  file: string,
  args: readonly string[],
  options: ProcessOptions,
): Promise<ProcessResult> {
  if (options.signal?.aborted === true && refuse(file, args) === undefined) {
    return Promise.resolve({ ...notStarted(), aborted: true });
  }
  return start(file, args, { ...options, output: collectOutput }, child => {
    child.stdin?.end(options.input);
  }).ended;
}

/** A long-running process that is controlled through its standard input. */
export interface LiveProcess {
  readonly write: (text: string) => void;
  /** Ends the whole group, with SIGTERM first. Calling it once is enough. */
  readonly stop: () => void;
  /**
   * Whether the event loop waits for it: an idle child does not prevent this process from ending.
   */
  readonly hold: (isHeld: boolean) => void;
  /** Never rejects; contains the end of the output. */
  readonly ended: Promise<ProcessResult>;
}

/** Starts a process under the same rules but without a timeout; the caller keeps the time. */
export function startProcess(
  file: string,
  args: readonly string[],
  options: Pick<ProcessOptions, 'env' | 'cwd' | 'onLine'>,
): LiveProcess {
  return start(file, args, { ...options, input: '', output: followOutput });
}

interface StartOptions extends Omit<ProcessOptions, 'timeoutMs'> {
  readonly timeoutMs?: number;
  readonly output: typeof collectOutput;
}

const NOTHING_LIVE = { write: () => undefined, stop: () => undefined, hold: () => undefined };

function start(
  file: string,
  args: readonly string[],
  options: StartOptions,
  onStart: (child: ChildProcess) => void = () => undefined,
): LiveProcess {
  const refusal = refuse(file, args);
  if (refusal !== undefined) {
    return { ...NOTHING_LIVE, ended: Promise.resolve(notStarted(refusal)) };
  }
  let child: ChildProcess;
  try {
    child = spawn(file, args, {
      shell: false,
      windowsHide: true,
      detached: process.platform !== 'win32',
      env: childEnvironment(options.env),
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
  } catch (error) {
    const why = explain(file, options.cwd, error);
    return { ...NOTHING_LIVE, ended: Promise.resolve(notStarted(why)) };
  }
  track(child);
  const stdout = options.output(child.stdout, 'stdout', options.onLine);
  const stderr = options.output(child.stderr, 'stderr', options.onLine);
  // A child that exits without reading its input breaks the pipe; its exit code reports the reason.
  child.stdin?.on('error', () => undefined);
  onStart(child);

  let force: NodeJS.Timeout | undefined;
  let exited = false;
  const stop = (): void => {
    const { pid } = child;
    // The process ID may have been reused.
    if (pid === undefined || force !== undefined || exited) return;
    signalGroup(pid, 'SIGTERM');
    force = setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE_MS);
  };
  const ended = new Promise<ProcessResult>(resolve => {
    let timedOut = false;
    let aborted = false;
    const deadline =
      options.timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            timedOut = true;
            stop();
          }, options.timeoutMs);
    const cancel = (): void => {
      aborted = true;
      stop();
    };
    options.signal?.addEventListener('abort', cancel);

    const finish = (code: number | null, signal: string | null, spawnError?: string): void => {
      clearTimeout(deadline);
      clearTimeout(force);
      options.signal?.removeEventListener('abort', cancel);
      child.stdin?.destroy();
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({
        code,
        signal,
        stdout: stdout.end(),
        stderr: stderr.end(),
        timedOut,
        aborted,
        truncated: stdout.truncated() || stderr.truncated(),
        ...(spawnError === undefined ? {} : { spawnError }),
      });
    };
    child.once('error', error => {
      if (child.pid === undefined) finish(null, null, explain(file, options.cwd, error));
    });
    child.once('exit', (code, signal) => {
      exited = true;
      clearTimeout(force);
      // The leader has exited, so end its remaining children.
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
      // After a pause of this process, the timer fires before pending pipe data is read: read it
      // first.
      const abandonPipes = setTimeout(() => setImmediate(finish, code, signal), PIPE_GRACE_MS);
      child.once('close', () => {
        clearTimeout(abandonPipes);
        finish(code, signal);
      });
    });
  });
  return {
    write: text => void child.stdin?.write(text),
    stop,
    hold: isHeld => {
      for (const part of [child, child.stdin, child.stdout, child.stderr]) hold(part, isHeld);
    },
    ended,
  };
}

/** Refs or unrefs a pipe of the child: Node types the pipes as streams, but they are sockets. */
function hold(part: object | null, isHeld: boolean): void {
  const name = isHeld ? 'ref' : 'unref';
  const change: unknown = part === null ? undefined : Reflect.get(part, name);
  if (typeof change === 'function') Reflect.apply(change, part, []);
}

function refuse(file: string, args: readonly string[]): string | undefined {
  if (!path.isAbsolute(file)) return `'${file}' is not an absolute path.`;
  if (/\.(bat|cmd)$/i.test(file)) return `'${file}' is a batch file; batch files are never run.`;
  if ([file, ...args].some(text => text.includes('\0'))) return 'An argument contains a NUL byte.';
  return undefined;
}

function explain(file: string, cwd: string | undefined, error: unknown): string {
  const code = codeOf(error);
  if (code === 'ENOENT' && cwd !== undefined && !existsSync(cwd)) {
    return `The folder '${cwd}' does not exist.`;
  }
  if (code === 'ENOENT') return `'${file}' does not exist.`;
  if (code === 'EACCES') return `'${file}' is not executable.`;
  if (code === 'ENOEXEC') return `'${file}' is not an executable for this machine.`;
  return `'${file}' could not be started: ${messageOf(error)}.`;
}

function notStarted(spawnError?: string): ProcessResult {
  return {
    code: null,
    signal: null,
    stdout: '',
    stderr: '',
    timedOut: false,
    aborted: false,
    truncated: false,
    ...(spawnError === undefined ? {} : { spawnError }),
  };
}
