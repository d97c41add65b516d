/** Exports of specs, as the CLI and the extension generate them. */
import assert from 'node:assert/strict';
import { resolve } from '../../src/core/defaults/resolve';
import { exportProject } from '../../src/core/export/exportProject';
import {
  kernelTarget,
  subjectOf,
  type ExportedKernel,
  type ExportFile,
  type ExportTarget,
} from '../../src/core/export/subject';
import { emit } from '../../src/core/kernel/emit';
import { plan } from '../../src/core/plan/planner';
import type { GemmSpec } from '../../src/core/spec/schema';

export function exportedKernels(
  to: ExportTarget,
  specs: readonly GemmSpec[],
): readonly ExportedKernel[] {
  const target = kernelTarget(to);
  return specs.map(spec => {
    const planned = plan(resolve({ ...spec, targets: [target] }), target);
    assert.ok(planned.ok, JSON.stringify(planned));
    return { kernel: emit(planned.plan) };
  });
}

export function filesOf(
  to: ExportTarget,
  specs: readonly GemmSpec[],
  name?: string,
): readonly ExportFile[] {
  const found = subjectOf(exportedKernels(to, specs), { name, version: '1.2.3' });
  assert.ok(found.ok, JSON.stringify(found));
  const exported = exportProject(to, found.subject);
  assert.ok(exported.ok, JSON.stringify(exported));
  return exported.files;
}

const bf16 = (m: number, n: number, k: number): GemmSpec => ({
  problem: {
    m,
    n,
    k,
    a: { dtype: 'bf16' },
    b: { dtype: 'bf16', layout: 'col' },
    c: { dtype: 'bf16' },
  },
});

const withEpilogue = (
  { problem, ...spec }: GemmSpec,
  epilogue: NonNullable<GemmSpec['problem']['epilogue']>,
): GemmSpec => ({ ...spec, problem: { ...problem, epilogue } });

const f16 = { dtype: 'f16' } as const;

/** Specs whose exports differ in kernels, arguments and launches. */
export const EXPORT_SPECS = {
  'one wgmma kernel': [bf16(4096, 4096, 4096)],
  'a dispatcher of wgmma kernels with and without a workspace': [
    bf16(4096, 4096, 4096),
    bf16(16, 4096, 14336),
    bf16(1000, 1016, 1001),
  ],
  'an mma kernel with alpha and beta': [
    {
      problem: { m: 512, n: 512, k: 512, a: f16, b: f16, c: f16, alpha: 2, beta: 0.5 },
      schedule: { algorithm: 'mma' },
    },
  ],
  'a batch with split-K that adds to C': [
    {
      problem: { m: 96, n: 64, k: 1024, batch: 3, beta: 1, c: { layout: 'col' } },
      schedule: { algorithm: 'warp-tile', splitK: 4 },
    },
  ],
  'a bias and an activation in a wgmma kernel': [
    withEpilogue(bf16(4096, 4096, 4096), [{ op: 'bias', along: 'n' }, { op: 'gelu-tanh' }]),
  ],
  'an epilogue with every operation': [
    {
      problem: {
        m: 96,
        n: 64,
        k: 1024,
        batch: 3,
        beta: 0.5,
        epilogue: [
          { op: 'bias', along: 'm' },
          { op: 'gelu' },
          { op: 'scale' },
          { op: 'scale', along: 'n' },
          { op: 'silu' },
          { op: 'residual' },
          { op: 'relu' },
          { op: 'residual', layout: 'col', ld: 100 },
        ],
      },
      schedule: { algorithm: 'warp-tile' },
    },
  ],
  'an epilogue after two-pass split-K of wgmma': [
    withEpilogue(
      {
        ...bf16(64, 2048, 16384),
        schedule: { algorithm: 'wgmma', splitK: 4, splitKReduction: 'two-pass' },
      },
      [
        { op: 'scale' },
        { op: 'bias', along: 'm', dtype: 'f32' },
        { op: 'silu' },
        { op: 'residual' },
      ],
    ),
  ],
  'a gated pair with a residual': [
    {
      problem: {
        m: 96,
        n: 64,
        k: 128,
        batch: 3,
        alpha: 2,
        b: { layout: 'col' },
        epilogue: [{ op: 'gate', act: 'gelu', ld: 160 }, { op: 'residual' }],
      },
      schedule: { algorithm: 'warp-tile', splitK: 2 },
    },
  ],
  'a gated pair in a wgmma kernel': [withEpilogue(bf16(4096, 4096, 4096), [{ op: 'gate' }])],
  'integers without tensor cores': [
    {
      problem: { m: 128, n: 128, k: 128, a: { dtype: 's32' }, b: { dtype: 's32' } },
      schedule: { algorithm: 'naive' },
    },
  ],
} as const satisfies Readonly<Record<string, readonly GemmSpec[]>>;
