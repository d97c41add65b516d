/** Starts child processes without a shell, with bounded output, and ends their process groups. */
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
  /**
   * Text for standard input, which is closed afterwards. Without it, standard input is not
   * connected.
   */
  readonly input?: string;
  /** Environment variables in addition to the variables that environment.ts selects. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Called with each line as it arrives, without its line terminator. */
  readonly onLine?: (line: string, stream: OutputStream) => void;
  /** Whether only the end of the output is kept, so that `onLine` has no limit on the output. */
  readonly keepsEnd?: true;
}

export interface ProcessResult {
  /** Exit code; null if a signal ended the process or it did not start. */
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly truncated: boolean;
  readonly spawnError?: string;
}

/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE_MS = 2000;
/**
 * Milliseconds after the exit until the pipes are closed. A descendant that left the process group
 * may keep them open.
 */
const PIPE_GRACE_MS = 1000;

/**
 * Runs a process until it ends; never rejects. A relative path or a batch file is refused with a
 * `spawnError`.
 */
export function runProcess(
  file: string,
  args: readonly string[],
  options: ProcessOptions,
): Promise<ProcessResult> {
  if (options.signal?.aborted === true && refuse(file, args) === undefined) {
    return Promise.resolve({ ...notStarted(), aborted: true });
  }
  const output = options.keepsEnd === true ? followOutput : collectOutput;
  return start(file, args, { ...options, output }, child => {
    child.stdin?.end(options.input);
  }).ended;
}

export interface LiveProcess {
  readonly write: (text: string) => void;
  /** Ends the process group with SIGTERM, then with SIGKILL. Repeated calls have no effect. */
  readonly stop: () => void;
  /**
   * Sets whether the event loop waits for the child process. An idle child process should not keep
   * this process running.
   */
  readonly hold: (isHeld: boolean) => void;
  /** Resolves with the last characters of the output when the process has ended; never rejects. */
  readonly ended: Promise<ProcessResult>;
}

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
  // A write fails if the child process exits without reading its input. Without a handler, the
  // error would end this process.
  child.stdin?.on('error', () => undefined);
  onStart(child);

  let force: NodeJS.Timeout | undefined;
  let exited = false;
  const stop = (): void => {
    const { pid } = child;
    // No signal is sent to a process that has exited, because its process ID may have been reused.
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
      // The group leader has exited, so its remaining descendants are ended.
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
      // If this process was paused, the timer may fire before pending output is read, so the output
      // is read first.
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

/**
 * Calls `ref` or `unref` on a process or pipe. Node types pipes as streams, but they are sockets.
 */
function hold(part: object | null, isHeld: boolean): void {
  const name = isHeld ? 'ref' : 'unref';
  const change: unknown = part === null ? undefined : Reflect.get(part, name);
  if (typeof change === 'function') Reflect.apply(change, part, []);
}

function refuse(file: string, args: readonly string[]): string | undefined {
  if (!path.isAbsolute(file)) return `'${file}' is not an absolute path.`;
  if (/\.(bat|cmd)$/i.test(file))
    return `'${file}' is a batch file, and batch files are never run.`;
  if ([file, ...args].some(text => text.includes('\0')))
    return 'An argument contains a NUL character.';
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
