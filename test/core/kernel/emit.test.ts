import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { emit } from '../../../src/core/kernel/emit';
import { recoverGenerated } from '../../../src/core/kernel/generatedKernel';
import { launchesOf, type Launch } from '../../../src/core/kernel/kernel';
import { ownsFile, readKernelFile } from '../../../src/core/source/kernelFile';
import { kernelSites } from '../../../src/core/source/kernelSites';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import type { Target } from '../../../src/core/spec/schema';
import { kernelFor } from '../../helpers/kernels';
import { cube, LADDER } from '../../helpers/ladderSpecs';
import { specs } from '../../helpers/specs';
import { TENSOR_SPECS } from '../../helpers/tensorSpecs';
import { declaredFor, WARP_GROUP_SPECS } from '../../helpers/warpGroupSpecs';
import { isEnough, runs } from '../../helpers/depth';

const GOLDEN = path.join('test', 'golden');

describe('a generated file that is read back', () => {
  it('is the kernel of its spec, whichever fields of it were defaults', () => {
    let read = 0;
    fc.assert(
      fc.property(specs, spec => {
        const planned = plan(resolve(spec), 'cuda');
        if (!planned.ok) return;
        const { source } = emit(planned.plan);
        const file = readKernelFile(source, 'kernel.cu');
        assert.ok(file.ok && recoverGenerated(file.runnable) !== null, JSON.stringify(spec));
        read++;
      }),
      { ...runs(300) },
    );
    assert.ok(isEnough(read, 30), `${read}`);
    const padded = { algorithm: 'shared-tile', padding: { a: 1, b: 1 } } as const;
    const { source } = kernelFor({ problem: cube(256), schedule: padded }, 'cuda');
    const file = readKernelFile(source, 'kernel.cu');
    assert.ok(file.ok && recoverGenerated(file.runnable) !== null);
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
    // Odd extents: copies wrap around at the edges, and C is stored through shared memory.
    kernelFor(
      {
        problem: { m: 333, n: 471, k: 85, alpha: 2, beta: 1, a: { layout: 'col' } },
        schedule: {
          algorithm: 'pipelined',
          block: { m: 128, n: 96, k: 8 },
          warp: { m: 64, n: 48 },
          thread: { m: 8, n: 12 },
          vector: 4,
          stages: 4,
          fragments: 2,
          traversal: 'col',
          padding: { a: 4, b: 4 },
          minBlocksPerSm: 3,
        },
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
          algorithm: 'pipelined',
          block: { m: 128, n: 256, k: 16 },
          minBlocksPerSm: 1,
          warp: { m: 32, n: 128 },
          thread: { m: 8, n: 16 },
          stages: 3,
          padding: { a: 4, b: 4 },
          fragments: 2,
          traversal: 'col',
        },
      },
      'cuda',
    ),
    kernelFor(
      {
        problem: { m: 1000, n: 1500, k: 1003, beta: 1, b: { layout: 'col' } },
        schedule: {
          algorithm: 'pipelined',
          block: { m: 96, n: 128, k: 16 },
          minBlocksPerSm: 3,
          warp: { m: 48, n: 64 },
          thread: { m: 12, n: 8 },
          stages: 3,
          padding: { a: 4, b: 4 },
          fragments: 2,
          traversal: 'col-pairs',
        },
      },
      'cuda',
    ),
    // What differs by GPU: asynchronous copies in several stages, and none before compute
    // capability 8.0.
    kernelFor(
      {
        problem: { m: 1000, n: 1000, k: 1000 },
        schedule: {
          algorithm: 'pipelined',
          block: { m: 64, n: 128, k: 16 },
          warp: { m: 32, n: 64 },
          stages: 4,
          padding: { a: 4 },
          minBlocksPerSm: 4,
        },
      },
      'cuda',
    ),
    kernelFor({ problem: cube(1024), schedule: { algorithm: 'pipelined' }, device: 't4' }, 'cuda'),
    // What differs by type: elements converted on the way to registers and to C, two sums an
    // instruction, integers.
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
    // Tensor cores: a large product with asynchronous copies; every layout turned, past every edge,
    // scaled; and without such copies.
    kernelFor(
      {
        problem: { ...cube(4096), a: { dtype: 'bf16' }, b: { layout: 'col' } },
        schedule: { algorithm: 'mma' },
      },
      'cuda',
    ),
    kernelFor(
      {
        problem: {
          m: 1000,
          n: 1016,
          k: 1032,
          alpha: 2,
          beta: 0.5,
          batch: 2,
          a: { dtype: 'f16', layout: 'col' },
          c: { layout: 'col' },
          accumulator: 'f16',
        },
        schedule: { algorithm: 'mma', block: { m: 128, n: 64, k: 48 }, stages: 4 },
      },
      'cuda',
    ),
    kernelFor(
      {
        problem: { m: 1001, n: 1003, k: 1021, a: { dtype: 'f16' }, c: { dtype: 'f32' } },
        schedule: { algorithm: 'mma', splitK: 2 },
        device: 't4',
      },
      'cuda',
    ),
    ...TENSOR_SPECS.map(spec => kernelFor(spec, 'cuda')),
    // Subgroup matrices: stored as they are; past every edge, in narrower words; and within
    // WebGPU's default limits.
    kernelFor(
      {
        problem: { ...cube(1024), a: { dtype: 'f16' }, c: { dtype: 'f32' } },
        schedule: { algorithm: 'mma' },
        targets: ['wgsl'],
        webgpuLimits: { workgroupStorageBytes: 32_768 },
      },
      'wgsl',
    ),
    kernelFor(
      {
        problem: {
          m: 1000,
          n: 1022,
          k: 1030,
          alpha: 2,
          beta: 0.5,
          a: { dtype: 'f16', layout: 'col' },
          b: { layout: 'col' },
          c: { layout: 'col' },
        },
        schedule: {
          algorithm: 'mma',
          block: { m: 64, n: 64, k: 32 },
          warp: { m: 32, n: 32 },
          raster: { group: 4 },
        },
        targets: ['wgsl'],
      },
      'wgsl',
    ),
    kernelFor(
      {
        problem: { ...cube(1024), a: { dtype: 'f16' }, accumulator: 'f16' },
        schedule: { algorithm: 'mma' },
        targets: ['wgsl'],
      },
      'wgsl',
    ),
    ...Object.values(WARP_GROUP_SPECS).map(declaredFor),
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
      'gA (_128,_8,512):(_1,5120,40960)',
      'gB (_128,_8,512):(_1,5120,40960)',
      'gC (_128,_128):(_1,5120)',
      'sA (_128,_8):(_1,_128)',
      'sB (_128,_8):(_1,_128)',
      'tA (_32,_8):(_1,_32)',
      'tC (_16,_16):(_1,_16)',
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
          entry,
          grid,
          block,
          arguments: args,
          dynamicSharedBytes,
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
      { ...runs(300) },
    );
  });

  it('a head without a hash, or no head, is foreign', () => {
    assert.equal(ownsFile('__global__ void f() {}'), 'foreign');
  });
});
