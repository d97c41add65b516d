/**
 * Runs a function of a Python file in a process of its own. The process handles one request at a
 * time, and its process group is ended after a failure or a timeout.
 */
import { randomInt } from 'node:crypto';
import * as fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import script from '../../../shaders/python/callable.py';
import type { Runnable } from '../../core/kernel/kernel';
import type { Outcome } from '../../core/measure/measurement';
import { startProcess } from '../process';
import { printable } from '../text';
import { describeFailure } from '../toolchain';
import { decodeAnswer, openRequest, type Asked, type AnswerTo } from './answers';
import type { Python } from './findPython';

export interface PythonFailure {
  readonly ok: false;
  readonly outcome: Outcome;
  readonly message: string;
}
type Result<T> = { readonly ok: true; readonly value: T } | PythonFailure;

export interface PythonKernel {
  readonly about: AnswerTo<'open'>;
  /** Writes C of one call to a file without padding, in the layout of C; returns its path. */
  readonly result: (sets: number) => Promise<Result<string>>;
  /** Returns the milliseconds of a batch of calls. If `warm`, untimed calls precede. */
  readonly batch: (launches: number, warm: boolean) => Promise<Result<AnswerTo<'batch'>>>;
  /** Ends the process group and removes the files. */
  readonly end: () => Promise<void>;
}

/** Time limits in milliseconds. Triton compiles and autotunes during the first result. */
export interface PythonLimits {
  readonly openMs: number;
  readonly resultMs: number;
  readonly batchMs: number;
}
export const PYTHON_LIMITS: PythonLimits = { openMs: 120_000, resultMs: 300_000, batchMs: 60_000 };

export interface PythonOptions {
  readonly seed: number;
  /** GPU index, as listed by nvidia-smi. */
  readonly gpu: number;
  readonly signal: AbortSignal;
  readonly limits?: PythonLimits;
}

/** Starts the interpreter and loads the file. */
export async function startPython(
  { path: program, version }: Python,
  runnable: Runnable,
  { seed, gpu, signal, limits = PYTHON_LIMITS }: PythonOptions,
): Promise<Result<PythonKernel>> {
  // Python searches modules in the current folder first, so the process gets an empty folder.
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'gemm-explorer-python-'));
  let hear: (line: string) => void = () => undefined;
  const live = startProcess(program, ['-u', '-c', script], {
    cwd: folder,
    env: {
      CUDA_DEVICE_ORDER: 'PCI_BUS_ID',
      PYTHONUTF8: '1',
      PYTHONDONTWRITEBYTECODE: '1',
    },
    onLine: (line, stream) => {
      if (stream === 'stdout') hear(line);
    },
  });
  const end = async (): Promise<void> => {
    live.stop();
    await Promise.race([live.ended, pause(LONGEST_END_MS)]);
    await fs.rm(folder, { recursive: true, force: true });
  };
  const ask = <T extends Asked>(asked: T, request: object, limitMs: number) =>
    new Promise<Result<AnswerTo<T>>>(resolve => {
      const id = randomInt(1, 2 ** 31 - 1);
      const settle = (result: Result<AnswerTo<T>>): void => {
        clearTimeout(deadline);
        signal.removeEventListener('abort', cancel);
        hear = () => undefined;
        if (!result.ok) live.stop();
        resolve(result);
      };
      const fail = (outcome: Outcome, message: string): void => {
        settle({ ok: false, outcome, message });
      };
      const deadline = setTimeout(() => {
        const seconds = Math.round(limitMs / 100) / 10;
        fail('timeout', `${runnable.entry} exceeded ${seconds} s and was stopped.`);
      }, limitMs);
      const cancel = (): void => {
        fail('cancelled', 'The run was cancelled.');
      };
      signal.addEventListener('abort', cancel);
      hear = line => {
        const decoded = decodeAnswer(line, id, asked);
        if (decoded?.kind === 'answer') settle({ ok: true, value: decoded.answer });
        else if (decoded?.kind === 'failed') fail(decoded.outcome, decoded.message);
        else if (decoded !== undefined) {
          const why = printable(decoded.why, 300);
          fail('launch-error', `The Python process returned an invalid answer: ${why}`);
        }
      };
      void live.ended.then(result => {
        const why = `The Python process (${program}, ${version}) ${describeFailure(result)}`;
        fail(result.spawnError === undefined ? 'launch-error' : 'unavailable', why);
      });
      if (signal.aborted) cancel();
      else live.write(`${JSON.stringify({ id, ...request })}\n`);
    });
  const opened = await ask('open', openRequest(runnable, { seed, gpu }), limits.openMs);
  if (!opened.ok) {
    await end();
    return opened;
  }
  const file = path.join(folder, 'c.bin');
  return {
    ok: true,
    value: {
      about: opened.value,
      result: async sets => {
        const wrote = await ask('result', { do: 'result', sets, file }, limits.resultMs);
        if (!wrote.ok) return wrote;
        // The function can replace the file, and reading a FIFO would block the reader.
        const stats = await fs.lstat(file).catch(() => undefined);
        if (stats?.isFile() === true) return { ok: true, value: file };
        const message = 'The Python process wrote no result.';
        return { ok: false, outcome: 'launch-error', message };
      },
      batch: (launches, warm) => ask('batch', { do: 'batch', launches, warm }, limits.batchMs),
      end,
    },
  };
}

/** Maximum time in milliseconds to wait for the end of a process that a driver may block. */
const LONGEST_END_MS = 5000;

const pause = (delayMs: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, delayMs).unref());
