/** `analyze` of a file: kernels of people, with and without nvcc, and what is no kernel. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Analysis } from './analysis';
import { cli, found, inFolder, jsonOf, spec, WITHOUT_TOOLS } from './cli';

const handWritten = (annotation: string): string => `${annotation}
__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}
`;

const ANNOTATION =
  '// @gemm {"problem":{"m":64,"n":48,"k":32},"grid":["ceil(n / 16)","ceil(m / 16)"],"block":[16,16],"args":["a","b","c","m","n","k"]}';

const nvcc = await found('nvcc');

describe('analyze of a file', () => {
  it(`names what is uncoalesced in kernels of tutorials, with line and reason${nvcc ? '' : ' (skipped: no nvcc)'}`, async function () {
    if (!nvcc) return this.skip();
    this.timeout(120_000);
    const naive = await cli(['analyze', 'test/fixtures/handWritten/gemmNaive.cu', '--pictures']);
    assert.equal(naive.code, 0, naive.stderr);
    assert.match(
      naive.stdout,
      /advice: A\[x \* K \+ i\], line 13: uncoalesced load, 32 sectors per request \(ideal 4\)\. Consecutive lanes have a stride of K = 33 elements in A/,
    );
    assert.match(naive.stdout, /C\[x \* N \+ y\], line 15: 4 B per lane, sectors: 32/);
    const tiled = await cli(['analyze', 'test/fixtures/handWritten/tiledMatmul101.cu', '--json']);
    const { globalMemory, sharedMemory } = jsonOf(tiled) as Readonly<
      Record<
        'globalMemory' | 'sharedMemory',
        readonly { readonly source: { readonly line: number } }[]
      >
    >;
    assert.deepEqual(
      [...globalMemory, ...sharedMemory].map(({ source }) => source.line),
      [16, 22, 36, 16, 22, 29, 29],
    );
  });

  it('analyses a hand-written kernel as far as its text tells, and refuses one without @gemm', async () => {
    await inFolder(async folder => {
      const file = path.join(folder, 'my matmul.cu');
      writeFileSync(file, handWritten(ANNOTATION));
      const ran = await cli(['analyze', file, '--estimate', '--json']);
      assert.equal(ran.code, 0, ran.stderr);
      const analysis = jsonOf(ran) as Analysis;
      assert.equal(analysis.specKey, 'my matmul');
      assert.ok(analysis.notes.length > 0);
      assert.equal(analysis.occupancy, null);
      const shown = await cli(['analyze', file, '--estimate']);
      assert.match(shown.stdout, /occupancy +unknown: the kernel was not compiled/);
      assert.match(shown.stdout, /traffic, L2 +unknown\n/);
      assert.doesNotMatch(shown.stdout, /NaN/);
      const foreign = await cli(['analyze', file, '--device', 'apple-m4']);
      assert.match(
        foreign.stdout,
        /occupancy +the occupancy rules of this device are not published/,
      );
      assert.equal(foreign.stderr, '');
      assert.equal((await cli(['analyze', file, '--estimate', '--target', 'cuda'])).code, 0);
      const other = await cli(['analyze', file, '--target', 'wgsl']);
      assert.equal(other.code, 2);
      assert.match(other.stderr, /is a cuda kernel, but --target is wgsl/);
      assert.match((await cli(['analyze', file, '--set', 'problem.m=1'])).stderr, /--set/);

      writeFileSync(file, handWritten(''));
      const { code, stderr } = await cli(['analyze', file, '--estimate']);
      assert.equal(code, 2);
      assert.match(stderr, /@gemm/);
      const without = await cli(['analyze', file], '', { env: WITHOUT_TOOLS });
      assert.equal(without.code, 3);
      assert.match(
        without.stderr,
        /no \/\/ @gemm annotation, so nvcc is required to determine the register count\. No nvcc/,
      );
    });
  });

  it(`gives registers and occupancy of a kernel without @gemm${nvcc ? '' : ' (skipped: no nvcc)'}`, async function () {
    if (!nvcc) return this.skip();
    this.timeout(60_000);
    await inFolder(async folder => {
      const file = path.join(folder, 'bare.cu');
      writeFileSync(file, handWritten(''));
      const all = await cli(['analyze', file]);
      assert.equal(all.code, 0, all.stderr);
      assert.match(all.stdout, /occupancy +unknown: the block size is not given/);
      assert.match(all.stdout, /256 +8 +64 +100 % .*<- best/);
      const on = await cli(['analyze', file, '--block', '16x16', '--device', 'A10G', '--json']);
      assert.match(on.stderr, /"A10G" is not in the device table\. NVIDIA A10/);
      const { device, kernels } = jsonOf(on) as {
        readonly device: string;
        readonly kernels: readonly { readonly block: { readonly threads: number } }[];
      };
      assert.deepEqual([device, kernels[0]?.block.threads], ['a10', 256]);
      for (const block of ['0', '16x', '1x2x3x4', 'many']) {
        assert.equal((await cli(['analyze', file, '--block', block])).code, 2, block);
      }
      writeFileSync(file, `${handWritten('')}\n#error no`);
      assert.equal((await cli(['analyze', file])).code, 1);
    });
  });

  it('estimates without nvcc, and says why', async () => {
    const ran = await cli(['analyze', '-', '--json'], spec(), { env: WITHOUT_TOOLS });
    assert.equal(ran.code, 0);
    const { occupancy } = jsonOf(ran) as Analysis;
    assert.equal(occupancy?.registers.from, 'derived');
    assert.match(ran.stderr, /^Not compiled, so .*estimated: No nvcc .*CUDA_PATH/);
    const asked = await cli(['analyze', '-', '--estimate'], spec(), { env: WITHOUT_TOOLS });
    assert.equal(asked.stderr, '');
  });

  it('takes registers and shared memory from the compiler (needs nvcc)', async function () {
    if (!(await found('nvcc'))) this.skip();
    const analysis = async (args: readonly string[], text?: string): Promise<Analysis> => {
      const ran = await cli(['analyze', ...args, '--json'], text);
      assert.equal(ran.code, 0, ran.stderr);
      return jsonOf(ran) as Analysis;
    };
    const schedule = {
      algorithm: 'thread-tile-2d',
      block: { m: 128, n: 128, k: 64 },
      thread: { m: 8, n: 8 },
    };
    const generated = await analysis(['-', '--device', 'a100-sxm-80gb'], spec(schedule));
    assert.equal(generated.occupancy?.registers.from, 'compiler');
    // All of it is dynamic: ptxas reports none.
    assert.deepEqual(generated.occupancy.sharedBytes, {
      value: 65536,
      unit: 'B',
      from: 'compiler',
    });
    await inFolder(async folder => {
      const file = path.join(folder, 'k.cu');
      writeFileSync(file, handWritten(ANNOTATION));
      const written = await analysis([file]);
      assert.equal(written.occupancy?.registers.from, 'compiler');
      assert.ok(written.occupancy.blocksPerSm > 0);

      writeFileSync(file, handWritten(ANNOTATION).replace('float sum', 'flaot sum'));
      const broken = await cli(['analyze', file, '--json']);
      assert.equal(broken.code, 0);
      assert.equal((jsonOf(broken) as Analysis).occupancy, null);
      assert.match(broken.stderr, /^Not compiled, so .*unknown: Line 5/);
    });
  }).timeout(120_000);

  it('refuses a file without a kernel and binary noise', async () => {
    await inFolder(async folder => {
      const file = path.join(folder, 'x.wgsl');
      for (const content of ['', '\u0000\u0001\u0002', '// @compute fn nothing() {}']) {
        writeFileSync(file, content);
        const { code, stderr } = await cli(['analyze', file]);
        assert.equal(code, 2);
        assert.match(stderr, /no @compute function/);
      }
    });
  });
});
