/**
 * The analysis beside what Nsight Compute counted of 44 generated kernels on an H200
 * (bench/h200-sites.json).
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { warpAccesses } from '../../../src/core/memory/accesses';
import { wavefrontsOf } from '../../../src/core/memory/memoryLevels';
import { decodeSpec } from '../../../src/core/spec/decode';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { kernelOf } from '../../../scripts/grid/properties';

const metrics = v.record(v.string(), v.object({ value: v.number() }));
const recordSchema = v.object({
  results: v.array(
    v.object({ spec: v.unknown(), counters: v.object({ metrics }), analysis: v.unknown() }),
  ),
});
const { results } = v.parse(
  recordSchema,
  JSON.parse(readFileSync('bench/h200-sites.json', 'utf8')),
);

/** Explained in docs/analysis.md. */
const DIFFERING = new Set([
  // Rows of odd length: the compiler joins what of each row happens to be aligned.
  'gemm-f32-thread-tile-2d-1024x1024x1024-rrr-64x64x16-4x4-pad1x0',
  // Nothing is counted of the two copies of the first tile, which run (bench/h200-source/crr.csv).
  'gemm-f32-pipelined-1024x1024x1024-crr-64x64x16-w32x16-4x4-v4-s3',
]);

const specOf = (input: unknown): GemmSpec => {
  const decoded = decodeSpec(input);
  assert.ok(decoded.ok);
  return decoded.spec;
};

const SHARED = 'smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum';
const global = (what: string, op: string): string =>
  `l1tex__t_${what}_pipe_lsu_mem_global_op_${op}.sum`;

describe('access sites beside counters of an H200', () => {
  it('covers every algorithm in four layouts, padded and swizzled', () => {
    assert.ok(results.length >= 40, `${results.length}`);
  });

  for (const { spec: input, counters } of results) {
    const kernel = kernelOf({ ...specOf(input), device: 'h200' }, 'cuda');
    const name = kernel?.specKey ?? '';
    const differs = DIFFERING.has(name);
    it(`${differs ? 'is off, as explained, for' : 'equals them for'} ${name}`, () => {
      assert.ok(kernel !== null);
      const { shared, global: sites } = warpAccesses(kernel);
      const counted = (metric: string): number => counters.metrics[metric]?.value ?? NaN;
      const wavefronts = shared.reduce((sum, site) => sum + wavefrontsOf(site), 0);
      assert.equal(wavefronts === counted(SHARED), !differs, `${wavefronts} ${counted(SHARED)}`);
      for (const op of ['load', 'store'] as const) {
        const of = sites.filter(site => site.op === op);
        const requests = of.reduce((sum, site) => sum + site.requests, 0);
        const sectors = of.reduce((sum, site) => sum + site.requests * site.sectorsPerRequest, 0);
        const name = op === 'load' ? 'ld' : 'st';
        const copied = op === 'load' && kernel.source.includes('cp_async');
        const copies = (what: string): number => (copied ? counted(global(what, 'ldgsts')) : 0);
        // Nsight Compute has no sectors of copies on 9.0.
        if (!copied) assert.equal(sectors, counted(global('sectors', name)));
        assert.equal(requests, counted(global('requests', name)) + copies('requests'));
      }
    });
  }
});
