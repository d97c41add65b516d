/** The Markdown page of a completed ladder. */
import assert from 'node:assert/strict';
import { fitRungs, stepsOf } from '../../../../src/core/search/ladder/ladderSteps';
import { sourceOf } from '../../../../src/core/text/markdown';
import { ladderMarkdown } from '../../../../src/core/search/ladder/markdown';
import type { Measurement } from '../../../../src/core/measure/measurement';
import { timed } from '../../../helpers/measurements';

describe('the page of a ladder', () => {
  const problem = { m: 256, n: 256, k: 64 };
  const page = { title: 'The ladder', theme: 'dark' } as const;

  it('has one row per rung with rate and reasons, a roofline, and the fastest rung', () => {
    const holds = fitRungs(
      { problem, webgpuLimits: { invocations: 255, workgroupStorageBytes: 32_768 } },
      'wgsl',
    );
    const legal = holds.filter(({ ok }) => ok);
    const runs = new Map(
      legal.map(({ number }) => [number, timed({ gflops: 1000 * number })] as const),
    );
    const text = sourceOf(ladderMarkdown(stepsOf(holds, runs, 'h200'), page));
    const rows = text.split('\n').filter(line => line.startsWith('| '));
    assert.equal(rows.length, holds.length + 2);
    assert.ok(rows.every(row => row.split(' | ').length === 8));
    assert.match(text, /\| 1 \| `naive` \| .* \| not legal \| .*> 255/);
    assert.match(text, new RegExp(`The fastest is rung ${legal.at(-1)?.number}: `));
    assert.match(
      text,
      /!\[Roofline with the rungs.*\]\(data:image\/svg\+xml;charset=utf-8,[^()\s]*\)/,
    );
    assert.match(text, /NVIDIA H200/);
  });

  it('compares each rung with the library that was timed beside it', () => {
    const holds = fitRungs({ problem }, 'cuda');
    const baseline = { name: 'cuBLAS 13', medianMs: 1, gflops: 4000, ratio: 0.25 };
    const runs = new Map([
      [1, { ...timed({ gflops: 1000 }), baseline }],
      [2, timed({ gflops: 2000 })],
    ]);
    const rows = sourceOf(ladderMarkdown(stepsOf(holds, runs, 'h200'), page))
      .split('\n')
      .filter(line => line.startsWith('| '));
    assert.match(rows[0] ?? '', /\| of cuBLAS 13 \|/);
    assert.match(rows[2] ?? '', /\| 25\.0 % \|/);
    assert.doesNotMatch(rows[3] ?? '', / % \|/);
    assert.ok(rows.every(row => row.split(' | ').length === 9));
  });

  it('reports why rungs could not run, and does not claim verification', () => {
    const holds = fitRungs({ problem }, 'wgsl');
    const message = '1024 required,\nbut this adapter allows 256';
    const stopped: Measurement = { ...timed({ gflops: 1 }), outcome: 'constraint', message };
    delete stopped.timing;
    const text = sourceOf(ladderMarkdown(stepsOf(holds, new Map([[1, stopped]]), 'h200'), page));
    assert.match(
      text,
      /\| 1 \| .* \| constraint \| .*1024 required, but this adapter allows 256 \|/,
    );
    assert.match(text, /No times were measured\.\n/);
  });

  it('states missing times, and has no roofline', () => {
    const steps = stepsOf(fitRungs({ problem }, 'cuda'), new Map(), 'h200');
    const text = sourceOf(ladderMarkdown(steps, page));
    assert.match(text, /No times were measured/);
    assert.doesNotMatch(text, /!\[/);
    assert.match(text, /sectors loaded from global memory/);
  });
});
