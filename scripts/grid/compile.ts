/**
 * Compiles many kernels in one translation unit. Each kernel has a separate namespace and unique
 * entry points.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defaultDeviceOf } from '../../src/core/hardware/devices';
import { runProcess } from '../../src/host/process';
import { isLowered, launchesOf, type Kernel, type Launch } from '../../src/core/kernel/kernel';
import type { GemmSpec } from '../../src/core/spec/schema';
import { kernelOf } from './properties';

export const ARCHITECTURES = ['7.5', '8.0', '8.6', '8.9', '9.0', '10.0', '12.0'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

const digits = (architecture: Architecture): string => architecture.replace('.', '');
export const nameOf = (architecture: Architecture): string => `sm_${digits(architecture)}`;

export interface Unit {
  readonly kernel: Kernel;
  readonly architectures: readonly Architecture[];
}

/**
 * Generates the kernels of a spec for the default device of each architecture, without illegal and
 * `wgmma` kernels. Architectures with equal source code share a unit.
 */
export function unitsOf(spec: GemmSpec, architectures: readonly Architecture[]): readonly Unit[] {
  const units = new Map<string, { kernel: Kernel; architectures: Architecture[] }>();
  for (const architecture of architectures) {
    const device = defaultDeviceOf(architecture);
    if (device === undefined) throw new Error(`no device has compute capability ${architecture}`);
    const kernel = kernelOf({ ...spec, device }, 'cuda');
    // `wgmma` kernels are compiled separately (test/compilers/wgmma.test.ts), since their shared
    // memory has a different alignment.
    if (kernel === null || !isLowered(kernel)) continue;
    const text = withoutHead(kernel.source);
    const unit = units.get(text) ?? { kernel, architectures: [] };
    unit.architectures.push(architecture);
    units.set(text, unit);
  }
  return [...units.values()];
}

/**
 * Removes the head comment and the annotation, which name the file and the device, so that equal
 * kernels can be merged.
 */
const withoutHead = (source: string): string =>
  source.replace(/^(\/\/.*\n)+/, '').replace(/^\/\/ @gemm.*\n/gm, '');

export interface CompileResult {
  readonly ok: boolean;
  readonly output: string;
}

/**
 * Compiler flags that enable warnings and make nvcc's warnings errors. `compileTogether` fails on
 * any output.
 */
const FLAGS = ['-std=c++17', '-Werror', 'all-warnings', '-Xcompiler', '-Wall,-Wextra'];

/**
 * Flags per mode. `code` compiles machine code. `language` only compiles unoptimized PTX, which is
 * faster but supports only one architecture.
 */
const MODES = { code: ['-O3', '-fatbin'], language: ['-G', '-ptx'] } as const;

export async function compileTogether(
  nvcc: string,
  units: readonly Unit[],
  mode: keyof typeof MODES = 'code',
): Promise<CompileResult> {
  const architectures = ARCHITECTURES.filter(one =>
    units.some(unit => unit.architectures.includes(one)),
  );
  const folder = mkdtempSync(path.join(tmpdir(), 'gemm-grid-'));
  try {
    const file = path.join(folder, 'kernels.cu');
    writeFileSync(file, translationUnit(units, architectures));
    const code = architectures.flatMap(one => [
      '-gencode',
      `arch=compute_${digits(one)},code=sm_${digits(one)}`,
    ]);
    const result = await runProcess(
      nvcc,
      [...FLAGS, ...MODES[mode], ...code, file, '-o', path.join(folder, 'out')],
      {
        timeoutMs: 600_000,
        cwd: folder,
      },
    );
    const output = `${result.stdout}${result.stderr}`.trim();
    return { ok: result.code === 0 && output === '', output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Headers are included once, outside the namespaces. Each kernel is compiled only for its
 * architectures.
 */
function translationUnit(units: readonly Unit[], all: readonly Architecture[]): string {
  const headers = units.flatMap(({ kernel }) => kernel.source.match(INCLUDE) ?? []);
  return [
    ...new Set(headers),
    ...units.map(({ kernel, architectures }, i) => {
      const own = architectures.map(one => `__CUDA_ARCH__ == ${digits(one)}0`).join(' || ');
      const text = `namespace k${i} {\n${renamed(kernel, i)}\n}`;
      return architectures.length === all.length ? text : `#if ${own}\n${text}\n#endif`;
    }),
  ].join('\n\n');
}

const INCLUDE = /^#include .*$/gm;

/** Returns the kernel source with unique entry points and without `#include` lines. */
export const renamed = (kernel: Kernel, i: number): string =>
  launchesOf<Launch>(kernel).reduce(
    (source, { entry }) => source.replaceAll(new RegExp(`\\b${entry}\\b`, 'g'), `${entry}_${i}`),
    kernel.source.replace(INCLUDE, ''),
  );
