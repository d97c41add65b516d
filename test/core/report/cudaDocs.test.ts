/** bench/reports/cuda.md and its plots follow from the records. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { benchmark, textOf } from '../../../scripts/cuda/records';
import { missing, sgemmOrigin, sgemmRuns } from '../../../scripts/cuda/sgemm';
import { cudaFiles } from '../../../scripts/cudaTables';
import { withSections } from '../../../scripts/sections';

describe('bench/reports/cuda.md', () => {
  const files = cudaFiles();
  const page = files.get('bench/reports/cuda.md') ?? '';

  it('matches the records in bench/, with its plots and without missing numbers', () => {
    for (const [file, text] of files) {
      assert.equal(readFileSync(file, 'utf8'), text, file);
      // Mutants of the kind wrong name the NaN that they leave in C.
      assert.doesNotMatch(text.replace(/^\| wrong \|.*$/gm, ''), /NaN|undefined|Infinity/, file);
    }
  });

  it('shows every plot, each readable in light and dark', () => {
    const shown = [...page.matchAll(/\]\(\.\.\/\.\.\/(docs\/images\/[^)]+)\)/g)].map(
      ([, file = '']) => file,
    );
    assert.deepEqual(
      shown.toSorted(),
      [...files.keys()].filter(file => file.endsWith('.svg')).toSorted(),
    );
    for (const file of shown) {
      const svg = files.get(file) ?? '';
      assert.ok(svg.startsWith('<svg ') && svg.endsWith('</svg>\n'), file);
      assert.match(svg, /prefers-color-scheme: dark/);
    }
  });

  it('lists fifty mutants', () => {
    const kinds = /\| (faulting|hanging|racing|overwriting|slow|wrong) \| [^|]*[a-z]/g;
    assert.equal([...page.matchAll(kinds)].length, 50);
  });
});

describe('the benchmark read back', () => {
  const text = textOf('h200-bench.jsonl');
  const lines = text.trim().split('\n');

  it('rejects a record without its head, its end, torch.mm or a library', () => {
    assert.equal(benchmark(text).sizes.length, 8);
    const cut = /head, its end or the times of torch\.mm/;
    assert.throws(() => benchmark(lines.slice(1).join('\n')), cut);
    assert.throws(() => benchmark(lines.slice(0, -1).join('\n')), cut);
    assert.throws(() => benchmark(lines.filter(line => !line.includes('"torch"')).join('\n')), cut);
    const without = text.replace('"id":"cublaslt-best"', '"id":"cublaslt"');
    assert.throws(() => benchmark(without), /Round 1, size 1024: cublaslt-best is missing/);
  });
});

describe("SGEMM_CUDA's lines", () => {
  const time = (gflops: string, size: number): string =>
    `Average elapsed time: (0.003210) s, performance: (${gflops}) GFLOPS. size: (${size}).`;
  const text = [
    'NVIDIA H200, 580.159.04, 1935 MHz, 54',
    'commit 60cba6f',
    'kernel 0',
    time('    1.9', 128),
    time('42812.4', 4096),
    'kernel 7',
    time('  120.0', 128),
    'Failed to pass the correctness verification against NVIDIA cuBLAS.',
    'kernel 12',
    time(' 7.5', 4096),
    '',
  ].join('\n');

  it('give the rate at a size, or no rate where the program printed none', () => {
    assert.deepEqual(sgemmRuns(text, 4096), [
      { kernel: 0, gflops: 42812.4 },
      { kernel: 7 },
      { kernel: 12, gflops: 7.5 },
    ]);
    assert.deepEqual(sgemmRuns(text, 128)[0], { kernel: 0, gflops: 1.9 });
    assert.deepEqual(missing(sgemmRuns(text, 4096)), [1, 2, 3, 4, 5, 6, 8, 9, 10, 11]);
  });

  it('need the GPU and the commit of their run', () => {
    assert.equal(sgemmOrigin(text).commit, '60cba6f');
    assert.throws(() => sgemmOrigin('kernel 0'), /does not contain the GPU/);
    assert.throws(() => sgemmRuns('git version 2', 4096), /lines "kernel N", got none/);
  });
});

describe('sections of a page', () => {
  it('are filled between their marks; a section without marks is an error', () => {
    const page = 'a\n<!-- x -->\nold\n<!-- end -->\nb\n';
    const filled = withSections('p.md', page, { x: () => '$1 new' });
    assert.equal(filled, 'a\n<!-- x -->\n\n$1 new\n\n<!-- end -->\nb\n');
    assert.throws(() => withSections('p.md', page, { y: () => '' }), /p\.md has no section y/);
  });
});
