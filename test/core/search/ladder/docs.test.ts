/** bench/reports/ladder.md and the kernel files of its rungs follow from the records. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ladderFiles, strayFiles } from '../../../../scripts/ladderDocs';
import { readKernelFile } from '../../../../src/core/source/kernelFile';
import { fitRungs } from '../../../../src/core/search/ladder/ladderSteps';
import { LADDER } from '../../../../src/core/search/ladder/rungs';
import { resolve } from '../../../../src/core/defaults/resolve';
import { tensorRungs } from '../../../../src/core/search/ladder/tensorRungs';
import type { GemmSpec, Target } from '../../../../src/core/spec/schema';

const cube = { m: 4096, n: 4096, k: 4096 };

describe('the ladder report', () => {
  const files = ladderFiles();
  const page = files.get('bench/reports/ladder.md') ?? '';
  const section = (from: string, to: string): string =>
    page.slice(page.indexOf(`\n## ${from}\n`), page.indexOf(`\n## ${to}\n`));

  it('has every rung with its file, figures and reasons, and no missing numbers', () => {
    for (const { change } of [...LADDER, ...tensorRungs('bf16')])
      assert.ok(page.includes(`: ${change}\n`), change);
    assert.doesNotMatch(page, /NaN|undefined|null|Infinity/);
    for (const [, file = ''] of page.matchAll(/\]\(([^):]+)\)/g)) {
      const target = path.posix.join('bench/reports', file);
      assert.ok(files.has(target) || existsSync(target), file);
    }
    assert.match(page, /Over rung 1: [\d.]+x: 6\.6x fewer sectors loaded from global memory/);
  });

  const LADDERS: readonly (readonly [string, string, Target, GemmSpec['problem']])[] = [
    ['CUDA', 'Tensor cores', 'cuda', cube],
    ['Tensor cores', 'WGSL', 'cuda', { ...cube, a: { dtype: 'bf16' } }],
    ['WGSL', 'The five tutorials', 'wgsl', cube],
  ];
  for (const [from, to, target, problem] of LADDERS) {
    it(`links each rung of ${from} to a file with the schedule of that rung`, () => {
      const holds = fitRungs({ problem }, target);
      const rungs = [...section(from, to).matchAll(/\n### (\d+)\. [^]*?(?=\n###|$)/g)];
      assert.ok(rungs.length >= 14);
      for (const [text, number] of rungs) {
        const links = [...text.matchAll(/\]\(\.\.\/\.\.\/(docs\/ladder\/[^)]+)\)/g)].map(
          ([, link = '']) => link,
        );
        assert.equal(links.length, 1, `rung ${number}: ${links.join()}`);
        const file = links[0] ?? '';
        const read = readKernelFile(files.get(file) ?? '', path.basename(file));
        const hold = holds[Number(number) - 1];
        assert.ok(hold?.ok && read.ok, `rung ${number}`);
        assert.deepEqual(read.runnable.spec?.schedule, hold.kernel.spec.schedule);
        assert.deepEqual(read.runnable.spec.problem, resolve({ problem }).problem);
      }
    });
  }

  it('matches its generator, and docs/ladder has no other files', () => {
    for (const [file, text] of files)
      assert.ok(readFileSync(file, 'utf8') === text, `${file}: node out/scripts/ladderDocs.js`);
    assert.deepEqual(strayFiles(files), []);
  });

  it('marks unmeasured rungs, and draws the others in a column', () => {
    for (const [target, from, to] of [
      ['cuda', 'CUDA', 'Tensor cores'],
      ['wgsl', 'WGSL', 'The five tutorials'],
    ] as const) {
      const rows = section(from, to).match(/^\| \d+ \| .*$/gm) ?? [];
      const measured = rows
        .filter(row => !row.includes('| not measured |'))
        .map(row => Number(/\d+/.exec(row)?.[0]));
      assert.ok(rows.length >= 16 && measured.length >= 14, target);
      const svg = files.get(`docs/images/ladder-h200-${target}.svg`) ?? '';
      assert.ok(svg.startsWith('<svg ') && svg.endsWith('</svg>\n'));
      const drawn = [...svg.matchAll(/>(\d+) [\w-]+: [\d.]+ TFLOP\/s<\/text>/g)];
      assert.deepEqual(
        drawn.map(([, number]) => Number(number)).toSorted((a, b) => a - b),
        measured,
        target,
      );
    }
  });
});
