/** The text of `wgmma` kernels, and what is said of them without a loop IR. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { analyze } from '../../../../src/core/report/analyze';
import { rooflineOfLevels } from '../../../../src/core/roofline/levelRoofline';
import { deviceOf } from '../../../../src/core/hardware/devices';
import { recoverGenerated } from '../../../../src/core/kernel/generatedKernel';
import { readKernelFile } from '../../../../src/core/source/kernelFile';
import { resolveConditions } from '../../../../src/core/kernel/wgmma/conditions';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { analysisFailures, kernelsOf, textFailures } from '../../../../scripts/grid/properties';
import {
  declaredFor,
  warpGroups,
  warpGroupSpecs,
  WARP_GROUP_SPECS,
} from '../../../helpers/warpGroupSpecs';
import { isEnough, runs } from '../../../helpers/depth';

describe('an emitted kernel of wgmma', () => {
  for (const [name, spec] of Object.entries(WARP_GROUP_SPECS)) {
    it(`reads back as it is, without a branch that is resolved: ${name}`, () => {
      const kernel = declaredFor(spec);
      const kept = kernel.source.match(/^ *#(if|else|endif).*$/gm) ?? [];
      // Of the function for the host.
      assert.deepEqual(kept, [
        '#ifndef __CUDACC_RTC__',
        '#if CUDART_VERSION >= 12050',
        '#else',
        '#endif',
        '#endif',
      ]);
      assert.doesNotMatch(
        kernel.source,
        /\b(LOADS|STORE|STORE_PARAMETERS|DESCRIPTORS|SIGNATURE|undefined|NaN)\b/,
      );
      const read = readKernelFile(kernel.source, kernel.fileName);
      assert.ok(read.ok && read.origin === 'generated', JSON.stringify(read));
      const { runnable } = read;
      assert.deepEqual(runnable.tensorMaps, kernel.tensorMaps);
      assert.deepEqual([runnable.grid, runnable.block], [kernel.grid, kernel.block]);
      assert.deepEqual(runnable.arguments, kernel.arguments);
      assert.deepEqual(recoverGenerated(runnable)?.source, kernel.source);
    });
  }

  it('counts the k-iterations of all term products, in ping-pong too', () => {
    const { source } = declaredFor(WARP_GROUP_SPECS['pieces in turns']);
    assert.match(
      source,
      /const int passIterations = .*, kIterations = PRODUCTS \* passIterations;/,
    );
    assert.match(source, /int stage = consumer \* kIterations % STAGES;/);
    assert.match(
      source,
      /product = iteration \/ passIterations, k = iteration % passIterations \* BK;/,
    );
    assert.doesNotMatch(source, /PRODUCTS \* kIterations/);
  });

  it('drains its stages before a CTA of a cluster exits', () => {
    const isTail =
      /\n {6}for \(int i = 0; i < STAGES; \+\+i\) \{\n {8}waitBarrier\(empty \+ stage \* BARRIER_BYTES, phase \^ 1\);/;
    const of = (cluster: { m: number; n: number }) =>
      declaredFor(
        warpGroups(
          { m: 4096, n: 4096, k: 4096, a: { dtype: 'bf16' }, b: { layout: 'col' } },
          { cluster },
        ),
      ).source;
    assert.match(of({ m: 2, n: 1 }), isTail);
    assert.match(of({ m: 1, n: 2 }), isTail);
    assert.doesNotMatch(of({ m: 1, n: 1 }), isTail);
  });

  it('overlaps the last store box if boxes do not divide the tile', () => {
    const columnsOf = (spec: GemmSpec): readonly string[] =>
      [...declaredFor(spec).source.matchAll(/constexpr int (?:BN|STORE_COLUMNS) = (\d+);/g)].map(
        ([, value = '']) => value,
      );
    assert.deepEqual(columnsOf(WARP_GROUP_SPECS.overlapping), ['112', '64']);
    assert.deepEqual(columnsOf(WARP_GROUP_SPECS.narrow), ['48', '32']);
    assert.deepEqual(declaredFor(WARP_GROUP_SPECS.overlapping).tensorMaps?.c?.box, [64, 16]);
    // Too narrow for a box.
    const few = { block: { m: 64, n: 24 } } as const;
    const { source } = declaredFor({
      ...WARP_GROUP_SPECS.narrow,
      schedule: { ...WARP_GROUP_SPECS.narrow.schedule, ...few },
    });
    assert.doesNotMatch(source, /STORE_COLUMNS|tmaStore/);
  });

  it('rejects unknown flags and unterminated conditions', () => {
    const text = '#if A && !B\nyes\n#else\nno\n#endif';
    assert.equal(resolveConditions(text, { A: true, B: false }), 'yes');
    assert.equal(resolveConditions(text, { A: true, B: true }), 'no');
    assert.equal(
      resolveConditions('#if A || B\n#if A\n1\n#else\n2\n#endif\n#endif', { A: false, B: true }),
      '2',
    );
    assert.throws(() => resolveConditions('#if C\n#endif', { A: true }), /unknown flag C/);
    assert.throws(() => resolveConditions('#if A\n', { A: true }), /without #endif/);
    assert.throws(() => resolveConditions('#endif', {}), /without #if/);
  });
});

describe('what is said of wgmma', () => {
  it('can be, on every kind of device, and the text reads back, for drawn specs', () => {
    let legal = 0;
    fc.assert(
      fc.property(warpGroupSpecs, spec => {
        for (const kernel of kernelsOf(spec)) {
          legal++;
          assert.deepEqual([...textFailures(spec, kernel), ...analysisFailures(kernel)], []);
        }
      }),
      { ...runs(400), seed: 7 },
    );
    assert.ok(isEnough(legal, 50), `${legal}`);
  });

  it('is on tensor cores, of tiles brought once a cluster, and of no access one by one', () => {
    const device = deviceOf('h200');
    const kernel = declaredFor(WARP_GROUP_SPECS.NN);
    const analysis = analyze(kernel, { device: 'h200' });
    assert.deepEqual([analysis.globalMemory, analysis.sharedMemory], [[], []]);
    assert.equal(analysis.occupancy?.blocksPerSm, 1);
    assert.equal(analysis.occupancy.registers.value, 168);
    assert.equal(analysis.waves?.tiles, 64 * 43);
    assert.equal(analysis.prediction?.fitted, true);
    const levels = rooflineOfLevels(kernel, device, analysis);
    const l2 = levels?.levels.find(({ level }) => level === 'l2');
    // What a neighbour of the cluster brings arrives, too.
    assert.equal(l2?.bytes.value, 8192 * 8192 * 2 * (43 + 64));
    assert.equal(
      levels?.levels.some(({ level }) => level === 'l1'),
      false,
    );
    assert.ok(analysis.notes.some(({ text }) => text.includes('hand-written')));
  });
});
