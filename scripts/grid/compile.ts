/** Compiles many kernels in one translation unit: each in a namespace of its own, its entry point renamed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runProcess } from '../../src/host/process';
import type { Kernel } from '../../src/core/emit/kernel';

export interface CompileResult {
  readonly ok: boolean;
  /** What nvcc said; empty without warnings. */
  readonly output: string;
}

/** Every warning is an error: of nvcc's front end, of ptxas and of the host compiler. */
const FLAGS = [
  '-O3',
  '-std=c++17',
  '-Werror',
  'all-warnings',
  '-Xcompiler',
  '-Wall,-Wextra',
  '-fatbin',
];

export async function compileTogether(
  nvcc: string,
  kernels: readonly Kernel[],
  architectures: readonly string[],
): Promise<CompileResult> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gemm-grid-'));
  try {
    const file = path.join(folder, 'kernels.cu');
    writeFileSync(
      file,
      // Headers are read once, outside of the namespaces.
      [
        '#include <cuda_pipeline_primitives.h>\n',
        ...kernels.map((kernel, i) => `namespace k${i} {\n${renamed(kernel, i)}\n}\n`),
      ].join('\n'),
    );
    const code = architectures.flatMap(arch => [
      '-gencode',
      `arch=compute_${arch},code=sm_${arch}`,
    ]);
    const result = await runProcess(
      nvcc,
      [...FLAGS, ...code, file, '-o', path.join(folder, 'out')],
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

const renamed = ({ source, entry }: Kernel, i: number): string =>
  source.replaceAll(`${entry}(`, `${entry}_${i}(`);
