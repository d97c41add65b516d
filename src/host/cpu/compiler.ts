/** Finds the machine's C++ compiler, and defines the flags that instrument kernels. */
import { readFileSync } from 'node:fs';
import { findExecutable, realPath, type SearchOptions } from '../executables';
import { runProcess } from '../process';
import { describeFailure, type Missing } from '../toolchain';

export interface CxxCompiler {
  readonly path: string;
  readonly realPath: string;
  readonly kind: 'gcc' | 'clang';
  /** Version such as `12.2.0`, which is part of every cache key. */
  readonly version: string;
}

export type FoundCxx = { readonly ok: true; readonly compiler: CxxCompiler } | Missing;

const NAMES = ['g++', 'clang++', 'c++'];
const INSTALL =
  'Install g++ or clang++ (`apt install g++`, `dnf install gcc-c++`), or use Simulate, which does not require a compiler.';
const VERSION_TIMEOUT_MS = 10_000;

/**
 * Finds g++, clang++ or c++ on PATH. Returns the reason and a remedy if no usable compiler is
 * found, or if the system is not Linux.
 */
export async function findCxx(
  options: SearchOptions = {},
  platform: string = process.platform,
): Promise<FoundCxx> {
  if (platform !== 'linux') {
    const why = 'The cpu backend requires Linux.';
    return {
      ok: false,
      path: null,
      why,
      next: 'Use Simulate or WebGPU on this machine, or the cpu backend on Linux.',
    };
  }
  // The user's path setting only applies to nvcc.
  const located = findExecutable(NAMES, { ...options, setting: '' });
  if (!located.ok) return { ...located, next: INSTALL };
  const answer = await runProcess(located.path, ['--version'], {
    timeoutMs: options.versionTimeoutMs ?? VERSION_TIMEOUT_MS,
  });
  const versionText = answer.code === 0 ? answer.stdout : '';
  const version = /\b\d{1,3}(?:\.\d{1,5}){1,3}\b/.exec(versionText)?.[0];
  const isClang = /clang/i.test(versionText);
  if (
    version === undefined ||
    !(isClang || /GCC|g\+\+|Free Software Foundation/.test(versionText))
  ) {
    return {
      ok: false,
      path: located.path,
      next: INSTALL,
      why: `'${located.path} --version' ${describeFailure(answer)}`,
    };
  }
  const kind = isClang ? 'clang' : 'gcc';
  return {
    ok: true,
    compiler: { path: located.path, realPath: realPath(located.path), kind, version },
  };
}

/**
 * Common flags. Like nvcc, the compiler contracts a * b + c to an FMA, if the CPU supports it.
 * Without PIE, code addresses equal the addresses in the executable file.
 */
const COMMON = ['-std=gnu++17', '-w', '-fno-pie', '-ffp-contract=fast'];

export const runtimeFlags = (): readonly string[] => [...COMMON, '-O2'];

/**
 * Returns the flags that instrument kernels. Memory accesses and undefined behavior call the
 * runtime. Accesses are not merged or vectorized, and strict aliasing is disabled.
 */
export function kernelFlags({ kind, version }: CxxCompiler): readonly string[] {
  const major = Number(version.split('.')[0]);
  const fills = kind === 'clang' ? major >= 8 : major >= 12;
  return [
    ...COMMON,
    '-O1',
    '-fexpensive-optimizations',
    '-g1',
    '-gdwarf-4',
    '-fno-strict-aliasing',
    '-fno-exceptions',
    '-fsanitize=thread,alignment,bounds,signed-integer-overflow,integer-divide-by-zero',
    ...(fills ? ['-ftrivial-auto-var-init=pattern'] : []),
    ...(kind === 'gcc'
      ? ['--param=tsan-instrument-func-entry-exit=0', '-fno-extern-tls-init', '-fno-store-merging']
      : ['-mllvm', '-tsan-instrument-func-entry-exit=0', '-fno-vectorize', '-fno-slp-vectorize']),
    ...(hasFma() ? ['-mfma'] : []),
  ];
}

/**
 * Returns whether the compiler requires `-mfma`: the CPU is x64 and supports FMA. Other
 * architectures require no flag.
 */
function hasFma(): boolean {
  if (process.arch !== 'x64') return false;
  try {
    return /^flags\s*:.*\bfma\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'));
  } catch {
    return false;
  }
}
