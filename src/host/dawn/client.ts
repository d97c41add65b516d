/** Starts the Dawn worker for one job, and decodes its output. */
import { tmpdir } from 'node:os';
import * as v from 'valibot';
import type { Abort, RunProgress } from '../../core/measure/backend';
import { runProcess, type ProcessResult } from '../process';
import { lineSchema, RESTART, type Job, type Line } from './job';
import { DAWN } from './pinned';
import type { DawnSwitches } from './toggles';

export interface DawnOptions extends DawnSwitches {
  /** Path of the bundled worker, `dist/dawnWorker.js`. */
  readonly worker: string;
  /**
   * Folder in which Dawn is installed for the user. Used if Node's module resolution finds no
   * package.
   */
  readonly installed?: string;
  readonly howToInstall?: string;
  /** Path of the Node executable that runs the worker; default: the executable of this process. */
  readonly node?: string;
  /** Location in measurements, such as `cli` or `extension host`. */
  readonly where: string;
  /** Maximum predicted time of a submit in milliseconds; default: `SUBMIT_MS`. */
  readonly submitMs?: number;
}

type Final = Extract<
  Line,
  { type: 'availability' | 'measured' | 'validated' | 'located' | 'failed' }
>;

export type Answer =
  | Final
  /** The worker ended without a response. */
  | {
      readonly type: 'ended';
      readonly why: 'cancelled' | 'silent' | 'crashed';
      readonly message: string;
    };

/**
 * Maximum time in milliseconds without output of the worker, which normally prints a line every
 * second. It prints nothing while a driver blocks its thread, or while it computes inputs or the
 * reference. On the GPU a shorter limit applies, because the worker prints while it waits.
 */
const SILENCE_LIMIT_MS = 30_000;
const SILENCE_ON_GPU_LIMIT_MS = 4500;
/**
 * Default instruction, for a checkout: Node's module resolution searches the folder of GEMM
 * Explorer.
 */
const HOW_TO_INSTALL = `Install the package in the folder of GEMM Explorer: npm install --no-save --ignore-scripts ${DAWN.name}@${DAWN.version}`;
const TOTAL_LIMIT_MS = 10 * 60_000;

export async function requestWorker(
  options: DawnOptions,
  job: Job,
  extraEnvironment: Readonly<Record<string, string>>,
  abort?: Abort,
  onProgress: (progress: RunProgress) => void = () => undefined,
): Promise<Answer> {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort();
  };
  abort?.addEventListener('abort', stop);
  if (abort?.aborted === true) stop();
  let silence = setTimeout(stop, SILENCE_LIMIT_MS);
  let limitMs = SILENCE_LIMIT_MS;
  let answer: Final | undefined;

  const { worker, installed } = options;
  const args = installed === undefined ? [worker] : [worker, installed];
  const result = await runProcess(options.node ?? process.execPath, args, {
    signal: controller.signal,
    timeoutMs: TOTAL_LIMIT_MS,
    input: JSON.stringify(job),
    env: {
      // In desktop VS Code, the executable of this process is Electron.
      ELECTRON_RUN_AS_NODE: '1',
      ...(process.env['XDG_RUNTIME_DIR'] === undefined ? { XDG_RUNTIME_DIR: tmpdir() } : {}),
      ...extraEnvironment,
    },
    onLine: (text, stream) => {
      const line = stream === 'stdout' ? decodeLine(text) : undefined;
      if (line?.type === 'progress') {
        limitMs = line.onGpu === true ? SILENCE_ON_GPU_LIMIT_MS : SILENCE_LIMIT_MS;
      }
      clearTimeout(silence);
      silence = setTimeout(stop, limitMs);
      if (line?.type === 'progress') {
        onProgress({
          stage: line.stage,
          ...(line.fraction === undefined ? {} : { fraction: line.fraction }),
        });
      } else if (line !== undefined && line.type !== 'alive') answer = line;
    },
  });
  clearTimeout(silence);
  abort?.removeEventListener('abort', stop);
  if (answer?.type === 'failed' && answer.installable === true) {
    return { ...answer, next: options.howToInstall ?? HOW_TO_INSTALL };
  }
  return answer ?? ended(result, abort?.aborted === true);
}

/**
 * Decodes a message of the worker. Returns undefined for other lines, because Dawn and drivers
 * print to the same stream.
 */
function decodeLine(text: string): Line | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const decoded = v.safeParse(lineSchema, JSON.parse(text));
    return decoded.success ? decoded.output : undefined;
  } catch {
    return undefined;
  }
}

function ended(result: ProcessResult, cancelled: boolean): Answer {
  if (cancelled) return { type: 'ended', why: 'cancelled', message: 'Cancelled.' };
  if (result.aborted || result.timedOut) {
    const message = `Dawn stopped responding, so its process was ended. The driver may hang. ${RESTART}`;
    return { type: 'ended', why: 'silent', message };
  }
  const how = result.spawnError ?? result.signal ?? `exit code ${result.code ?? 'unknown'}`;
  const stderrTail = result.stderr.trim().slice(-1000);
  const message = [`The Dawn process ended without a result (${how}).`, stderrTail]
    .join(' ')
    .trim();
  return { type: 'ended', why: 'crashed', message };
}
