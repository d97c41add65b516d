/** `annotate`, and kernels of other projects on a machine without a GPU. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cli, jsonOf, WITHOUT_TOOLS } from './cli';

const KERNEL = `#include <cuda_runtime.h>\r
\r
template <int BM, int BN, int TM, int TN>\r
__global__ void tiles(int M, int N, int K, float alpha, const float *A, const float *B,\r
                      float beta, float *C) {\r
  C[blockIdx.y * N] = alpha * A[0] * B[0] + beta * C[0];\r
}\r
`;
const PLAIN = `__global__ void plain(const float *A, const float *B, float *C, int N, int mystery) {
  int row = blockIdx.y * 16 + threadIdx.y;
  C[row * N] = A[row * N] * B[N];
}
`;

interface Proposed {
  readonly entry: string;
  readonly annotation: { readonly entry?: string; readonly problem: { readonly beta?: number } };
  readonly unknown: readonly { readonly name: string; readonly next: string }[];
  readonly assumed: readonly string[];
  readonly written: string | null;
}

describe('annotate', () => {
  let folder: string;
  const file = (name: string, text: string): string => {
    const at = path.join(folder, name);
    writeFileSync(at, text);
    return at;
  };
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'gemm-annotate-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('proposes an instance of a template, and writes nothing without --write', async () => {
    const kernel = file('tiles.cuh', KERNEL);
    const ran = await cli(['annotate', kernel, '--json']);
    assert.equal(ran.code, 0, ran.stderr);
    const { annotation, assumed, written } = jsonOf(ran) as Proposed;
    assert.equal(annotation.entry, 'tiles<128, 128, 8, 8>');
    assert.equal(annotation.problem.beta, 1);
    assert.match(assumed.join('\n'), /4096.*\n.*usual values.*BM = 128.*\n.*reads C for any beta/);
    assert.equal(written, null);
    assert.equal(readFileSync(kernel, 'utf8'), KERNEL);
  });

  it('writes one line above the template, with the line endings of the file', async () => {
    const kernel = file('tiles.cuh', KERNEL);
    const args = ['annotate', kernel, '--set', 'problem.m=512', '--write'];
    assert.equal((await cli(args)).code, 0);
    const lines = readFileSync(kernel, 'utf8').split('\r\n');
    assert.match(lines[2] ?? '', /^\/\/ @gemm \{"entry":"tiles<128, 128, 8, 8>".*"m":512/);
    assert.equal([...lines.slice(0, 2), ...lines.slice(3)].join('\r\n'), KERNEL);
    const again = await cli(args);
    assert.equal(again.code, 2);
    assert.match(again.stderr, /already describes tiles\. Fix: add --force/);
    assert.equal((await cli([...args, '--force'])).code, 0);
    assert.equal(readFileSync(kernel, 'utf8').split('@gemm').length, 2);
  });

  it('writes an annotated copy, which the other commands read', async () => {
    const kernel = file('tiles.cuh', KERNEL);
    const out = path.join(folder, 'copy.cu');
    const named = ['--entry', 'tiles<64, 64, 8, 8>', '--out', out];
    assert.equal((await cli(['annotate', kernel, ...named])).code, 0);
    assert.equal(readFileSync(kernel, 'utf8'), KERNEL);
    const analyzed = await cli(['analyze', out, '--estimate', '--json']);
    assert.equal((jsonOf(analyzed) as { specKey: string }).specKey, 'copy');
  });

  it('names what it does not know, and the next step', async () => {
    const kernel = file('plain.cu', PLAIN);
    const ran = await cli(['annotate', kernel, '--write']);
    assert.equal(ran.code, 1);
    assert.match(ran.stdout, /unknown: args: The meaning of mystery is not known\. Fix: .*--set/);
    assert.match(ran.stdout, /unknown: block: The threads per block are not known\. Fix: .*--set/);
    assert.equal(readFileSync(kernel, 'utf8'), PLAIN);
    const given = ['--set', 'args=["a","b","c","n","k"]', '--set', 'block=[16,16]'];
    const { unknown, written } = jsonOf(
      await cli(['annotate', kernel, ...given, '--write', '--json']),
    ) as Proposed;
    assert.deepEqual([unknown, written], [[], kernel]);
  });

  it('rejects values that no kernel can have, and leaves the file as it is', async () => {
    const kernel = file('plain.cu', PLAIN);
    const set = ['--set', 'args=["a","b","c","n","secret"]', '--set', 'block=[16,16]'];
    const ran = await cli(['annotate', kernel, ...set, '--write']);
    assert.equal(ran.code, 1);
    assert.match(ran.stdout, /error: @gemm\.args\.4: .*\nNothing was written/);
    assert.equal(readFileSync(kernel, 'utf8'), PLAIN);
  });

  it('lists the types of a PTX file, and rejects files that are no kernels', async () => {
    const ptx = file(
      'k.ptx',
      '.version 9.0\n.entry gemm(\n.param .u64 p,\n.param .f32 q\n)\n{ ret; }\n',
    );
    const ran = await cli(['annotate', ptx]);
    assert.equal(ran.code, 1);
    assert.match(ran.stdout, /Its parameters have the types u64, f32\./);
    for (const [name, said] of [
      ['k.py', /annotate reads \.cu/],
      ['k.json', /annotate reads \.cu/],
      ['k.cu', /k\.cu has no kernel/],
      ['k.cubin', /is not a cubin with kernels\. Fix:/],
    ] as const) {
      const { code, stderr } = await cli(['annotate', file(name, 'nothing')]);
      assert.equal(code, 2, name);
      assert.match(stderr, said);
    }
    const absent = await cli(['annotate', ptx, '--entry', 'other']);
    assert.match(absent.stderr, /has no kernel other\. Fix: choose one of gemm\./);
  });

  it('makes compiled and Python kernels run on the cuda backend only', async () => {
    const python = file('k.py', '# @gemm {"problem":{"m":8,"n":8,"k":8}}\ndef gemm(a, b): pass\n');
    for (const backend of ['simulate', 'cpu', 'webgpu']) {
      const { code, stderr } = await cli(['run', python, '--backend', backend]);
      assert.equal(code, 2);
      assert.match(stderr, /Only the cuda backend runs .*k\.py/);
    }
    const cuda = await cli(['run', python, '--backend', 'cuda', '--json'], '', {
      env: WITHOUT_TOOLS,
    });
    assert.equal(cuda.code, 3);
    assert.equal((jsonOf(cuda) as { outcome: string }).outcome, 'unavailable');
    for (const command of ['analyze', 'compile', 'inspect']) {
      const { code, stderr } = await cli([command, python]);
      assert.equal(code, 2, command);
      assert.match(stderr, /k\.py.* Fix: /s);
    }
  });

  it('lets several kernels be timed together only if their problems are equal', async () => {
    const spec = file('s.gemm.json', '{"problem":{"m":8,"n":8,"k":8},"targets":["cuda"]}');
    const python = file('k.py', '# @gemm {"problem":{"m":8,"n":9,"k":8}}\ndef gemm(a, b): pass\n');
    const differs = await cli(['bench', spec, python, '--backend', 'cuda']);
    assert.equal(differs.code, 2);
    assert.match(differs.stderr, /problem\.n \(9 instead of 8\) of .*k\.py differs from .*s\.gemm/);
    const webgpu = await cli(['bench', spec, spec, '--backend', 'webgpu']);
    assert.match(webgpu.stderr, /several kernels together only with --backend cuda/);
    const open = file('open.py', 'def mm(a, b): pass\n');
    const both = await cli(['bench', `${open}:mm`, spec, '--backend', 'cuda', '--json'], '', {
      env: WITHOUT_TOOLS,
    });
    assert.equal(both.code, 3);
    const { kernels, fastest } = jsonOf(both) as {
      readonly kernels: readonly { readonly path: string; readonly outcome: string }[];
      readonly fastest: null;
    };
    assert.deepEqual(
      kernels.map(({ path: at, outcome }) => [at, outcome]),
      [
        [`${open}:mm`, 'unavailable'],
        [spec, 'unavailable'],
      ],
    );
    assert.equal(fastest, null);
  });
});
