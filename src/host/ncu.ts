/** Profiles one launch of a kernel with Nsight Compute. */
import * as fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { archOf } from '../core/hardware/computeCapability';
import type { Runnable } from '../core/kernel/kernel';
import { NCU_METRICS } from '../core/profile/ncu/counters';
import { readNcu, mergeReports, type NcuReport } from '../core/profile/ncu/report';
import { permissionRefusal } from '../core/profile/ncu/refusal';
import { hostProgram, unsupported } from './cuda/hostProgram';
import { findExecutable, type SearchOptions } from './executables';
import { compileProgram, KERNEL_FILE } from './nvcc';
import { runProcess, type ProcessResult } from './process';
import { messageOf, printable } from './text';
import { findGpus, findNvcc, describeFailure } from './toolchain';

export interface ProfileOptions {
  readonly search?: SearchOptions;
  readonly signal?: AbortSignal;
  readonly cacheFolder?: string;
  readonly compileTimeoutMs?: number;
  /**
   * Time limit of profiling in milliseconds; ncu replays the kernel several times to collect all
   * metrics.
   */
  readonly timeoutMs?: number;
  readonly onProgress?: (stage: string) => void;
}

export type Profiled =
  | {
      readonly ok: true;
      readonly report: NcuReport;
      /** Raw page of the report as CSV, followed by the source page if ncu could print it. */
      readonly csv: string;
    }
  | {
      readonly ok: false;
      readonly outcome: 'cancelled' | 'unavailable' | 'refused' | 'failed';
      readonly why: string;
      readonly next: string;
    };

type No = Extract<Profiled, { readonly ok: false }>;

const REPORT = 'report';
const IMPORT_TIMEOUT_MS = 60_000;
const PROFILE_TIMEOUT_MS = 300_000;
/** Maximum size of the raw page in bytes; a larger page is not read. */
const MAX_REPORT_BYTES = 4_000_000;
const INSTALL =
  'Nsight Compute is part of the CUDA toolkit (package nsight-compute). Fix: put ncu on PATH, or import a CSV file from another machine.';

const no = (outcome: No['outcome'], why: string, next: string): No => ({
  ok: false,
  outcome,
  why,
  next,
});

export async function profile(runnable: Runnable, options: ProfileOptions): Promise<Profiled> {
  const refusal = unsupported(runnable);
  if (refusal !== undefined) return no('failed', refusal, '');
  const search = options.search ?? {};
  const [nvcc, gpus] = await Promise.all([findNvcc(search), findGpus({ ...search, setting: '' })]);
  if (!nvcc.ok) return no('unavailable', nvcc.why, nvcc.next);
  if (!gpus.ok) return no('unavailable', gpus.why, gpus.next);
  const folders = [path.dirname(nvcc.nvcc.path), path.dirname(nvcc.nvcc.realPath)];
  const ncu = findExecutable(['ncu'], { ...search, setting: '' }, folders);
  if (!ncu.ok) return no('unavailable', 'ncu was not found next to nvcc or on PATH.', INSTALL);

  options.onProgress?.('compile');
  const { signal, cacheFolder, compileTimeoutMs } = options;
  const compiled = await compileProgram(runnable.source, hostProgram(runnable, 'kernel.cu'), {
    nvcc: nvcc.nvcc,
    arch: archOf(gpus.gpus[0]?.computeCapability ?? ''),
    ...(signal === undefined ? {} : { signal }),
    ...(cacheFolder === undefined ? {} : { cacheFolder }),
    ...(compileTimeoutMs === undefined ? {} : { timeoutMs: compileTimeoutMs }),
  });
  if (!compiled.ok) {
    const outcome = compiled.outcome === 'cancelled' ? 'cancelled' : 'failed';
    return no(outcome, compiled.message, '');
  }
  options.onProgress?.('profile');
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'gemm-explorer-'));
  try {
    const file = path.join(folder, 'report.csv');
    // The line information names a build folder that was removed, so ncu reads the source lines
    // from this file.
    await fs.writeFile(path.join(folder, KERNEL_FILE), runnable.source);
    const answer = await runProcess(ncu.path, ncuArguments(runnable, file, compiled.path), {
      timeoutMs: options.timeoutMs ?? PROFILE_TIMEOUT_MS,
      cwd: folder,
      // The locale is fixed, because it determines the number format of the report.
      env: { CUDA_DEVICE_ORDER: 'PCI_BUS_ID', LC_ALL: 'C', TMPDIR: folder },
      ...(signal === undefined ? {} : { signal }),
    });
    const made = await readAnswer(answer, file);
    if (!made.ok) return made;
    options.onProgress?.('source');
    const page = await sourcePage(ncu.path, folder, signal);
    if (page.aborted) return no('cancelled', 'Profiling was cancelled.', '');
    const read = readNcu(page.stdout);
    if (read.ok) {
      const report = mergeReports([made.report, read.report]);
      return { ok: true, report, csv: `${made.csv}\n${page.stdout}` };
    }
    const why = `The source page could not be created: ncu ${describeFailure(page)}`;
    return { ...made, report: { ...made.report, limits: [...made.report.limits, why] } };
  } catch (error) {
    return no('failed', `The report could not be read: ${messageOf(error)}.`, '');
  } finally {
    await fs.rm(folder, { recursive: true, force: true });
  }
}

async function sourcePage(
  ncu: string,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<ProcessResult> {
  const kept = (await fs.readdir(folder)).find(name => name.startsWith(`${REPORT}.ncu-rep`));
  return await runProcess(
    ncu,
    [
      '--import',
      path.join(folder, kept ?? `${REPORT}.ncu-rep`),
      '--csv',
      '--page',
      'source',
      '--print-source',
      'cuda,sass',
      '--print-units',
      'base',
    ],
    {
      timeoutMs: IMPORT_TIMEOUT_MS,
      cwd: folder,
      env: { LC_ALL: 'C', TMPDIR: folder },
      ...(signal === undefined ? {} : { signal }),
    },
  );
}

/** One launch is profiled with cold caches and unchanged GPU clocks. */
function ncuArguments({ entry }: Runnable, report: string, program: string): readonly string[] {
  return [
    '--csv',
    '--page',
    'raw',
    '--print-units',
    'base',
    '--log-file',
    report,
    '--export',
    path.join(path.dirname(report), REPORT),
    '--section',
    'SourceCounters',
    '--import-source',
    'yes',
    '--source-folders',
    path.dirname(report),
    '--metrics',
    NCU_METRICS.join(','),
    '--kernel-name-base',
    'function',
    '--kernel-name',
    entry,
    '--launch-count',
    '1',
    '--clock-control',
    'none',
    program,
    '--mode',
    'verify',
    '--seed',
    '1',
  ];
}

async function readAnswer(answer: ProcessResult, file: string): Promise<Profiled> {
  if (answer.aborted) return no('cancelled', 'Profiling was cancelled.', '');
  if (answer.timedOut) {
    return no(
      'failed',
      'ncu exceeded its time limit and was stopped.',
      'Fix: profile a smaller problem.',
    );
  }
  const size = await fs.stat(file).then(
    ({ size: bytes }) => bytes,
    () => 0,
  );
  const csv = size > MAX_REPORT_BYTES || size === 0 ? '' : await fs.readFile(file, 'utf8');
  const output = `${csv}\n${answer.stdout}\n${answer.stderr}`;
  const refused = permissionRefusal(output);
  if (refused !== undefined) return no('refused', refused.why, refused.next);
  const read = csv === '' ? undefined : readNcu(csv);
  if (read?.ok === true) return { ok: true, report: read.report, csv };
  const error = /^==ERROR==.*$/m.exec(output)?.[0];
  if (error !== undefined) return no('failed', `ncu: ${printable(error, 300)}`, '');
  if (answer.code === 0 && read !== undefined) return no('failed', read.why, read.next);
  return no('failed', `ncu ${describeFailure(answer)}`, '');
}
