/** Starts the Dawn worker for one job and decodes what it says. */
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
  /** Folder that Dawn is installed into for the user: taken where Node itself finds none. */
  readonly installed?: string;
  /** How it is installed here, as a sentence. */
  readonly howToInstall?: string;
  /** The Node that runs it; default: this process's own. */
  readonly node?: string;
  /** Machine part for measurements: `cli` or `extension host`. */
  readonly where: string;
  /** What a submit may take as predicted, where that differs. */
  readonly submitMs?: number;
}

type Final = Extract<
  Line,
  { type: 'availability' | 'measured' | 'validated' | 'located' | 'failed' }
>;

export type Answer =
  | Final
  /** The worker ended without an answer. */
  | {
      readonly type: 'ended';
      readonly why: 'cancelled' | 'silent' | 'crashed';
      readonly message: string;
    };

/**
 * The worker says something every second; silence means that a driver holds its thread, or that it computes itself: the inputs,
 * the reference. While it waits for the GPU it does not.
 */
const SILENCE_LIMIT_MS = 30_000;
const SILENCE_ON_GPU_LIMIT_MS = 4500;
/** Of a checkout, where Node looks for packages. */
const HOW_TO_INSTALL = `Install it in the folder of GEMM Explorer: npm install --no-save --ignore-scripts ${DAWN.name}@${DAWN.version}`;
const TOTAL_LIMIT_MS = 10 * 60_000;

export async function askWorker(
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
      // In desktop VS Code this process's executable is Electron.
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

/** Dawn and drivers print as well; what is not a line of ours is not for us. */
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
    const message = `Dawn stopped answering, so its process was ended: the driver may hang. ${RESTART}`;
    return { type: 'ended', why: 'silent', message };
  }
  const how = result.spawnError ?? result.signal ?? `exit code ${result.code ?? 'unknown'}`;
  const said = result.stderr.trim().slice(-1000);
  const message = [`The Dawn process ended without a result (${how}).`, said].join(' ').trim();
  return { type: 'ended', why: 'crashed', message };
}
