/**
 * Kernels of Hopper's own instructions: what they are compiled for, and what of the assembler's
 * words ends them.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { architectureOf, usesHopperInstructions, assemblyFailure } from '../../../src/host/hopper';
import { compileCubin, compileProgram, compilePtx } from '../../../src/host/nvcc';
import { findNvcc, type Nvcc } from '../../../src/host/toolchain';
import { asNvcc, eachInHostileFolder, fakeProgram } from '../../host/support';

const FENCE = 'asm volatile("wgmma.fence.sync.aligned;" ::: "memory");';
const fenced = (body: string, more = ''): string =>
  `${more}\nextern "C" __global__ void __launch_bounds__(128) gemm(float *C, unsigned long long a, unsigned long long b, int k) {\n${FENCE}\n${body}\n}\n`;
const MULTIPLY = `asm volatile("{\\n.reg .pred p;\\nsetp.ne.b32 p, 1, 0;\\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0;\\n}\\n"
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b));`;
const COMMIT = `asm volatile("wgmma.commit_group.sync.aligned;\\nwgmma.wait_group.sync.aligned 0;" ::: "memory");`;
const STORE = 'for (int i = 0; i < 4; ++i) C[threadIdx.x * 4 + i] = d[i];';

const GOOD = fenced(`float d[4] = {};\n${MULTIPLY}\n${COMMIT}\n${STORE}`);
const SERIALIZED = fenced(
  `float d[4] = {};\nfor (int i = 0; i < k; ++i) { ${MULTIPLY} if (i % 3 == 1) d[0] += 1.0f; asm volatile("wgmma.commit_group.sync.aligned;"); }\n${COMMIT}\n${STORE}`,
);
const IGNORED = fenced('asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); C[0] = 1;').replace(
  ' __launch_bounds__(128)',
  '',
);
const SPILLED = fenced(
  `float x[200];
for (int i = 0; i < 200; ++i) x[i] = C[i * 7];
for (int j = 0; j < 50; ++j) for (int i = 0; i < 200; ++i) x[i] = x[i] * x[(i + 1) % 200];
for (int i = 0; i < 200; ++i) C[i * 3] = x[i];`,
).replace('(128)', '(1024)');

describe('Hopper instructions', () => {
  it('are seen in code, not in comments', () => {
    assert.ok(usesHopperInstructions(GOOD));
    assert.ok(
      usesHopperInstructions('asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(232));'),
    );
    assert.ok(
      !usesHopperInstructions('// wgmma.mma_async would be faster\n/* setmaxnreg.dec */ int x;'),
    );
    assert.ok(!usesHopperInstructions('int wgmma = setmaxnreg;'));
    assert.ok(usesHopperInstructions(`// wgmma.fence\n${GOOD}`));
  });

  it('are compiled for sm_90a, and for nothing but Hopper', () => {
    const own = { ok: true, arch: 'sm_90a', flag: '-gencode=arch=compute_90a,code=sm_90a' };
    assert.deepEqual(architectureOf(GOOD, 'sm_90', '13.0'), own);
    assert.deepEqual(architectureOf(GOOD, 'sm_90a', '12.0'), own);
    const usual = { ok: true, arch: 'sm_90', flag: '-arch=sm_90' };
    assert.deepEqual(architectureOf('int x;', 'sm_90', '11.8'), usual);
    for (const arch of ['sm_80', 'sm_89', 'sm_100', 'sm_120a']) {
      const refused = architectureOf(GOOD, arch);
      assert.ok(!refused.ok);
      assert.match(refused.message, new RegExp(`capability 9.0, but the target is ${arch}\\. `));
    }
    const old = architectureOf(GOOD, 'sm_90', '11.8');
    assert.ok(!old.ok);
    assert.match(old.message, /require CUDA 12\.0, but the compiler is 11\.8\. Fix: install/);
  });

  it('are lost where the assembler says so, and only in texts that have them', () => {
    const log =
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to the presence of Extern calls in the function 'gemm'\n";
    assert.match(
      assemblyFailure(GOOD, log, []) ?? '',
      /^ptxas C7510: wgmma.mma_async .* do not call functions/,
    );
    assert.equal(assemblyFailure('int x;', log, []), undefined);
    const kernel = { entry: 'gemm', spillStores: 0, spillLoads: 0 };
    assert.equal(assemblyFailure(GOOD, '', [kernel]), undefined);
    const spilled = [kernel, { ...kernel, spillLoads: 8 }];
    assert.match(
      assemblyFailure(GOOD, '', spilled) ?? '',
      /^gemm spills registers to local memory \(0 bytes /,
    );
    assert.equal(assemblyFailure('int x;', '', spilled), undefined);
  });

  describe('with a compiler', () => {
    let folder: string;
    eachInHostileFolder(given => {
      folder = given;
    });
    const cacheFolder = () => path.join(folder, 'cache');
    const compile = (nvcc: Nvcc, source: string, arch = 'sm_90') =>
      compileCubin(source, { nvcc, arch, cacheFolder: cacheFolder() });

    it('ask a fake one for sm_90a, or not at all', async () => {
      const said = `fs.appendFileSync(__dirname + '/calls', args.filter(arg => /^-(arch|gencode)/.test(arg)) + '\\n');
        fs.writeFileSync(args[args.indexOf('-o') + 1], '\\x7fELF');`;
      const nvcc = asNvcc(fakeProgram(folder, 'nvcc', said));
      const calls = (): readonly string[] =>
        readFileSync(path.join(folder, 'calls'), 'utf8').trim().split('\n');
      assert.ok((await compile(nvcc, GOOD)).ok);
      assert.ok((await compile(nvcc, '__global__ void f() {}')).ok);
      assert.deepEqual(calls(), ['-gencode=arch=compute_90a,code=sm_90a', '-arch=sm_90']);
      const refused = [
        await compile(nvcc, GOOD, 'sm_80'),
        await compile({ ...nvcc, version: '11.8' }, GOOD),
      ];
      for (const found of refused) assert.ok(!found.ok && found.outcome === 'constraint');
      assert.equal(calls().length, 2);
    });

    it('are no kernel where the real one serialises, ignores or spills (needs nvcc)', async function () {
      this.timeout(60_000);
      const found = await findNvcc();
      if (!found.ok) return this.skip();
      const { nvcc } = found;
      const good = await compile(nvcc, GOOD);
      assert.ok(good.ok, good.ok ? '' : good.message);
      assert.equal(good.kernels[0]?.arch, 'sm_90a');
      const ptx = await compilePtx(GOOD, { nvcc, arch: 'sm_90', cacheFolder: cacheFolder() });
      assert.ok(ptx.ok);
      assert.match(readFileSync(ptx.path, 'utf8'), /^\.target sm_90a$/m);
      const main = '#include "kernel.cu"\nint main() { return 0; }\n';
      const options = { nvcc, arch: 'sm_90', cacheFolder: cacheFolder() };
      const program = await compileProgram(GOOD, main, options);
      assert.ok(program.ok, program.ok ? '' : program.message);
      for (const [source, said] of [
        [
          SERIALIZED,
          /^ptxas C75\d\d: wgmma\.mma_async instructions are serialized due to .*'gemm'/,
        ],
        [IGNORED, /^ptxas C7508: 'setmaxnreg' ignored; .*set __launch_bounds__/],
        [
          SPILLED,
          /^gemm spills registers to local memory \(\d+ bytes stored, \d+ loaded\)\. Fix: choose/,
        ],
      ] as const) {
        // The second time out of the cache.
        for (const made of [await compile(nvcc, source), await compile(nvcc, source)]) {
          assert.ok(!made.ok && made.outcome === 'compile-error');
          assert.match(made.message, said);
        }
      }
    });
  });
});
