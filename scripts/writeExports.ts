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

const withEpilogue = (
  { problem, ...spec }: GemmSpec,
  epilogue: NonNullable<GemmSpec['problem']['epilogue']>,
): GemmSpec => ({ ...spec, problem: { ...problem, epilogue } });

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
  // The first layer of the feed-forward network of useOperators.py: 2,048 tokens, width 1,024.
  {
    name: 'linear_bias_gelu_bf16',
    to: ['pytorch', 'cpp'],
    specs: [
      withEpilogue(linear('bf16', 2048, 4096, 1024), [
        { op: 'bias', along: 'n' },
        { op: 'gelu-tanh' },
      ]),
    ],
  },
  {
    name: 'epilogue_f32',
    to: ['pytorch', 'cpp', 'cupy'],
    specs: [
      {
        problem: {
          m: 500,
          n: 252,
          k: 1000,
          batch: 3,
          alpha: 2,
          beta: 0.5,
          epilogue: [
            { op: 'bias', along: 'm' },
            { op: 'gelu' },
            { op: 'scale' },
            { op: 'scale', along: 'n' },
            { op: 'silu' },
            { op: 'residual' },
            { op: 'relu' },
            { op: 'residual', layout: 'col', ld: 512 },
          ],
        },
      },
    ],
  },
  {
    name: 'two_pass_epilogue_bf16',
    to: ['pytorch', 'cpp'],
    specs: [
      {
        ...withEpilogue(linear('bf16', 64, 2048, 16384), [
          { op: 'scale' },
          { op: 'bias', along: 'm', dtype: 'f32' },
          { op: 'silu' },
          { op: 'residual' },
        ]),
        schedule: { algorithm: 'wgmma', splitK: 4, splitKReduction: 'two-pass' },
      },
    ],
  },
  // TMA loads the residual.
  {
    name: 'linear_residual_f16',
    to: ['pytorch', 'cpp', 'cupy'],
    specs: [
      withEpilogue(linear('f16', 2048, 2048, 2048), [
        { op: 'bias', along: 'n' },
        { op: 'residual' },
        { op: 'silu' },
      ]),
    ],
  },
  {
    name: 'swiglu_bf16',
    to: ['pytorch', 'cpp'],
    specs: [withEpilogue(linear('bf16', 4096, 4096, 4096), [{ op: 'gate' }])],
  },
  {
    name: 'geglu_batched_f32',
    to: ['pytorch', 'cpp', 'cupy'],
    specs: [
      {
        problem: {
          m: 500,
          n: 252,
          k: 1000,
          batch: 3,
          alpha: 2,
          epilogue: [
            { op: 'gate', act: 'gelu', ld: 256 },
            { op: 'bias', along: 'n' },
          ],
        },
      },
    ],
  },
  {
    name: 'linear_bias_relu_f16',
    to: ['cupy'],
    specs: [
      withEpilogue(linear('f16', 4096, 4096, 4096), [{ op: 'bias', along: 'n' }, { op: 'relu' }]),
    ],
  },
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
