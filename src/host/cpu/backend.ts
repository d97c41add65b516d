/**
 * The cpu backend: compiles the source of a CUDA kernel with the machine's C++ compiler, then runs
 * and verifies the kernel.
 */
import os from 'node:os';
import { kernelKey } from '../../core/text/hash';
import { launchesOf, type Launch, type Runnable } from '../../core/kernel/kernel';
import { sourceHashOf } from '../../core/text/hash';
import type { Availability, Backend, RunContext, RunRequest } from '../../core/measure/backend';
import { NOT_VERIFIED, type Measurement } from '../../core/measure/measurement';
import { tooLargeText } from '../../core/verify/inputs';
import { checkedOf } from '../../core/verify/bound';
import { judge, withJudgement } from '../../core/verify/judge/judge';
import { withSignal } from '../abort';
import type { Diagnostic } from '../diagnostics';
import type { SearchOptions } from '../executables';
import { buildProgram, type Built } from './build';
import { findCxx, kernelFlags, type CxxCompiler } from './compiler';
import { compileDiagnostics, compileMessage } from './compileErrors';
import { gpuOnlyPtx } from './inlinePtx';
import { runProgram, type Verdict } from './run';

export interface CpuOptions {
  readonly search?: SearchOptions;
  /** Location in measurements, such as `extension host` or `cli`. */
  readonly where: string;
  readonly cacheFolder?: string;
  readonly compileTimeoutMs?: number;
  readonly runTimeoutMs?: number;
  readonly onDiagnostics?: (runnable: Runnable, diagnostics: readonly Diagnostic[]) => void;
}

/** Maximum number of FMAs per kernel, because instrumented kernels run slowly. */
export const CPU_LIMIT = 2 ** 31;

const RUN_TIMEOUT_MS = 120_000;
const NO_MACHINE = { name: 'none', adapter: 'none', driver: 'none' } as const;

export function cpuBackend(options: CpuOptions): Backend {
  return {
    id: 'cpu',
    probe: () => probe(options),
    run: async (request, context) => {
      const refusal = refusalOf(request);
      if (refusal !== undefined) return report(request.runnable, options, refusal);
      const [measurement] = await runOnCpu([request.runnable], {
        ...options,
        seed: request.seed,
        context,
        judges: true,
      });
      return measurement ?? report(request.runnable, options, { outcome: 'unavailable' });
    },
  };
}

async function probe({ search = {}, where }: CpuOptions): Promise<Availability> {
  const found = await findCxx(search);
  return found.ok
    ? { available: true, device: deviceOf(found.compiler, where) }
    : { available: false, why: found.why, next: found.next };
}

function refusalOf({ runnable, mode }: RunRequest): Pick<Ended, 'outcome' | 'message'> | undefined {
  const { m, n, k, batch } = runnable.problem;
  const no = (message: string) => ({ outcome: 'constraint' as const, message });
  if (runnable.target !== 'cuda')
    return no(
      'The cpu backend runs CUDA kernels, but this kernel is WGSL. Fix: use simulate or webgpu.',
    );
  if (runnable.foreign !== undefined)
    return no('The cpu backend runs CUDA source, but this kernel has none. Fix: use cuda.');
  if (mode === 'time')
    return no('The cpu backend verifies kernels but cannot time them. Fix: use webgpu or cuda.');
  if (m * n * k * batch > CPU_LIMIT) {
    return no(
      `${m} x ${n} x ${k} exceeds the limit of the cpu backend (m n k batch <= ${CPU_LIMIT}). Fix: choose smaller sizes.`,
    );
  }
  if (launchesOf<Launch>(runnable).some(({ tensorMaps }) => tensorMaps !== undefined)) {
    return no(
      'The kernel reads its operands through tensor maps, which require an NVIDIA GPU. Fix: use --backend cuda, or --backend simulate for generated kernels.',
    );
  }
  const foreign = gpuOnlyPtx(runnable.source);
  if (foreign !== undefined) {
    return no(
      `Line ${foreign.line} contains PTX that requires an NVIDIA GPU (${foreign.instruction}). Fix: use --backend cuda, or --backend simulate for generated kernels.`,
    );
  }
  const wide = tooLargeText(runnable.problem);
  return wide === undefined ? undefined : no(wide);
}

type Ended = Pick<Measurement, 'outcome' | 'message' | 'findings'> &
  Partial<Pick<Measurement, 'verification'>>;

export interface ManyOptions extends CpuOptions {
  readonly seed: number;
  readonly context: RunContext;
  /** Whether small correct kernels run again, to judge their later launches; default false. */
  readonly judges?: boolean;
}

/**
 * Compiles several CUDA kernels into one executable and runs each kernel on separate matrices.
 * Returns one Measurement per kernel, in order. If compilation fails, each kernel is compiled and
 * run separately to find the cause.
 */
export function runOnCpu(
  runnables: readonly Runnable[],
  options: ManyOptions,
): Promise<readonly Measurement[]> {
  return withSignal(options.context.abort, signal => runAll(runnables, options, signal));
}

async function runAll(
  runnables: readonly Runnable[],
  options: ManyOptions,
  signal: AbortSignal,
): Promise<readonly Measurement[]> {
  const { context, search = {}, seed } = options;
  const all = (ended: Ended, compiler?: CxxCompiler) =>
    runnables.map(runnable => report(runnable, options, ended, compiler));
  context.progress({ stage: 'Looking for a C++ compiler' });
  const found = await findCxx(search);
  if (!found.ok) return all({ outcome: 'unavailable', message: `${found.why} ${found.next}` });
  const { compiler } = found;
  context.progress({ stage: 'compile' });
  const built = await buildProgram(runnables, {
    compiler,
    signal,
    ...(options.cacheFolder === undefined ? {} : { cacheFolder: options.cacheFolder }),
    ...(options.compileTimeoutMs === undefined ? {} : { timeoutMs: options.compileTimeoutMs }),
  });
  if (!built.ok) {
    if (runnables.length === 1 || built.outcome !== 'compile-error') {
      return runnables.map(runnable => notBuilt(runnable, options, built, compiler));
    }
    const alone: Measurement[] = [];
    for (const runnable of runnables) alone.push(...(await runAll([runnable], options, signal)));
    return alone;
  }
  context.progress({ stage: 'run' });
  const verdicts = await runProgram(built.program, runnables, seed, {
    search,
    signal,
    judges: options.judges ?? false,
    limitMs: options.runTimeoutMs ?? RUN_TIMEOUT_MS,
    onProgress: (job, fraction) => {
      context.progress({ stage: 'run', fraction: (job + fraction) / runnables.length });
    },
  });
  return runnables.map((runnable, job) => {
    const { evidence, ...verdict } = verdicts[job] ?? LOST;
    const measurement = report(runnable, options, verdict, compiler);
    const subject = {
      problem: checkedOf(runnable),
      source: runnable.source,
      isGenerated: runnable.spec !== undefined,
    };
    return withJudgement(
      measurement,
      judge(subject, seed, measurement.verification, evidence ?? { launches: [] }),
    );
  });
}

const LOST: Verdict = { outcome: 'launch-error', verification: NOT_VERIFIED };

function notBuilt(
  runnable: Runnable,
  options: CpuOptions,
  built: Extract<Built, { ok: false }>,
  compiler: CxxCompiler,
): Measurement {
  const { outcome, message, isLog } = built;
  if (!isLog) return report(runnable, options, { outcome, message }, compiler);
  const diagnostics = compileDiagnostics(message, runnable.source);
  options.onDiagnostics?.(runnable, diagnostics);
  return report(
    runnable,
    options,
    { outcome, message: compileMessage(message, runnable.source, diagnostics) },
    compiler,
  );
}

const deviceOf = ({ kind, version }: CxxCompiler, where: string): Measurement['device'] => ({
  name: os.cpus()[0]?.model.trim() ?? 'CPU',
  adapter: `${kind === 'gcc' ? 'g++' : 'clang++'} ${version}`,
  driver: '',
  where,
});

function report(
  runnable: Runnable,
  { where }: CpuOptions,
  { outcome, message, findings = [], verification = NOT_VERIFIED }: Ended,
  compiler?: CxxCompiler,
): Measurement {
  return {
    specKey: runnable.specKey,
    kernelKey: kernelKey({
      source: runnable.source,
      architecture: 'cpu',
      compiler: compiler === undefined ? '' : `${compiler.kind} ${compiler.version}`,
      flags: compiler === undefined ? [] : kernelFlags(compiler),
    }),
    sourceHash: sourceHashOf(runnable),
    resolved: runnable.spec ?? null,
    backend: 'cpu',
    device: compiler === undefined ? { ...NO_MACHINE, where } : deviceOf(compiler, where),
    outcome,
    ...(message === undefined || message === '' ? {} : { message }),
    ...(findings.length === 0 ? {} : { findings }),
    verification,
  };
}
