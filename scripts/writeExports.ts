/**
 * Writes the exports that `scripts/export/onGpu.sh` builds and tests on a GPU without Node:
 * `node out/scripts/writeExports.js DIR`, after the build.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { GemmSpec } from '../src/core/spec/schema';
import type { ExportTarget } from '../src/core/export/subject';

const cube = (size: number) => ({ m: size, n: size, k: size });

const linear = (dtype: 'bf16' | 'f16', m: number, n: number, k: number): GemmSpec => ({
  problem: {
    m,
    n,
    k,
    a: { dtype, layout: 'row' },
    b: { dtype, layout: 'col' },
    c: { dtype, layout: 'row' },
  },
});

const f16 = { dtype: 'f16', layout: 'row' } as const;

const EXPORTS: readonly {
  readonly name: string;
  readonly to: readonly ExportTarget[];
  readonly specs: readonly GemmSpec[];
}[] = [
  { name: 'linear_bf16', to: ['pytorch', 'cpp'], specs: [linear('bf16', 4096, 4096, 4096)] },
  { name: 'gemm_f32', to: ['pytorch', 'cpp', 'cupy'], specs: [{ problem: cube(4096) }] },
  {
    name: 'linear_bf16_sizes',
    to: ['pytorch', 'cpp'],
    specs: [
      linear('bf16', 4096, 4096, 4096),
      linear('bf16', 16, 4096, 14336),
      linear('bf16', 1000, 1016, 1001),
    ],
  },
  {
    name: 'gemm_f16_mma',
    to: ['pytorch', 'cpp', 'cupy'],
    specs: [
      {
        problem: { ...cube(4096), a: f16, b: f16, c: f16, alpha: 2, beta: 0.5 },
        schedule: { algorithm: 'mma' },
      },
    ],
  },
  { name: 'linear_f16', to: ['cupy'], specs: [linear('f16', 4096, 4096, 4096)] },
];

const out = process.argv[2];
if (out === undefined) throw new Error('Expected a folder: node out/scripts/writeExports.js DIR');

for (const { name, to, specs } of EXPORTS) {
  const folder = path.join(out, 'specs');
  mkdirSync(folder, { recursive: true });
  const files = specs.map((spec, i) => {
    const file = path.join(folder, `${name}-${i}.gemm.json`);
    writeFileSync(file, `${JSON.stringify({ version: 1, ...spec, device: 'h200' }, null, 2)}\n`);
    return file;
  });
  for (const target of to) {
    const options = [
      '--to',
      target,
      '--name',
      name,
      '--out',
      path.join(out, target, name),
      '--force',
    ];
    execFileSync(process.execPath, ['dist/cli.js', 'export', ...files, ...options], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
}
console.log(`Wrote the exports to ${out}.`);
