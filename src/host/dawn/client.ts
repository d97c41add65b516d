/** Starts the Dawn worker for one job and decodes its output. */
import { tmpdir } from 'node:os';
import * as v from 'valibot';
import type { Abort, RunProgress } from '../../core/measure/backend';
import { runProcess, type ProcessResult } from '../process';
import { lineSchema, RESTART, type Job, type Line } from './job';
import { DAWN } from './pinned';
import type { DawnSwitches } from './toggles';

export interface DawnOptions extends DawnSwitches {
  /** The bundled worker, `dist/dawnWorker.js`. */
  readonly worker: string;
  /** Folder into which Dawn is installed for the user; used if Node finds no package. */
  readonly installed?: string;
  /** Installation instructions, as a sentence. */
  readonly howToInstall?: string;
  /** The Node executable that runs it; default: that of this process. */
  readonly node?: string;
  /** Host, recorded in measurements: `cli` or `extension host`. */
  readonly where: string;
  /** Predicted time that one submit may take, if not the default. */
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
 * The worker reports every second. Silence means that a driver blocks its thread, or that it
 * computes inputs or the reference. It reports while it waits for the GPU.
 */
const SILENCE_LIMIT_MS = 30_000;
const SILENCE_ON_GPU_LIMIT_MS = 4500;
/** In a checkout, where Node searches for packages. */
const HOW_TO_INSTALL = `Install it in the folder of GEMM Explorer: npm install --no-save --ignore-scripts ${DAWN.name}@${DAWN.version}`;
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
      // In desktop VS Code, this process's executable is Electron.
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

/** Decodes a line of the stream, which Dawn and drivers also print to; ignores other lines. */
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
    const message = `Dawn stopped responding, so its process was ended; the driver may hang. ${RESTART}`;
    return { type: 'ended', why: 'silent', message };
  }
  const how = result.spawnError ?? result.signal ?? `exit code ${result.code ?? 'unknown'}`;
  const stderrTail = result.stderr.trim().slice(-1000);
  const message = [`The Dawn process ended without a result (${how}).`, stderrTail]
    .join(' ')
    .trim();
  return { type: 'ended', why: 'crashed', message };
}
