/** `export`: the files of each target, what is never overwritten, and invalid input. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runLine } from '../../src/core/measure/historyLine';
import { sourceHashOf } from '../../src/core/text/hash';
import { exportedKernels } from '../helpers/exports';
import { timed } from '../helpers/measurements';
import { cli, inFolder, jsonOf, spec } from './cli';

interface Exported {
  readonly target: string;
  readonly name: string;
  readonly files: readonly string[];
  readonly kernels: readonly { readonly specKey: string; readonly microseconds: number | null }[];
}

const run = (to: string, out: string, more: readonly string[] = [], text = spec()) =>
  cli(['export', '-', '--to', to, '--out', out, '--json', ...more], text);

const of = (problem: Readonly<Record<string, unknown>>): string => spec(undefined, { problem });

/** CMake does not support quotes in paths. */
async function inPlainFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gemm-cmake-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const isMissing = (command: string): boolean => spawnSync(command, ['--version']).status !== 0;

describe('export', () => {
  for (const to of ['pytorch', 'cpp', 'npm', 'cupy']) {
    it(`writes a project for ${to}`, async () => {
      await inFolder(async folder => {
        const out = path.join(folder, 'new', to);
        const ran = await run(to, out);
        assert.equal(ran.code, 0, ran.stderr);
        const { target, files, kernels, name } = jsonOf(ran) as Exported;
        assert.equal(target, to);
        assert.equal(name, 'gemm_f32_rrr');
        assert.equal(kernels.length, 1);
        for (const file of files) assert.ok(file.startsWith(out) && existsSync(file), file);
        const text = await cli(['export', '-', '--to', to, '--out', out], spec());
        assert.ok(files.every(file => text.stdout.includes(file)));
      });
    });
  }

  it('keeps edited and foreign files, and replaces them only with --force', async () => {
    await inFolder(async folder => {
      assert.equal((await run('cpp', folder)).code, 0);
      assert.equal((await run('cpp', folder)).code, 0, 'an unedited export is replaced');
      for (const name of ['README.md', 'CMakeLists.txt', 'include/gemm_f32_rrr.h']) {
        const file = path.join(folder, name);
        const original = readFileSync(file, 'utf8');
        writeFileSync(file, `${original}mine\n`);
        const other = path.join(folder, 'LICENSE');
        rmSync(other);
        const refused = await run('cpp', folder);
        assert.equal(refused.code, 2);
        assert.match(refused.stderr, /was edited and was left unchanged. Fix: .*--force/);
        assert.ok(refused.stderr.includes(file));
        assert.equal(readFileSync(file, 'utf8'), `${original}mine\n`);
        assert.ok(!existsSync(other), 'no file is written');
        assert.equal((await run('cpp', folder, ['--force'])).code, 0);
        assert.equal(readFileSync(file, 'utf8'), original);
      }
    });
    await inFolder(async folder => {
      const file = path.join(folder, 'README.md');
      writeFileSync(file, 'my notes\n');
      const refused = await run('npm', folder);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /was not written by an earlier export and was left unchanged/);
      assert.equal(readFileSync(file, 'utf8'), 'my notes\n');
      assert.ok(!existsSync(path.join(folder, 'index.js')));
    });
    await inFolder(async folder => {
      const [file = ''] = (jsonOf(await run('cupy', folder)) as Exported).files;
      writeFileSync(file, `# mine\n${readFileSync(file, 'utf8')}`);
      assert.equal((await run('cupy', folder)).code, 2);
      assert.match(readFileSync(file, 'utf8'), /^# mine/);
    });
  });

  it('reports files of an earlier export that are no longer part of it', async () => {
    await inFolder(async folder => {
      const first = jsonOf(await run('npm', folder)) as Exported;
      const kernel = first.files.find(file => file.endsWith('.wgsl')) ?? '';
      const second = await run('npm', folder, ['--set', 'schedule={"algorithm":"naive"}']);
      assert.equal(second.code, 0);
      assert.ok(second.stderr.includes(path.basename(kernel)), second.stderr);
      assert.match(second.stderr, /belongs to an earlier export/);
      assert.ok(existsSync(kernel));
    });
  });

  it('combines several specs, and adds the measured times of the workspace', async () => {
    await inFolder(async folder => {
      const files = [64, 128].map(size => {
        const file = path.join(folder, `${size}.gemm.json`);
        writeFileSync(file, of({ m: size, n: size, k: size }));
        return file;
      });
      const problem = { m: 128, n: 128, k: 128 };
      const [timedKernel] = exportedKernels('cpp', [{ problem }]);
      assert.ok(timedKernel !== undefined);
      const { specKey, spec: resolved } = timedKernel.kernel;
      const sourceHash = sourceHashOf(timedKernel.kernel);
      const runs = path.join(folder, '.gemm', 'runs');
      mkdirSync(runs, { recursive: true });
      writeFileSync(
        path.join(runs, 'one.jsonl'),
        `${runLine('one', timed({ gflops: 1, specKey, resolved, sourceHash }))}\n`,
      );
      const out = path.join(folder, 'out');
      const ran = await cli(['export', ...files, '--to', 'cpp', '--out', out, '--json']);
      assert.equal(ran.code, 0, ran.stderr);
      const { kernels } = jsonOf(ran) as Exported;
      assert.deepEqual(
        kernels.map(({ microseconds }) => microseconds),
        [null, 1000],
      );
      assert.match(
        readFileSync(path.join(out, 'src', 'gemm_f32_rrr.cu'), 'utf8'),
        /128, 128, 128, 1000\.0,/,
      );
      assert.match(readFileSync(path.join(out, 'README.md'), 'utf8'), /\|log2\(m \/ m0\)\|/);
    });
  });

  it('names what is wrong with its input', async () => {
    await inFolder(async folder => {
      const wrong = async (args: readonly string[], reason: RegExp, text = spec()) => {
        const ran = await cli(['export', ...args], text);
        assert.equal(ran.code, 2, ran.stderr);
        assert.match(ran.stderr, reason);
        assert.ok(!existsSync(path.join(folder, 'out')), 'nothing is written');
      };
      const out = ['--out', path.join(folder, 'out')];
      await wrong(['-', ...out], /Missing option --to/);
      await wrong(['-', '--to', 'cpp'], /Missing option --out/);
      await wrong(['-', '--to', 'rust', ...out], /rust|pytorch/);
      await wrong(['kernel.cu', '--to', 'cpp', ...out], /export reads specs/);
      await wrong(['-', '--to', 'cpp', '--name', '../evil', ...out], /Expected a project name/);
      await wrong(['missing.gemm.json', '--to', 'cpp', ...out], /missing\.gemm\.json/);
      const double = of({ m: 64, n: 64, k: 64, a: { dtype: 'f64' } });
      await wrong(['-', '--to', 'npm', ...out], /wgsl/, double);
      const other = path.join(folder, 'f64.gemm.json');
      writeFileSync(other, of({ m: 64, n: 64, k: 64, alpha: 2 }));
      await wrong(['-', other, '--to', 'cpp', ...out], /may differ only in sizes and schedules/);
    });
  });

  const missing = ['cmake', 'nvcc'].filter(isMissing);
  const skipped = missing.length === 0 ? '' : ` (skipped: no ${missing.join(', no ')})`;
  it(`builds with CMake on its own and in another project${skipped}`, async function () {
    if (missing.length > 0) this.skip();
    this.timeout(300_000);
    await inPlainFolder(async folder => {
      const file = path.join(folder, 'linear.gemm.json');
      writeFileSync(
        file,
        of({
          m: 999,
          n: 1000,
          k: 2047,
          batch: 2,
          alpha: 2,
          beta: 0.5,
          a: { dtype: 'bf16' },
          b: { dtype: 'bf16', layout: 'col' },
          c: { dtype: 'bf16' },
          epilogue: [{ op: 'bias', along: 'n' }, { op: 'gelu' }, { op: 'residual' }],
        }),
      );
      const out = path.join(folder, 'linear');
      const ran = await cli(['export', file, '--to', 'cpp', '--out', out, '--name', 'linear']);
      assert.equal(ran.code, 0, ran.stderr);
      writeFileSync(
        path.join(folder, 'CMakeLists.txt'),
        `cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES CXX)
add_subdirectory(linear)
add_executable(app main.cpp)
target_link_libraries(app PRIVATE linear::linear)
`,
      );
      writeFileSync(
        path.join(folder, 'main.cpp'),
        `#include <linear.h>
#include <cstdio>
int main() {
  linear::Arguments g{};
  g.m = 999, g.n = 1000, g.k = 2047, g.batch = 2, g.lda = g.ldb = 2047, g.ldc = 1000;
  g.strideA = 999 * 2047, g.strideB = 1000 * 2047, g.strideC = 999 * 1000;
  std::printf("%s %zu", linear::kernelFor(g), linear::workspaceBytes(g));
  g.k = 0;
  return linear::kernelFor(g) == nullptr && linear::gemm(g, nullptr, 0, nullptr) == cudaErrorInvalidValue ? 0 : 1;
}
`,
      );
      const build = (source: string, name: string): string => {
        const into = path.join(folder, name);
        for (const args of [
          ['-S', source, '-B', into],
          ['--build', into],
        ]) {
          const done = spawnSync('cmake', args, { encoding: 'utf8' });
          assert.equal(done.status, 0, done.stdout + done.stderr);
        }
        return into;
      };
      const own = build(out, 'own');
      assert.ok(existsSync(path.join(own, 'linear_test')));
      const app = spawnSync(path.join(build(folder, 'embedded'), 'app'), { encoding: 'utf8' });
      assert.equal(app.status, 0, app.stdout);
      assert.match(app.stdout, /^gemm-bf16-.*-999x1000x2047-\S+ [1-9]\d*$/);
    });
  });
});
