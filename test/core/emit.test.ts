import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { emit } from '../../src/core/emit/emit';
import { generatedKernel } from '../../src/core/emit/generatedKernel';
import { launchesOf, type Launch } from '../../src/core/emit/kernel';
import { ownsFile, readKernelFile } from '../../src/core/emit/kernelFile';
import { kernelSites } from '../../src/core/emit/kernelSites';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/spec/resolve';
import type { GemmSpec, Target } from '../../src/core/spec/schema';
import { kernelFor } from '../helpers/kernels';
import { specs } from '../helpers/specs';

const GOLDEN = path.join('test', 'golden');

const cube = (size: number) => ({ m: size, n: size, k: size });
const s32 = { dtype: 's32' } as const;

/** One kernel a rung and target, and what the rungs have in common once: edges, padding, alpha and beta, dynamic memory. */
const LADDER: readonly GemmSpec[] = [
  { problem: cube(1024), schedule: { algorithm: 'naive' } },
  { problem: cube(1024), schedule: { algorithm: 'coalesced', variant: 'swap' } },
  { problem: cube(1024), schedule: { algorithm: 'coalesced', variant: 'remap' } },
  { problem: cube(1024), schedule: { algorithm: 'shared-tile', variant: '2d' } },
  { problem: cube(1024), schedule: { algorithm: 'shared-tile', variant: '1d' } },
  {
    problem: { ...cube(1000), a: s32 },
    schedule: { algorithm: 'shared-tile', variant: 'transposed' },
  },
  { problem: cube(1024), schedule: { algorithm: 'thread-tile-1d' } },
  { problem: cube(1024), schedule: { algorithm: 'thread-tile-2d' } },
  // The tutorial's sizes and strides (NT), and a TN beside it.
  {
    problem: { m: 5120, n: 5120, k: 4096, a: { layout: 'col' }, c: { layout: 'col' } },
    schedule: { algorithm: 'layout' },
  },
  { problem: cube(1024), schedule: { algorithm: 'vectorized' } },
  { problem: cube(1024), schedule: { algorithm: 'warp-tile', swizzle: 'xor' } },
  { problem: cube(1024), schedule: { algorithm: 'pipelined' } },
  {
    problem: { m: 1000, n: 1022, k: 1030, alpha: 2, beta: 0.5, c: { layout: 'col' } },
    schedule: { algorithm: 'warp-tile', padding: { a: 4 }, block: { k: 8 }, raster: { group: 8 } },
  },
  {
    problem: {
      m: 1000,
      n: 500,
      k: 300,
      alpha: 2,
      beta: 0.5,
      a: { layout: 'col' },
      b: { layout: 'col' },
    },
    schedule: { algorithm: 'thread-tile-2d', padding: { a: 1, b: 1 }, minBlocksPerSm: 2 },
  },
  // Caches alone: a quad's lanes share A; and vectors along each operand's own contiguous index, past every edge.
  {
    problem: cube(1024),
    schedule: {
      ...{ algorithm: 'register-tile', sharing: 'quad' },
      ...{ block: { m: 32, n: 32, k: 4 }, thread: { m: 4, n: 4 } },
    },
  },
  {
    problem: {
      ...{ m: 500, n: 260, k: 300, alpha: 2, beta: 0.5 },
      ...{ a: { layout: 'col' }, b: { layout: 'col' }, c: { layout: 'col' } },
    },
    schedule: { algorithm: 'register-tile', block: { m: 32, n: 32, k: 8 }, thread: { m: 4, n: 4 } },
  },
  // Few tiles and a long K.
  {
    problem: { m: 500, n: 260, k: 8195, batch: 3, alpha: 2, beta: 1 },
    schedule: { algorithm: 'pipelined', splitK: 8 },
  },
];

describe('a generated file that is read back', () => {
  it('is the kernel of its spec, whichever fields of it were defaults', () => {
    let read = 0;
    fc.assert(
      fc.property(specs, spec => {
        const planned = plan(resolve(spec), 'cuda');
        if (!planned.ok) return;
        const { source } = emit(planned.plan);
        const file = readKernelFile(source, 'kernel.cu');
        assert.ok(file.ok && generatedKernel(file.runnable) !== null, JSON.stringify(spec));
        read++;
      }),
      { numRuns: 300 },
    );
    assert.ok(read > 30, `${read}`);
    const padded = { algorithm: 'shared-tile', padding: { a: 1, b: 1 } } as const;
    const { source } = kernelFor({ problem: cube(256), schedule: padded }, 'cuda');
    const file = readKernelFile(source, 'kernel.cu');
    assert.ok(file.ok && generatedKernel(file.runnable) !== null);
  });
});

describe('golden files', () => {
  const kernels = [
    ...LADDER.flatMap(spec => [kernelFor(spec, 'cuda'), kernelFor(spec, 'wgsl')]),
    kernelFor(
      {
        problem: cube(1024),
        schedule: { algorithm: 'thread-tile-2d', block: { m: 128, n: 128, k: 64 } },
      },
      'cuda',
    ),
    kernelFor(
      {
        problem: { m: 512, n: 256, k: 8192, alpha: 2, beta: 0.5 },
        schedule: { algorithm: 'thread-tile-2d', splitK: 16, splitKReduction: 'atomic' },
      },
      'cuda',
    ),
    kernelFor(
      {
        problem: { ...cube(1024), batch: 8, b: { batchStride: 0 } },
        schedule: {
          algorithm: 'vectorized',
          padding: { a: 4 },
          block: { m: 64, n: 64 },
          thread: { m: 4, n: 4 },
        },
      },
      'cuda',
    ),
    // What beats the library: loads and multiply-adds that overlap.
    kernelFor(
      {
        problem: cube(4096),
        schedule: {
          ...{ algorithm: 'pipelined', block: { m: 128, n: 256, k: 16 }, minBlocksPerSm: 1 },
          ...{ warp: { m: 32, n: 128 }, thread: { m: 8, n: 16 }, stages: 3 },
          ...{ padding: { a: 4, b: 4 }, fragments: 2, traversal: 'col' },
        },
      },
      'cuda',
    ),
    kernelFor(
      {
        problem: { m: 1000, n: 1500, k: 1003, beta: 1, b: { layout: 'col' } },
        schedule: {
          ...{ algorithm: 'pipelined', block: { m: 96, n: 128, k: 16 }, minBlocksPerSm: 3 },
          ...{ warp: { m: 48, n: 64 }, thread: { m: 12, n: 8 }, stages: 3 },
          ...{ padding: { a: 4, b: 4 }, fragments: 2, traversal: 'col-pairs' },
        },
      },
      'cuda',
    ),
    // What differs by GPU: asynchronous copies in several stages, and none before compute capability 8.0.
    kernelFor(
      {
        problem: { m: 1000, n: 1000, k: 1000 },
        schedule: {
          ...{ algorithm: 'pipelined', block: { m: 64, n: 128, k: 16 }, warp: { m: 32, n: 64 } },
          ...{ stages: 4, padding: { a: 4 }, minBlocksPerSm: 4 },
        },
      },
      'cuda',
    ),
    kernelFor({ problem: cube(1024), schedule: { algorithm: 'pipelined' }, device: 't4' }, 'cuda'),
    // What differs by type: elements converted on the way to registers and to C, two sums an instruction, integers.
    kernelFor(
      {
        problem: { ...cube(1024), a: { dtype: 'f16', layout: 'col' } },
        schedule: { algorithm: 'pipelined', block: { k: 16 }, vector: 8, stages: 3 },
      },
      'cuda',
    ),
    kernelFor(
      {
        problem: { ...cube(1024), a: { dtype: 'f16' }, accumulator: 'f16' },
        schedule: { algorithm: 'warp-tile' },
      },
      'wgsl',
    ),
    kernelFor(
      {
        problem: { ...cube(1024), a: { dtype: 'f16' }, accumulator: 'f16' },
        schedule: { algorithm: 'vectorized', block: { m: 64, n: 64, k: 16 }, vector: 8 },
      },
      'cuda',
    ),
    kernelFor(
      { problem: { ...cube(1024), a: { dtype: 's8' } }, schedule: { algorithm: 'thread-tile-2d' } },
      'cuda',
    ),
  ];
  for (const { fileName, source } of kernels) {
    it(fileName, () => {
      const file = path.join(GOLDEN, fileName);
      if (process.env['UPDATE_GOLDEN'] === '1') {
        mkdirSync(GOLDEN, { recursive: true });
        writeFileSync(file, source);
      }
      assert.ok(existsSync(file), `${file} is missing: UPDATE_GOLDEN=1 npm test writes it`);
      assert.equal(source, readFileSync(file, 'utf8'));
    });
  }

  it('holds no file that nothing emits', () => {
    assert.deepEqual(readdirSync(GOLDEN).sort(), kernels.map(({ fileName }) => fileName).sort());
  });
});

describe('layout', () => {
  it("prints CuTe's reading as its tutorial does", () => {
    const { source } = kernelFor(
      {
        problem: { m: 5120, n: 5120, k: 4096, a: { layout: 'col' }, c: { layout: 'col' } },
        schedule: { algorithm: 'layout' },
      },
      'cuda',
    );
    for (const line of [
      ...['gA (_128,_8,512):(_1,5120,40960)', 'gB (_128,_8,512):(_1,5120,40960)'],
      ...['gC (_128,_128):(_1,5120)', 'sA (_128,_8):(_1,_128)', 'sB (_128,_8):(_1,_128)'],
      ...['tA (_32,_8):(_1,_32)', 'tC (_16,_16):(_1,_16)'],
    ])
      assert.ok(source.includes(`//   ${line}\n`), line);
  });
});

describe('WGSL', () => {
  it('declares an index that is a number alone as u32', () => {
    const threadLayout = { a: '(16,1):(1,16)', b: '(16,1):(1,16)', c: '(4,4):(1,4)' };
    const { source } = kernelFor(
      {
        problem: cube(64),
        schedule: { algorithm: 'layout', block: { m: 16, n: 16 }, threadLayout },
      },
      'wgsl',
    );
    assert.match(source, /let aK = 0u;/);
    assert.doesNotMatch(source, /let \w+ = \d+;/);
  });
});

describe('generated files', () => {
  it('are read back as what they are: same runnable, same spec, and an edit shows', () => {
    fc.assert(
      fc.property(specs, fc.constantFrom<Target>('cuda', 'wgsl'), (spec, target) => {
        const planned = plan(resolve({ ...spec, targets: [target] }), target);
        if (!planned.ok) return;
        const kernel = emit(planned.plan);
        assert.equal(emit(planned.plan).source, kernel.source);
        const read = readKernelFile(kernel.source, kernel.fileName);
        assert.ok(read.ok, JSON.stringify(read));
        assert.equal(read.origin, 'generated');
        for (const field of [
          'entry',
          'source',
          'problem',
          'grid',
          'block',
          'arguments',
          'specKey',
          'dynamicSharedBytes',
        ] as const) {
          assert.deepEqual(read.runnable[field], kernel[field], field);
        }
        const plain = ({ entry, grid, block, arguments: args, dynamicSharedBytes }: Launch) => ({
          ...{ entry, grid, block, arguments: args, dynamicSharedBytes },
        });
        const launches = launchesOf<Launch>(kernel).map(plain);
        assert.deepEqual(launchesOf<Launch>(read.runnable).map(plain), launches);
        assert.equal(read.runnable.workspaceBytes, kernel.workspaceBytes);
        assert.deepEqual(read.runnable.spec, kernel.spec);
        assert.equal(ownsFile(kernel.source.replaceAll('\n', '\r\n')), 'generated');
        const edited = kernel.source.replace('acc', 'acc ');
        assert.equal(ownsFile(edited), 'edited');
        assert.deepEqual(
          readKernelFile(edited, kernel.fileName).ok && kernelSites(edited).map(site => site.entry),
          [kernel, ...(kernel.before ?? []), ...(kernel.after ?? [])].map(({ entry }) => entry),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('a head without a hash, or no head, is foreign', () => {
    assert.equal(ownsFile('__global__ void f() {}'), 'foreign');
  });
});
