/** The mutants of bench/src/mutants: fifty different texts or launches, each of which compiles. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { archOf } from '../../src/core/hardware/computeCapability';
import { NOT_VERIFIED, type Measurement } from '../../src/core/measure/measurement';
import { compileCubin } from '../../src/host/nvcc';
import { findNvcc } from '../../src/host/toolchain';
import { BASES, baseKernel } from '../src/mutants/bases';
import { judged, MOST_PERCENT, RIGHT } from '../../scripts/mutants/judge';
import { MUTATIONS, mutantOf } from '../src/mutants/mutants';

const sound = Object.fromEntries(BASES.map(base => [base, baseKernel(base)]));
const mutants = MUTATIONS.map(mutation => mutantOf(sound[mutation.base]!, mutation));
const found = await findNvcc();

describe('mutated kernels', () => {
  it('are fifty, of every kind, each different from its base kernel and from the others', () => {
    assert.equal(MUTATIONS.length, 50);
    assert.deepEqual([...new Set(MUTATIONS.map(({ kind }) => kind))], Object.keys(RIGHT));
    const told = mutants.map(({ source, block, dynamicSharedBytes }) =>
      JSON.stringify([source, block, dynamicSharedBytes]),
    );
    assert.equal(new Set(told).size, 50);
    const originals = BASES.map(base => {
      const { source, block, dynamicSharedBytes } = sound[base]!;
      return JSON.stringify([source, block, dynamicSharedBytes]);
    });
    assert.ok(told.every(text => !originals.includes(text)));
    assert.equal(new Set(mutants.map(({ specKey }) => specKey)).size, 50);
  });

  it('are evaluated by their outcome and the time of the unmodified kernel afterward', () => {
    const run = (outcome: Measurement['outcome'], medianMs?: number): Measurement => ({
      specKey: 'k',
      kernelKey: 'k',
      resolved: null,
      backend: 'cuda',
      outcome,
      device: { name: 'GPU', adapter: 'a', driver: '1', where: 'cli' },
      verification: NOT_VERIFIED,
      ...(medianMs === undefined
        ? {}
        : {
            timing: {
              timer: 'cuda-events',
              quantumNs: 1,
              warmUp: 1,
              samples: 3,
              cache: 'cold',
              medianMs,
              iqrMs: 0,
              minMs: 1,
              gflops: 1,
              errorPercent: 0,
              inputs: '',
            },
          }),
    });
    const one = { kind: 'hanging', name: '', base: 'shared' } as const;
    const of = (outcome: Measurement['outcome'], after?: number) =>
      judged(
        { ...one, measurement: run(outcome), after: run('correct', after) },
        run('correct', 1),
      );
    const limit = MOST_PERCENT / 100;
    assert.deepEqual([of('timeout', 1).right, of('incorrect', 1).right], [true, false]);
    assert.ok(
      of('timeout', 1 + limit - 1e-6).timeRight && of('timeout', 1 - limit + 1e-6).timeRight,
    );
    assert.ok(
      !of('timeout', 1 + limit + 1e-6).timeRight && !of('timeout', 1 - limit - 1e-6).timeRight,
    );
    assert.ok(!of('timeout').timeRight);
  });

  (found.ok ? it : it.skip)('compile, all in one text (needs nvcc)', async function () {
    this.timeout(300_000);
    if (!found.ok) return;
    const folder = mkdtempSync(path.join(os.tmpdir(), 'gemm-mutants-'));
    const include = /^#include .*$/gm;
    const includes = new Set(mutants.flatMap(({ source }) => source.match(include) ?? []));
    const each = [...new Set(mutants.map(({ source }) => source))].map(
      (source, i) =>
        `namespace mutant${i} {\n${source.replace(include, '').replaceAll('extern "C" ', '')}\n}`,
    );
    try {
      const compiled = await compileCubin([...includes, ...each].join('\n'), {
        nvcc: found.nvcc,
        arch: archOf('9.0'),
        cacheFolder: folder,
        timeoutMs: 280_000,
      });
      assert.ok(compiled.ok, compiled.ok ? '' : compiled.message);
      assert.equal(compiled.kernels.length, each.length);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
