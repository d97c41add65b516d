/** Cubins and PTX files of nvcc: their kernels, resources and errors, and how they are run. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import type { Runnable } from '../../../src/core/kernel/kernel';
import { parseCubin } from '../../../src/core/source/cubinFile';
import { readKernel, readKernelFile, type KernelFile } from '../../../src/core/source/kernelFile';
import { cudaBackend } from '../../../src/host/cuda/backend';
import { cubinResources, cubinSymbols } from '../../../src/host/cuda/runner/cubin';
import { assemblePtx, compileCubin } from '../../../src/host/nvcc';
import { findNvcc, type Nvcc } from '../../../src/host/toolchain';
import { onceInHostileFolder } from '../support';
import { fakeMachine, type FakeMachine } from './fakeMachine';

const SOURCE = `
template <int BM> __global__ void __launch_bounds__(256)
tiled(const float *A, const float *B, float *C, int n) {
  __shared__ float tile[BM][BM];
  tile[threadIdx.y][threadIdx.x] = A[threadIdx.y * n + threadIdx.x] * B[threadIdx.x];
  __syncthreads();
  C[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
template __global__ void tiled<16>(const float *, const float *, float *, int);
extern "C" __global__ void plain(const float *A, const float *B, float *C, int n) { C[n] = A[n] * B[n]; }
`;
const ANNOTATION =
  '{"entry":"plain","problem":{"m":64,"n":64,"k":64},"grid":[4],"block":[256],"args":["a","b","c","n"]}';

describe('compiled kernels (needs nvcc)', function () {
  this.timeout(120_000);
  let nvcc: Nvcc;
  let folder: string;
  let machine: FakeMachine;
  const products = new Map<string, Buffer>();
  before(async function () {
    const found = await findNvcc();
    if (!found.ok) return this.skip();
    ({ nvcc } = found);
  });
  onceInHostileFolder(fakeMachine, (at, made) => {
    [folder, machine] = [at, made];
  });
  before(() => {
    const at = (name: string): string => path.join(path.dirname(folder), name);
    writeFileSync(at('k.cu'), SOURCE);
    const make = (arch: string, mode: string): void => {
      const out = at(`k.${arch}.${mode}`);
      const args = ['-O3', '-std=c++17', `-arch=${arch}`, `-${mode}`, '-o', out, at('k.cu')];
      execFileSync(nvcc.path, args, { stdio: 'pipe' });
      products.set(`${arch}.${mode}`, readFileSync(out));
    };
    make('sm_80', 'cubin');
    make('sm_90', 'cubin');
    make('sm_90', 'ptx');
  });
  const product = (name: string): Buffer => {
    const bytes = products.get(name);
    assert.ok(bytes !== undefined);
    return bytes;
  };
  const ptx = (): string => product('sm_90.ptx').toString('utf8');
  const options = (arch = 'sm_90') => ({
    nvcc,
    arch,
    cacheFolder: path.join(path.dirname(folder), 'cache', 'build'),
  });

  it('have the registers and the shared memory that ptxas reports', async () => {
    for (const arch of ['sm_80', 'sm_90']) {
      const bytes = product(`${arch}.cubin`);
      const compiled = await compileCubin(SOURCE, options(arch));
      assert.ok(compiled.ok);
      assert.deepEqual(new Set(cubinSymbols(bytes)), new Set(compiled.kernels.map(k => k.symbol)));
      for (const { symbol, registers, sharedBytes } of compiled.kernels) {
        assert.deepEqual(cubinResources(bytes, symbol), { registers, sharedBytes }, symbol);
      }
      assert.equal(cubinResources(bytes, 'absent'), undefined);
    }
  });

  it('are read without an exception if the file is damaged', () => {
    const bytes = product('sm_90.cubin');
    const place = fc.nat(bytes.length - 1);
    const edits = fc.array(fc.tuple(place, fc.nat(255)), { maxLength: 20 });
    fc.assert(
      fc.property(place, edits, (length, changes) => {
        const damaged = Buffer.from(bytes);
        for (const [at, value] of changes) damaged[at % 64] = damaged[at] = value;
        for (const file of [damaged, bytes.subarray(0, length)]) {
          for (const symbol of [...cubinSymbols(file), 'plain']) cubinResources(file, symbol);
        }
      }),
    );
  });

  it('are assembled from PTX, with the same resources', async () => {
    const [assembled, compiled] = await Promise.all([
      assemblePtx(ptx(), options()),
      compileCubin(SOURCE, options()),
    ]);
    assert.ok(assembled.ok && compiled.ok);
    const facts = ({ symbol, registers, sharedBytes }: (typeof assembled.kernels)[number]) =>
      `${symbol} ${registers} ${sharedBytes}`;
    assert.deepEqual(new Set(assembled.kernels.map(facts)), new Set(compiled.kernels.map(facts)));
  });

  it('state the line of an error in PTX, and a GPU that is too old', async () => {
    const broken = await assemblePtx(ptx().replace('ret;', 'rot;'), options());
    assert.ok(!broken.ok && broken.outcome === 'compile-error');
    assert.match(broken.message, /^Line \d+: .*rot/);
    const old = await assemblePtx(ptx(), options('sm_80'));
    assert.ok(!old.ok && old.outcome === 'constraint');
    assert.match(old.message, /requires sm_90, but the GPU is sm_80\. Fix:/);
    const specific = ptx().replace('.target sm_90', '.target sm_90a');
    const newer = await assemblePtx(specific, options('sm_100'));
    assert.ok(!newer.ok && newer.message.includes('requires sm_90a'));
    assert.ok((await assemblePtx(specific, options('sm_90'))).ok);
    const garbage = await assemblePtx('not PTX', options());
    assert.ok(!garbage.ok && garbage.message !== '');
  });

  const verified = async (file: KernelFile, more: object = {}) => {
    assert.ok(file.ok, file.ok ? '' : file.reason);
    const { runnable }: { readonly runnable: Runnable } = file;
    const { environment, nvcc: setting } = machine;
    const backend = cudaBackend({
      search: { environment, setting },
      where: 'cli',
      cacheFolder: path.join(folder, 'cache', 'build'),
      ceilings: false,
      ...more,
    });
    const measurement = await backend.run(
      { runnable, mode: 'verify', seed: 1 },
      { abort: new AbortController().signal, progress: () => undefined },
    );
    const request = machine.requests().findLast(({ type }) => type === 'run') as
      | { readonly cubin: string; readonly launches: readonly { readonly symbol: string }[] }
      | undefined;
    return { measurement, request };
  };

  it('are given to the runner as they are: a cubin by its path and symbol', async () => {
    const at = path.join(folder, 'k.cubin');
    const bytes = product('sm_90.cubin');
    writeFileSync(at, bytes);
    const cubin = (side: string): KernelFile => {
      const symbols = cubinSymbols(bytes);
      return readKernel(parseCubin({ fileName: 'k.cubin', path: at, hash: 'ab', symbols, side }));
    };
    const { measurement, request } = await verified(
      cubin(ANNOTATION.replace('"plain"', '"tiled<16>"')),
    );
    assert.deepEqual([measurement.outcome, measurement.specKey], ['correct', 'k']);
    assert.deepEqual(
      [request?.cubin, request?.launches[0]?.symbol],
      [at, '_Z5tiledILi16EEvPKfS1_Pfi'],
    );
    writeFileSync(at, 'gone');
    const { measurement: gone } = await verified(cubin(ANNOTATION));
    assert.equal(gone.outcome, 'constraint');
    assert.match(gone.message ?? '', /has no kernel 'plain'; it has none/);
  });

  it('are given to the driver as PTX without nvcc, with a zero byte at the end', async () => {
    const file = readKernelFile(`// @gemm ${ANNOTATION}\n${ptx()}`, 'k.ptx');
    const { measurement, request } = await verified(file, { compiler: 'nvrtc' });
    assert.equal(measurement.outcome, 'correct', measurement.message);
    assert.equal(request?.launches[0]?.symbol, 'plain');
    const written = readFileSync(request.cubin);
    assert.equal(written.at(-1), 0);
    assert.match(written.toString('utf8'), /^\/\/ @gemm/);
  });
});
