/** Runs the executable of the cpu backend, and compares the results with the reference. */
import * as fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Runnable } from '../../core/kernel/kernel';
import type { Evidence } from '../../core/verify/judge/evidence';
import { NOT_VERIFIED, type Measurement, type Outcome } from '../../core/measure/measurement';
import { DTYPE_BYTES } from '../../core/types/dtype';
import { checkedOf } from '../../core/verify/bound';
import { verifyResult } from '../../core/verify/verify';
import { mapTile } from '../../core/verify/wrongMap';
import type { SearchOptions } from '../executables';
import { runProcess, type ProcessResult } from '../process';
import { describeFailure } from '../toolchain';
import { buffersOf } from '../../core/spec/resolved';
import { callsOf, isJudged, lettersOf, readCalls, writeCalls } from './calls';
import { bytesBefore, matrixOf } from './data';
import { described, outcomeOf } from './findings';
import { linesOf } from './lines';
import { decodeLine, type CpuResult } from './output';
import { kernelFileOf } from './program';

export interface RunOptions {
  readonly search: SearchOptions;
  readonly signal?: AbortSignal;
  /**
   * Time limit per kernel in milliseconds. The executable stops a late kernel and reports its
   * position.
   */
  readonly limitMs: number;
  readonly onProgress?: (job: number, fraction: number) => void;
  /** Whether correct kernels run again, to judge later launches; default false. */
  readonly judges?: boolean;
}

export type Verdict = Pick<Measurement, 'outcome' | 'verification' | 'message' | 'findings'> & {
  /** Evidence for the judge; missing if the kernel ran once. */
  readonly evidence?: Evidence;
};

/**
 * Additional time in milliseconds before the process is stopped, because the executable first stops
 * itself with a more specific message.
 */
const MARGIN_MS = 3000;

export async function runProgram(
  program: string,
  runnables: readonly Runnable[],
  seed: number,
  options: RunOptions,
): Promise<readonly Verdict[]> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'gemm-explorer-run-'));
  try {
    const results = new Map<number, CpuResult>();
    const grains = runnables.map(granularityOf);
    const first = await runOnce(grains);
    // Kernels that accessed memory at a finer granularity than the shadow memory are run again with
    // byte granularity.
    const rerun = grains.map((_, job) => (results.get(job)?.tooFine === true ? '0' : '-'));
    const last = rerun.some(isRun) ? await runOnce(rerun) : first;
    const verdicts: Verdict[] = [];
    for (const [job, runnable] of runnables.entries()) {
      const result = results.get(job);
      verdicts.push(
        result === undefined
          ? lost(last, options.limitMs)
          : await verdictOf(runnable, job, result, folder),
      );
    }
    if (options.judges !== true) return verdicts;
    const used = grains.map((grain, job) => (isRun(rerun[job] ?? '-') ? '0' : grain));
    return await withEvidence(verdicts, used);

    async function withEvidence(
      known: readonly Verdict[],
      used: readonly string[],
    ): Promise<readonly Verdict[]> {
      const calls = callsOf(seed);
      const wanted = runnables.map((runnable, job) =>
        isJudged(runnable, known[job]) ? (used[job] ?? '-') : '-',
      );
      if (!wanted.some(isRun)) return known;
      for (const [job, runnable] of runnables.entries())
        if (isRun(wanted[job] ?? '-')) await writeCalls(folder, job, runnable, calls);
      results.clear();
      await execute(wanted, [lettersOf(calls)]);
      const judged: Verdict[] = [];
      for (const [job, runnable] of runnables.entries()) {
        const [verdict = LOST, result] = [known[job], results.get(job)];
        // A kernel that is only too slow in one process is judged by its first launch.
        if (result === undefined || result.ended === 'late') judged.push(verdict);
        else if (result.ended === 'stopped')
          judged.push(await verdictOf(runnable, job, result, folder));
        else judged.push({ ...verdict, evidence: await readCalls(folder, job, runnable, calls) });
      }
      return judged;
    }

    async function runOnce(wanted: readonly string[]): Promise<ProcessResult> {
      for (const [job, { problem, workspaceBytes }] of runnables.entries()) {
        if (wanted[job] === '-') continue;
        for (const operand of buffersOf(problem)) {
          const file = path.join(folder, `${job}.${operand}`);
          await fs.writeFile(file, bytesBefore(problem, operand, seed));
        }
        const shared = new Uint8Array(workspaceBytes ?? 0).fill(0xff);
        if (workspaceBytes !== undefined)
          await fs.writeFile(path.join(folder, `${job}.workspace`), shared);
      }
      return await execute(wanted);
    }

    async function execute(
      wanted: readonly string[],
      more: readonly string[] = [],
    ): Promise<ProcessResult> {
      const limit = String(options.limitMs / 1000);
      const args = [folder, limit, String(cores()), wanted.join(''), ...more];
      return await runProcess(program, args, {
        timeoutMs: wanted.length * options.limitMs + MARGIN_MS,
        onLine: line => {
          const decoded = decodeLine(line);
          if (decoded?.type === 'result') results.set(decoded.job, decoded);
          if (decoded?.type === 'progress') options.onProgress?.(decoded.job, decoded.fraction);
        },
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      });
    }
  } finally {
    await fs.rm(folder, { recursive: true, force: true });
  }

  async function verdictOf(
    runnable: Runnable,
    job: number,
    result: CpuResult,
    folder: string,
  ): Promise<Verdict> {
    const { problem } = runnable;
    const { findings, ended } = result;
    const addresses = findings.flatMap(({ pc, otherPc }) => [pc, otherPc]);
    const lines =
      findings.length === 0
        ? new Map<number, number>()
        : await linesOf(program, kernelFileOf(job), addresses, options.search);
    const found = outcomeOf(findings);
    const all = described(findings, problem, lines);
    const findingsText = all.map(({ id, message }) => `${id}: ${message}`).join('\n');
    if (ended !== 'done') {
      const outcome: Outcome = ended === 'late' ? 'timeout' : (found ?? 'launch-error');
      const message = findingsText === '' ? endedText(ended, options.limitMs) : findingsText;
      return { outcome, message, findings: all, verification: NOT_VERIFIED };
    }
    const bytes = await fs.readFile(path.join(folder, `${job}.c`));
    const verification = verifyResult(checkedOf(runnable), seed, matrixOf(problem, bytes), {
      tile: mapTile(runnable),
    });
    const outcome = found ?? (verification.mismatches === 0 ? 'correct' : 'incorrect');
    const isNoted = findingsText !== '' && outcome !== 'correct';
    return { outcome, verification, ...(isNoted ? { message: findingsText, findings: all } : {}) };
  }
}

const LOST: Verdict = { outcome: 'launch-error', verification: NOT_VERIFIED };

const isRun = (grain: string): boolean => grain !== '-';

const endedText = (ended: 'stopped' | 'late', limitMs: number): string =>
  ended === 'late'
    ? `The kernel exceeded ${limitMs / 1000} s and was stopped.`
    : "The system ended the kernel's process, possibly because memory was exhausted.";

function lost(answer: ProcessResult, limitMs: number): Verdict {
  const verification = NOT_VERIFIED;
  if (answer.aborted)
    return { outcome: 'cancelled', message: 'The run was cancelled.', verification };
  if (answer.timedOut)
    return { outcome: 'timeout', message: endedText('late', limitMs), verification };
  const message = `The kernel's process did not return a result: it ${describeFailure(answer)}`;
  return { outcome: 'launch-error', message, verification };
}

/**
 * Returns the log2 of the shadow-memory granularity in bytes. The granularity is the size of the
 * smallest element type, at most 4 bytes.
 */
function granularityOf({ problem }: Runnable): string {
  const smallest = Math.min(
    4,
    ...(['a', 'b', 'c'] as const).map(name => DTYPE_BYTES[problem[name].dtype]),
  );
  return String(Math.log2(smallest));
}

const cores = (): number => Math.max(1, Math.min(64, os.availableParallelism()));
