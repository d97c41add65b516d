/** `compile`: what ptxas reports of specs and files, and plain refusals. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { itWhole } from '../helpers/depth';
import { CLI, cli, found, inFolder, jsonOf, spec } from './cli';

interface Kernels {
  readonly kernels: readonly {
    readonly entry: string;
    readonly arch: string;
    readonly sharedBytes: number;
  }[];
}

/** As such kernels stand in articles: nothing but the kernel. */
const PLAIN = `__global__ void matmul_smem(int *A, int *B, int *C, int M, int K, int N) {
    __shared__ int tile_A[16][16];
    __shared__ int tile_B[16][16];
    int i0 = threadIdx.x, j0 = threadIdx.y, sum = 0;
    int i = blockIdx.x * blockDim.x + i0, j = blockIdx.y * blockDim.y + j0;
    for (int k = 0; k < K; k += 16) {
        tile_A[i0][j0] = i < M && k + j0 < K ? A[i * K + k + j0] : 0;
        tile_B[i0][j0] = j < N && k + i0 < K ? B[(k + i0) * N + j] : 0;
        __syncthreads();
        for (int k0 = 0; k0 < 16; k0++) sum += tile_A[i0][k0] * tile_B[k0][j0];
        __syncthreads();
    }
    if (i < M && j < N) C[i * N + j] = sum;
}
`;

describe('compile', () => {
  let skip = false;
  before(async function () {
    this.timeout(60_000);
    skip = !(await found('nvcc'));
  });

  it('reports registers and spills (needs nvcc)', async function () {
    if (skip) this.skip();
    const ran = await cli(['compile', '-', '--arch', 'sm_80', '--json'], spec());
    assert.equal(ran.code, 0, ran.stderr);
    const { kernels } = jsonOf(ran) as { kernels: Record<string, unknown>[] };
    assert.equal(kernels.length, 1);
    assert.equal(kernels[0]!['arch'], 'sm_80');
    assert.ok(Number(kernels[0]!['registers']) > 0);
    const asTable = await cli(['compile', '-', '--arch', 'sm_80'], spec());
    const [head = '', row = ''] = asTable.stdout.split('\n');
    assert.match(head, /constant B \(cmem\)/);
    assert.ok(row.split(/ +/).includes(String(kernels[0]!['constantBytes'])), row);
    for (const field of ['spillStores', 'spillLoads', 'stackBytes', 'constantBytes', 'warnings']) {
      assert.ok(field in kernels[0]!, field);
    }
  }).timeout(120_000);

  it('reports the line of a compile error with exit code 1 (needs nvcc)', async function () {
    if (skip) this.skip();
    await inFolder(async folder => {
      const file = path.join(folder, 'broken.cu');
      const annotation = '{"problem":{"m":8,"n":8,"k":8},"grid":[1],"block":[8],"args":["a"]}';
      writeFileSync(
        file,
        `// @gemm ${annotation}\n__global__ void f(float* a) {\n  a[0] = b;\n}\n`,
      );
      const ran = await cli(['compile', file, '--json']);
      assert.equal(ran.code, 1, ran.stderr);
      assert.match(ran.stderr, /line 3/i);
    });
  }).timeout(60_000);

  const compiled = async (args: readonly string[], text?: string): Promise<Kernels['kernels']> => {
    const ran = await cli(['compile', ...args, '--json'], text);
    assert.equal(ran.code, 0, ran.stderr);
    return (jsonOf(ran) as Kernels).kernels;
  };

  it('compiles a file without a launch description (needs nvcc)', async function () {
    if (skip) this.skip();
    await inFolder(async folder => {
      const file = path.join(folder, 'notes on tiles.cu');
      writeFileSync(file, PLAIN);
      const [kernel, ...others] = await compiled([file, '--device', 't4']);
      assert.deepEqual(others, []);
      assert.equal(kernel?.entry, 'matmul_smem');
      assert.equal(kernel.arch, 'sm_75');
      assert.equal(kernel.sharedBytes, 2 * 16 * 16 * 4);
      writeFileSync(file, `// @gemm {"problem":{"m":8}}\n${PLAIN}`);
      assert.match((await cli(['compile', file])).stderr, /Ignored: .*@gemm/);
    });
  }).timeout(60_000);

  itWhole(
    'compiles a generated host program that includes its kernel (needs nvcc)',
    async function () {
      this.timeout(120_000);
      if (skip) this.skip();
      await inFolder(async folder => {
        const args = ['--out', folder, '--with-main', '--target', 'cuda', '--json'];
        const ran = await cli(['generate', '-', ...args], spec());
        const [made] = (jsonOf(ran) as { kernels: { entry: string; main: string }[] }).kernels;
        const kernels = await compiled([made!.main]);
        assert.ok(kernels.some(({ entry }) => entry === made!.entry));
      });
    },
  );

  it('expands each local include once and ignores includes in comments (needs nvcc)', async function () {
    if (skip) this.skip();
    await inFolder(async folder => {
      const write = (name: string, text: string): void => {
        writeFileSync(path.join(folder, name), text);
      };
      write('scale.cuh', '#pragma once\n#include "main.cu"\nconst int SCALE = 2;\n');
      write('main.cu', '');
      write('broken.cuh', 'int x = ;\n');
      const top = '#include "scale.cuh"\n#include "scale.cuh"\n/*\n#include "broken.cuh"\n*/\n';
      const kernel = '__global__ void f(float* a) {\n  a[0] = SCALE;\n}\n';
      write('k.cu', top + kernel);
      assert.equal((await compiled([path.join(folder, 'k.cu')]))[0]?.entry, 'f');

      write('k.cu', top + kernel.replace('SCALE', 'scale'));
      assert.match((await cli(['compile', path.join(folder, 'k.cu')])).stderr, /line 7/i);
      write('k.cu', `#include "broken.cuh"\n${kernel}`);
      assert.match((await cli(['compile', path.join(folder, 'k.cu')])).stderr, /broken\.cuh\(1\)/);
    });
  }).timeout(120_000);

  it('reports uninstantiated templates and undefined macros by line (needs nvcc)', async function () {
    if (skip) this.skip();
    await inFolder(async folder => {
      const file = path.join(folder, 'k.cu');
      const template = 'template <int BM>\n__global__ void sgemm(float *C) { C[0] = BM; }\n';
      writeFileSync(file, template);
      const ran = await cli(['compile', file, '--json']);
      assert.equal(ran.code, 0, ran.stderr);
      const { kernels, notCompiled } = jsonOf(ran) as {
        readonly kernels: readonly unknown[];
        readonly notCompiled: readonly { readonly line: number; readonly why: string }[];
      };
      assert.deepEqual([kernels.length, notCompiled.length, notCompiled[0]?.line], [0, 1, 1]);
      const offered = /such as (template .*;)$/.exec(notCompiled[0]?.why ?? '')?.[1];
      assert.equal(offered, 'template __global__ void sgemm<128>(float *);');
      // What is offered is what it needs.
      writeFileSync(file, `${template}${offered}\n`);
      assert.deepEqual(
        (await compiled([file])).map(({ entry }) => entry),
        ['sgemm'],
      );

      writeFileSync(file, '__global__ void f(float *C) {\n  C[0] = TILE;\n}\n');
      const broken = await cli(['compile', file]);
      assert.equal(broken.code, 1);
      assert.match(broken.stderr, /^Line 2: identifier "TILE" is undefined/m);
    });
  }).timeout(120_000);

  it('counts dynamic shared memory (needs nvcc)', async function () {
    if (skip) this.skip();
    const schedule = {
      algorithm: 'thread-tile-2d',
      block: { m: 128, n: 128, k: 64 },
      thread: { m: 8, n: 8 },
    };
    assert.equal((await compiled(['-'], spec(schedule)))[0]?.sharedBytes, 65536);
  }).timeout(60_000);

  it('rejects a file without a kernel, an unknown device, and --set on a file', async () => {
    await inFolder(async folder => {
      const file = path.join(folder, 'x.cu');
      writeFileSync(file, 'int main() {}\n');
      const refused = async (args: readonly string[], why: RegExp): Promise<void> => {
        const { code, stderr } = await cli(['compile', file, ...args]);
        assert.equal(code, 2);
        assert.match(stderr, why);
      };
      await refused([], /no __global__ function/);
      writeFileSync(file, PLAIN);
      await refused(['--device', 'gtx'], /Unknown device "gtx"/);
      await refused(['--device', 'apple-m4'], /not an NVIDIA GPU/);
      await refused(['--set', 'problem.m=8'], /--set/);
    });
  });

  it('rejects an invalid architecture', async () => {
    const { code, stderr } = await cli(['compile', '-', '--arch', 'sm_90; rm -rf /'], spec());
    assert.equal(code, 2);
    assert.match(stderr, /sm_90/);
  });

  it('exits with 130 on SIGINT and ends its children', async function () {
    if (process.platform !== 'linux') this.skip();
    await inFolder(async folder => {
      const bin = path.join(folder, 'bin');
      mkdirSync(bin);
      const nvcc = path.join(bin, 'nvcc');
      const answer = 'Cuda compilation tools, release 13.0, V13.0.88';
      writeFileSync(
        nvcc,
        `#!/bin/sh\n[ "$1" = --version ] && { echo "${answer}"; exit; }\n` +
          `echo $$ > '${path.join(folder, 'pid').replaceAll("'", "'\\''")}'\ntrap '' TERM\nsleep 60 & wait\nsleep 60\n`,
      );
      chmodSync(nvcc, 0o755);
      const env = { ...process.env, CUDA_PATH: folder, PATH: `${bin}:/usr/bin:/bin` };
      const child = spawn(process.execPath, [CLI, 'compile', '-'], { env });
      child.stdin.end(spec());
      await new Promise(resolve => child.stderr.once('data', resolve));
      await new Promise(resolve => setTimeout(resolve, 500));
      child.kill('SIGINT');
      const code = await new Promise(resolve => child.once('close', resolve));
      assert.equal(code, 130);
      const pid = Number(readFileSync(path.join(folder, 'pid'), 'utf8'));
      assert.ok(!existsSync(`/proc/${pid}`), 'nvcc is still running');
    });
  }).timeout(30_000);
});
