/** Where kernels are: whatever stands around them, as fast as a list must be. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { guessAnnotation } from '../../../src/core/source/annotationGuess';
import { parseKernelText, readKernel } from '../../../src/core/source/kernelFile';
import { kernelSites } from '../../../src/core/source/kernelSites';
import { constantsOf } from '../../../src/core/source/sourceConstants';
import { runs } from '../../helpers/depth';

const entries = (text: string): readonly string[] => kernelSites(text).map(({ entry }) => entry);

describe('kernels of a text', () => {
  for (const [what, text, expected] of [
    ['a template', 'template <int BM, int BN = 8>\n__global__ void k(int a) {}', ['k']],
    ['a specialisation', 'template <> __global__ void k<128, 8>(float* a) {}', ['k']],
    ['C linkage', 'extern "C" __global__ void k(int a) {}', ['k']],
    [
      'attributes on lines of their own',
      '__global__\n__attribute__((noinline))\nvoid\n__launch_bounds__(max(32, (256)), 2)\nk(int a)\n{}',
      ['k'],
    ],
    ["a project's macro for an attribute", '__global__ void BOUNDS(256) k(int a) {}', ['k']],
    ['a parameter that is a function', '__global__ void k(float (*f)(int), int b) {}', ['k']],
    ['a comment before the name', '__global__ void /* not(this) */ k(int a) { }', ['k']],
    ['a brace in a comment', '__global__ void ATTR(1) // {\nk(int a) {}', ['k']],
    [
      'a raw string',
      'auto s = R"cu(\n"__global__ void no(int) {}")cu";\n__global__ void k() {}',
      ['k'],
    ],
    [
      'a string with a quote',
      'auto s = "\\"__global__ void no() {}";\n__global__ void k() {}',
      ['k'],
    ],
    ['a character', "char q = '\"'; __global__ void k() {} // '\"'", ['k']],
    ['separated digits', "int n = 1'000'000; __global__ void k() {}", ['k']],
    ['a string that never ends', '"\n__global__ void k() {}', ['k']],
    ['a dead part', '#if 0\n__global__ void no() {}\n#endif\n__global__ void k() {}', ['k']],
    ['the other part', '#if 0\n#else\n__global__ void k() {}\n#endif', ['k']],
    ['a part after a live one', '#if 1\n#elif X\n__global__ void no() {}\n#endif', []],
    ['dead parts in dead parts', '#if 0\n#if X\n#endif\n__global__ void no() {}\n#endif', []],
    [
      'both parts of an unknown condition',
      '#ifdef X\n__global__ void k() {}\n#else\n__global__ void l() {}\n#endif',
      ['k', 'l'],
    ],
    ['a macro', '#define K(n) \\\n  __global__ void n() {}\n__global__ void k() {}', ['k']],
    ['a declaration', '__global__ void k(int);\n__global__ void k(int a) {}', ['k']],
    [
      'a commented line that goes on',
      '// no \\\n__global__ void no() {}\n__global__ void k() {}',
      ['k'],
    ],
    ['line ends of Windows', '// a\r\n__global__ void\r\nk() {}\r\n', ['k']],
    ['letters of any language', '__global__ void größe(int 行) {}', ['größe']],
    ['a longer word', 'int my__global__x; __global__x(); __global__ void k() {}', ['k']],
    ['what is being typed', '__global__ void k(int a', ['k']],
    [
      'WGSL',
      '@compute @workgroup_size(TILE, 8, 1)\n// fn no()\nfn main(@builtin(x) x: u32) {}',
      ['main'],
    ],
    ['comments in comments of WGSL', '/* /* */ @compute fn no() {} */ @compute fn k() {}', ['k']],
    ['quotes in WGSL', "// it's\nfn f() {}\n@compute @workgroup_size(1) fn k() {}", ['k']],
  ] as const) {
    it(`are found around ${what}`, () => {
      assert.deepEqual(entries(text), expected);
    });
  }

  it('are at their line, however lines end', () => {
    const text = ['', 'x', '__global__ void a() {}', '', '__global__', 'void b() {}'];
    for (const end of ['\n', '\r\n']) {
      const lines = kernelSites(text.join(end)).map(({ line }) => line);
      assert.deepEqual(lines, [2, 4]);
    }
  });

  it('are as many as were written, whatever stands between them', () => {
    const noise = fc.constantFrom(
      "// it's __global__ void no() {}\n",
      '/* __global__ */',
      '"__global__ void no() {}"',
      '#if 0\n__global__ void no() {}\n#endif\n',
      "'{'",
      'R"( " )"',
      'int x = 1;',
      '\r\n',
      'ü',
      '#define X __global__ void no()\n',
      '{}',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(noise), noises => {
        const text = noises
          .map((between, i) => `${between}\n__global__ void k${i}() {}\n`)
          .join('');
        assert.deepEqual(
          entries(text),
          noises.map((_, i) => `k${i}`),
        );
      }),
    );
  });

  it('never make trouble, whatever the text', () => {
    const soup = fc.array(
      fc.constantFrom(
        '__global__ ',
        '@compute ',
        '"',
        "'",
        '/*',
        '*/',
        '//',
        '\n',
        '\\',
        'R"(',
        ')"',
        '#if 0\n',
        '#else\n',
        '#endif\n',
        'k(',
        ')',
        '{',
        ';',
        '<',
        'fn a',
      ),
    );
    fc.assert(
      fc.property(soup, parts => {
        for (const { line, entry } of kernelSites(parts.join(''))) {
          assert.ok(line >= 0 && entry.length > 0);
        }
      }),
      { ...runs(500) },
    );
  });
});

const annotation = (more: object = {}) =>
  `// @gemm ${JSON.stringify({ problem: { m: 64, n: 64, k: 64 }, grid: [1], block: [64], args: ['c'], ...more })}\n`;

describe('several kernels of a file', () => {
  const text = [
    '__global__ void helper() {}\n',
    annotation(),
    '__global__ void second(float* c) {}\n',
    '__global__ void third(float* c) {}\n',
    annotation({ entry: 'third', block: [32] }),
  ].join('');
  const file = parseKernelText(text, 'all.cu');

  it('have each their own comment: the one that names them, or the one above', () => {
    assert.deepEqual(
      file.annotations.map(({ entry }) => entry),
      ['second', 'third'],
    );
    const block = (entry: string) => {
      const read = readKernel(file, entry);
      return read.ok ? [read.runnable.block.x, read.runnable.specKey] : read.path;
    };
    assert.deepEqual(block('second'), [64, 'all-second']);
    assert.deepEqual(block('third'), [32, 'all-third']);
    assert.equal(block('helper'), '@gemm');
    assert.equal(block('nobody'), '@gemm.entry');
  });

  it('without a choice are the first that is described', () => {
    const read = readKernel(file);
    assert.ok(read.ok);
    assert.equal(read.runnable.entry, 'second');
  });
});

describe('guesses of a @gemm comment', () => {
  it('read the tutorials: siboehm, the CUDA guide, Wikipedia-style names', () => {
    const siboehm = guessAnnotation(
      `template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
    sgemm2DBlocktiling(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const uint cRow = blockIdx.y; A += cRow * BM * K; }`,
      'sgemm2DBlocktiling',
      'cuda',
    );
    assert.deepEqual(siboehm?.args, ['m', 'n', 'k', 'alpha', 'a', 'b', 'beta', 'c']);
    assert.equal(siboehm.dtype, 'f32');
    assert.equal(siboehm.instance, 'sgemm2DBlocktiling<128, 128, 8, 8, 8>');
    assert.deepEqual(siboehm.block, [256]);
    assert.equal(siboehm.readsC, true);

    const guide = guessAnnotation(
      `#define TILE_SIZE 16
__global__ void matmul(double* out, const double* lhs, const double* rhs, int width) {
  __shared__ double As[TILE_SIZE][TILE_SIZE];
  int row = blockIdx.y * TILE_SIZE + threadIdx.y; }`,
      'matmul',
      'cuda',
    );
    assert.deepEqual(guide?.args, ['c', 'a', 'b', 'n']);
    assert.deepEqual(guide.block, [16, 16]);
    assert.deepEqual(guide.grid, ['ceil(n / 16)', 'ceil(m / 16)']);
    assert.equal(guide.dtype, 'f64');

    const rows = guessAnnotation(
      `constexpr int BM = 64, BN = 32, TM = 8;
constexpr int NUM_THREADS = BM * BN / TM;
constexpr int M = 4096;
extern "C" __global__ void __launch_bounds__(NUM_THREADS) k(const int* A, const int* B, int* C, int K, int N) {
  const int row = blockIdx.x * BM; }`,
      'k',
      'cuda',
    );
    assert.deepEqual(rows?.block, [256]);
    assert.deepEqual(rows.args, ['a', 'b', 'c', 'k', 'n']);
    assert.deepEqual(rows.grid, ['ceil(m / 64)', 'ceil(n / 32)']);
    assert.equal(rows.dtype, 's32');
    assert.deepEqual(rows.sizes, { m: 4096 });
  });

  it('read WGSL: the workgroup exactly, the bindings in order', () => {
    const guess = guessAnnotation(
      `const TILE = 8u;
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;
@compute @workgroup_size(TILE, TILE, 1)
fn main(@builtin(global_invocation_id) gid: vec3u) { let row = gid.y; }`,
      'main',
      'wgsl',
    );
    assert.deepEqual(guess?.block, [8, 8, 1]);
    assert.deepEqual(guess.parameters, ['A', 'B', 'C']);
    assert.deepEqual(guess.args, ['a', 'b', 'c']);
    assert.equal(guess.dtype, 'f32');
  });

  it('evaluate constants, and nothing that is none', () => {
    const text =
      '#define A 4\nconstexpr int B = A * 8; const int C = f(3), D = B / 3; const E: u32 = 16u;';
    assert.deepEqual(constantsOf(text), { A: 4, B: 32, E: 16 });
    fc.assert(
      fc.property(fc.string(), text => {
        constantsOf(`const int ${text}; #define X ${text}`);
        guessAnnotation(`__global__ void k(${text}) { ${text} }`, 'k', 'cuda');
      }),
    );
  });
});
