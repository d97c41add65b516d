/** `inspect`: instruction mix and main loop of what nvcc made, beside the model. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Inspection } from '../../src/core/profile/listing/inspect';
import { cli, found, inFolder, jsonOf, spec } from './cli';

const HAND_WRITTEN = `__global__ void dot(const float* a, const float* b, float* c, int n) {
  __shared__ float part[32];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) sum += a[i] * b[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) for (int i = 0; i < 32; ++i) c[0] += part[i];
}
`;

describe('inspect', () => {
  let skip = false;
  before(async function () {
    this.timeout(60_000);
    skip = !(await found('nvcc'));
  });

  it('prints the main loop next to the model, and as JSON (needs nvcc)', async function () {
    if (skip) this.skip();
    const ran = await cli(['inspect', '-', '--arch', 'sm_80'], spec());
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /PTX of nvcc \d+\.\d+\.\d+ for sm_80/);
    assert.match(ran.stdout, /per iteration +compiled +model/);
    const asJson = jsonOf(
      await cli(['inspect', '-', '--arch', 'sm_80', '--json'], spec()),
    ) as Inspection;
    const [kernel] = asJson.kernels;
    assert.ok(kernel?.loop && kernel.comparison);
    assert.equal(asJson.arch, 'sm_80');
    assert.ok(
      kernel.comparison.rows.every(({ compiled, model, why }) => compiled === model || why !== ''),
    );
  }).timeout(120_000);

  it('inspects a hand-written kernel without annotation or model (needs nvcc)', async function () {
    if (skip) this.skip();
    await inFolder(async folder => {
      const file = path.join(folder, 'dot.cu');
      writeFileSync(file, HAND_WRITTEN);
      const asJson = jsonOf(await cli(['inspect', file, '--json'])) as Inspection;
      const [kernel] = asJson.kernels;
      assert.equal(kernel?.entry, 'dot');
      assert.equal(kernel.comparison, null);
      assert.ok((kernel.loop?.globalBytesPerFma?.value ?? 0) === 8);
      const listing = await cli(['inspect', file, '--text']);
      assert.match(listing.stdout, /^\/\/ nvcc[\s\S]*\.entry _Z3dot/);
    });
  }).timeout(120_000);

  it('finds the main loop of an integer kernel without a comment (needs nvcc)', async function () {
    if (skip) this.skip();
    const text = readFileSync('test/fixtures/handWritten/tiledMatmul101.cu', 'utf8');
    await inFolder(async folder => {
      const file = path.join(folder, 'tiled.cu');
      writeFileSync(file, text.replaceAll(/^\/\/ .*@gemm.*$/gm, ''));
      const ran = await cli(['inspect', file]);
      assert.equal(ran.code, 0, ran.stderr);
      assert.match(ran.stdout, /FMAs per shared load +0\.5 FMA\/load/);
      assert.match(ran.stdout, /IMAD\) of two loaded values are counted as GEMM work/);
      assert.doesNotMatch(ran.stdout, /No loop contains/);
    });
  }).timeout(120_000);

  it('accepts --target like other commands, and rejects WGSL (needs nvcc)', async function () {
    if (skip) this.skip();
    const both = JSON.stringify({
      problem: { m: 64, n: 64, k: 64 },
      // 1,024 threads per block are legal for CUDA and too many for WebGPU's default limits.
      schedule: { algorithm: 'naive', block: { m: 32, n: 32 } },
      targets: ['cuda', 'wgsl'],
    });
    assert.equal((await cli(['inspect', '-'], both)).code, 0, 'CUDA is what it compiles');
    const ran = await cli(['inspect', '-', '--target', 'cuda', '--arch', 'sm_80'], both);
    assert.equal(ran.code, 0, ran.stderr);
    for (const name of ['inspect', 'compile']) {
      const refused = await cli([name, '-', '--target', 'wgsl'], both);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /nvcc compiles CUDA, but --target is wgsl/);
    }
  }).timeout(120_000);

  it('exits with 3 if SASS tools are missing, and with 1 on compile errors (needs nvcc)', async function () {
    if (skip) this.skip();
    const hasTool = (await found('nvdisasm')) || (await found('cuobjdump'));
    const sass = await cli(['inspect', '-', '--sass'], spec());
    assert.equal(sass.code, hasTool ? 0 : 3, sass.stderr);
    await inFolder(async folder => {
      const file = path.join(folder, 'broken.cu');
      writeFileSync(file, '__global__ void f(float* a) {\n  a[0] = b;\n}\n');
      const broken = await cli(['inspect', file]);
      assert.equal(broken.code, 1);
      assert.match(broken.stderr, /line 2.*identifier "b" is undefined/);
    });
  }).timeout(120_000);
});
