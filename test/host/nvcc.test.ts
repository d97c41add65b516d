/**
 * Compiling with nvcc: fakes that hang, lie, flood and fail, and the real one where it is there.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { compileCubin, type Compiled, type CompileOptions } from '../../src/host/nvcc';
import { findNvcc, type Nvcc } from '../../src/host/toolchain';
import { asNvcc, eachInHostileFolder, fakeProgram, survivors, STUBBORN } from './support';

const KERNEL = `__global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float tile[64];
  tile[threadIdx.x % 64] = x[i];
  __syncthreads();
  if (i < n) x[i] = 2.0f * tile[(threadIdx.x + 1) % 64];
}
`;
const OUTPUT = `const out = args[args.indexOf('-o') + 1];`;
const GOOD = `${OUTPUT} fs.writeFileSync(out, '\\x7fELF cubin'); fs.appendFileSync(__dirname + '/calls', 'x');
console.error("ptxas info    : Compiling entry function '_Z5scalePfi' for 'sm_90'\\nptxas info    : Used 12 registers, 256 bytes smem");`;

describe('compileCubin', () => {
  let folder: string;
  eachInHostileFolder(path => {
    folder = path;
  });
  const cacheFolder = (): string => path.join(folder, 'cache');
  const compile = (nvcc: Nvcc, more: Partial<CompileOptions> = {}, source = KERNEL) =>
    compileCubin(source, { nvcc, arch: 'sm_90', cacheFolder: cacheFolder(), ...more });
  const fake = (body: string): Nvcc => asNvcc(fakeProgram(folder, 'nvcc', body));
  const calls = (): number => readFileSync(path.join(folder, 'calls'), 'utf8').length;
  const failed = (compiled: Compiled): Extract<Compiled, { ok: false }> => {
    assert.ok(!compiled.ok);
    return compiled;
  };

  it('compiles once, and again for another source, architecture or damaged entry', async () => {
    const nvcc = fake(GOOD);
    const first = await compile(nvcc);
    assert.ok(first.ok);
    assert.deepEqual([first.cached, first.kernels[0]?.registers], [false, 12]);
    const again = await compile(nvcc);
    assert.ok(again.ok);
    assert.deepEqual([again.cached, again.path, calls()], [true, first.path, 1]);
    await compile(nvcc, { arch: 'sm_80' });
    await compile(nvcc, {}, `${KERNEL}// changed\n`);
    assert.equal(calls(), 3);
    truncateSync(first.path, 2);
    const healed = await compile(nvcc);
    assert.ok(healed.ok && !healed.cached);
    assert.equal(calls(), 4);
    assert.ok(readdirSync(cacheFolder()).every(name => !name.startsWith('.draft')));
  });

  it('lets two compilations of the same kernel race', async () => {
    const nvcc = fake(GOOD);
    const results = await Promise.all([compile(nvcc), compile(nvcc), compile(nvcc)]);
    assert.equal(new Set(results.map(result => result.ok && result.path)).size, 1);
    assert.ok(results.every(result => result.ok));
  });

  it('tells one that lies from one that works', async () => {
    const lying = failed(await compile(fake('')));
    assert.equal(lying.outcome, 'unavailable');
    assert.match(lying.message, /reported success but wrote no cubin/);
    const nonsense = failed(await compile(fake(`${OUTPUT} fs.writeFileSync(out, 'nonsense');`)));
    assert.match(nonsense.message, /wrote no cubin/);
  });

  it('calls resources unknown where nvcc wrote a cubin and no report, or one that cannot be', async () => {
    const silent = await compile(fake(`${OUTPUT} fs.writeFileSync(out, '\\x7fELF cubin');`));
    assert.ok(silent.ok);
    assert.deepEqual(silent.kernels, []);
    assert.match(silent.unread.join(), /printed no ptxas report/);
    const lies = fake(GOOD.replace('Used 12 registers', 'Used 999 registers'));
    const lying = await compile(lies, {}, `${KERNEL}// lies\n`);
    assert.ok(lying.ok);
    assert.deepEqual(lying.kernels, []);
    assert.match(lying.unread.join(), /invalid resources of scale: .*Used 999 registers/);
  });

  it('puts compiler errors on the lines of the kernel', async () => {
    const nvcc = fake(
      `console.error('kernel.cu(6): error: identifier "y" is undefined\\n    if (i < n) x[i] = y;\\n                      ^\\n'); process.exit(1);`,
    );
    const { outcome, message, diagnostics } = failed(await compile(nvcc));
    assert.equal(outcome, 'compile-error');
    assert.match(message, /^Line 6: identifier "y" is undefined$/);
    assert.equal(diagnostics[0]?.line, 5);
  });

  it('stops one that hangs, with its child, and one that is cancelled', async function () {
    this.timeout(20_000);
    const nvcc = fake(STUBBORN);
    assert.equal(failed(await compile(nvcc, { timeoutMs: 1200 })).outcome, 'timeout');
    assert.deepEqual(await survivors(folder), []);
    const signal = AbortSignal.timeout(300);
    const waiting = fake('setInterval(() => {}, 1000);');
    assert.equal(failed(await compile(waiting, { signal })).outcome, 'cancelled');
  });

  it('survives floods, garbage and crashes', async () => {
    const flood = `const chunk = Buffer.alloc(2 ** 20, 'error: x'); for (let i = 0; i < 64; i++) fs.writeSync(2, chunk); process.exit(1);`;
    const garbage = `process.stderr.write(Buffer.from(Array.from({length: 5000}, (_, i) => i * 31 % 256))); process.exitCode = 1;`;
    for (const body of [flood, garbage, `process.kill(process.pid, 'SIGSEGV')`]) {
      const { message } = failed(await compile(fake(body)));
      assert.ok(message.length < 1000);
      assert.match(message, /^nvcc (failed|was ended)/);
    }
    assert.match(
      failed(await compile(asNvcc(path.join(folder, 'gone')))).message,
      /does not exist/,
    );
  });

  it('refuses what is no architecture before it runs anything', async () => {
    const result = failed(await compile(fake(GOOD), { arch: 'sm_90 -run' }));
    assert.equal(result.outcome, 'constraint');
    assert.ok(!existsSync(path.join(folder, 'calls')));
  });

  describe('with the nvcc of this machine (needs nvcc)', () => {
    let nvcc: Nvcc;
    before(async function () {
      const found = await findNvcc();
      if (!found.ok) return this.skip();
      ({ nvcc } = found);
    });

    it('reads resources and keeps them in the cache, under a hostile path', async () => {
      const first = await compile(nvcc);
      assert.ok(first.ok, first.ok ? '' : first.message);
      const [kernel] = first.kernels;
      assert.equal(kernel?.entry, 'scale');
      assert.equal(kernel.sharedBytes, 256);
      assert.ok(kernel.registers > 0 && kernel.registers < 64);
      const again = await compile(nvcc);
      assert.ok(again.ok && again.cached);
      assert.deepEqual(again.kernels, first.kernels);
      assert.ok(!existsSync('pwned'));
    });

    it('works although TMPDIR has a name that a shell would run', async () => {
      const old = process.env['TMPDIR'];
      process.env['TMPDIR'] = folder;
      try {
        assert.ok((await compile(nvcc)).ok);
      } finally {
        if (old === undefined) delete process.env['TMPDIR'];
        else process.env['TMPDIR'] = old;
      }
      assert.deepEqual(readdirSync(folder), ['cache']);
    });

    it('says which architectures it knows', async () => {
      const result = failed(await compile(nvcc, { arch: 'sm_10' }));
      assert.equal(result.outcome, 'constraint');
      assert.match(result.message, /cannot compile for sm_10.*Supported: .*sm_90/);
    });

    it('finds line and column of its own messages', async () => {
      const source = `#define STEP 4
__global__ void __launch_bounds__(64)
scale(float *x) {
\tint unused;
\tx[threadIdx.x * STEP] = missing + x[STEP];
}
`;
      const { diagnostics } = failed(await compile(nvcc, {}, source));
      assert.deepEqual(
        diagnostics.map(({ line, column, severity }) => ({ line, column, severity })),
        [
          { line: 4, column: 25, severity: 'error' },
          { line: 3, column: 5, severity: 'warning' },
        ],
      );
    });

    it('puts what ptxas says on the kernel that it means', async () => {
      const source = `__global__ void small(float *x) { x[0] = 1; }
__global__ void large(float *x) {
  __shared__ float tile[20000];
  tile[threadIdx.x] = x[0];
  __syncthreads();
  x[1] = tile[3];
}
`;
      const result = failed(await compile(nvcc, {}, source));
      assert.equal(result.outcome, 'compile-error');
      assert.match(result.message, /Line 2: .*too much shared data/);
      assert.deepEqual(result.diagnostics[0], {
        line: 1,
        column: 16,
        severity: 'error',
        source: 'ptxas',
        message: result.diagnostics[0]?.message,
      });
    });
  });
});
