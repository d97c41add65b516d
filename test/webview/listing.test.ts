import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lineDiff } from '../../src/core/text/lineDiff';
import { emit } from '../../src/core/kernel/emit';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import { gutterOf, sourceLines, touched } from '../../webview/listing';
import { tokensOf, type Token } from '../../webview/sourceTokens';

const problem = { m: 512, n: 512, k: 512 };
const textOf = (tokens: readonly Token[]): string => tokens.map(token => token.text).join('');
/** The colored tokens and their kinds. */
const kinds = (tokens: readonly Token[]) =>
  tokens.flatMap(({ text: of, kind }) => (kind === null ? [] : [[of, kind] as const]));

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', '', '// x'), { maxLength: 12 })
  .map(lines => lines.join('\n'));
const side = (before: string, after: string, gone: 'added' | 'removed') =>
  lineDiff(before, after)
    .filter(({ kind }) => kind !== gone)
    .map(line => line.text)
    .join('\n');

describe('line diff', () => {
  it('contains both texts with their line numbers', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        assert.equal(side(before, after, 'added'), before);
        assert.equal(side(before, after, 'removed'), after);
        for (const line of lineDiff(before, after)) {
          if (line.before !== undefined)
            assert.equal(before.split('\n')[line.before - 1], line.text);
          if (line.after !== undefined) assert.equal(after.split('\n')[line.after - 1], line.text);
          assert.equal(line.kind === 'same', line.before !== undefined && line.after !== undefined);
        }
      }),
    );
  });

  it('is minimal', () => {
    const lines = lineDiff('a\nb\nc\nd', 'a\nx\nc\nd\ne');
    assert.deepEqual(
      lines.map(({ kind, text: of }) => `${kind} ${of}`),
      ['same a', 'removed b', 'added x', 'same c', 'same d', 'added e'],
    );
    assert.ok(lineDiff('x', 'x').every(({ kind }) => kind === 'same'));
  });

  it('is fast for long texts without common lines', () => {
    const long = (word: string) =>
      Array.from({ length: 20_000 }, (_, i) => `${word}${i}`).join('\n');
    const began = performance.now();
    assert.equal(lineDiff(long('a'), long('b')).length, 40_000);
    assert.ok(performance.now() - began < 5000);
  });
});

describe('listing', () => {
  it('highlights whole lines and preserves the text', () => {
    fc.assert(
      fc.property(text, fc.uniqueArray(fc.integer({ min: 1, max: 12 })), (source, changed) => {
        const lines = sourceLines(source, new Set(changed));
        assert.equal(lines.map(({ tokens }) => textOf(tokens)).join('\n'), source);
        for (const [index, line] of lines.entries())
          assert.equal(line.changed, changed.includes(index + 1) && line.tokens.length > 0);
      }),
    );
    const lines = sourceLines('int a; // one\nint b;\n/* two\n */ c', new Set([1, 4]));
    assert.deepEqual(
      lines.filter(({ changed }) => changed).map(({ tokens }) => kinds(tokens)),
      [
        [
          ['int', 'type'],
          ['// one', 'comment'],
        ],
        [[' */', 'comment']],
      ],
    );
  });

  it('colors keywords, types, numbers, strings and directives of CUDA C++ and WGSL', () => {
    const colored = (line: string) => kinds(tokensOf(line).tokens);
    assert.deepEqual(colored('constexpr int BM = 64;  // rows of C per block, 2 x 4'), [
      ['constexpr', 'keyword'],
      ['int', 'type'],
      ['64', 'number'],
      ['// rows of C per block, 2 x 4', 'comment'],
    ]);
    assert.deepEqual(colored('#include <cuda.h>  // types'), [
      ['#include <cuda.h>  ', 'directive'],
      ['// types', 'comment'],
    ]);
    assert.deepEqual(colored('    for i in range(0, M, 64):  # grid: one thread block'), [
      ['for', 'keyword'],
      ['in', 'keyword'],
      ['0', 'number'],
      ['64', 'number'],
      ['# grid: one thread block', 'comment'],
    ]);
    for (const comment of ['#', '# The program runs the loops.'])
      assert.deepEqual(colored(`  ${comment}`), [[comment, 'comment']]);
    assert.deepEqual(colored('  asm volatile("fence // 3;" ::: "memory");'), [
      ['asm', 'keyword'],
      ['volatile', 'keyword'],
      ['"fence // 3;"', 'string'],
      ['"memory"', 'string'],
    ]);
    assert.deepEqual(colored('@compute @workgroup_size(16, 16u) fn main(a: vec4<f32>) {'), [
      ['@compute', 'directive'],
      ['@workgroup_size', 'directive'],
      ['16', 'number'],
      ['16u', 'number'],
      ['fn', 'keyword'],
      ['vec4', 'type'],
      ['f32', 'type'],
    ]);
    assert.deepEqual(colored('x2 = wgmma_m64n48k16(1.5e-3f, 0x1F - 4, .5f) - sums[8-1];'), [
      ['1.5e-3f', 'number'],
      ['0x1F', 'number'],
      ['4', 'number'],
      ['.5f', 'number'],
      ['8', 'number'],
      ['1', 'number'],
    ]);
    assert.deepEqual(colored('__syncthreads(); __shared__ float4 As[2];'), [
      ['__shared__', 'keyword'],
      ['float4', 'type'],
      ['2', 'number'],
    ]);
  });

  it('preserves the text of every kernel, and shares the tokens of equal lines', () => {
    for (const [target, algorithm] of [
      ['cuda', 'pipelined'],
      ['wgsl', 'warp-tile'],
    ] as const) {
      const planned = plan(resolve({ problem, schedule: { algorithm } }), target);
      assert.ok(planned.ok);
      const { source } = emit(planned.plan);
      const lines = sourceLines(source, new Set());
      assert.equal(lines.map(({ tokens }) => textOf(tokens)).join('\n'), source);
      const again = sourceLines(source, new Set());
      assert.ok(lines.every(({ tokens }, index) => tokens === again[index]?.tokens));
    }
  });

  it('ignores header lines that change with every edit', () => {
    const before = '// Compile: nvcc a.cu\n// @gemm {}\nint a;\nint gone;\n';
    const { lines, removed } = touched(before, '// Compile: nvcc b.cu\n// @gemm {1}\nint b;\n');
    assert.deepEqual([[...lines], removed], [[3], 2]);
    assert.equal(touched('x', 'x').lines.size, 0);
  });

  it('numbers lines and marks changed ones', () => {
    assert.equal(gutterOf('a\nb\n', new Set([2])), '1  \n2 +');
  });
});
