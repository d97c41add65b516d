/** Steps, owners and requests of kernels with an epilogue, in every algorithm and language. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emit } from '../../../src/core/kernel/emit';
import { isLowered, type Kernel } from '../../../src/core/kernel/kernel';
import { drawnRequest } from '../../../src/core/memory/drawnRequest';
import { memoryLevels } from '../../../src/core/memory/memoryLevels';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { analyze } from '../../../src/core/report/analyze';
import { epilogueOperands } from '../../../src/core/spec/epilogue';
import type { ResolvedSpec } from '../../../src/core/spec/resolved';
import { elementFacts } from '../../../src/core/trace/elementFacts';
import { operandLines } from '../../../src/core/trace/operandLines';
import { ownersOf } from '../../../src/core/trace/owners';
import { traceOf, traceSubject } from '../../../src/core/trace/traceSubject';
import { elementOf } from '../../../src/core/trace/tags';
import { H200 } from '../../helpers/cudaKernels';
import { runs } from '../../helpers/depth';
import { epilogueSpecs, warpGroupEpilogueSpecs } from '../../helpers/epilogues';

function withoutEpilogue(spec: ResolvedSpec): ResolvedSpec {
  const { epilogue, ...problem } = spec.problem;
  assert.notEqual(epilogue, undefined);
  return { ...spec, problem };
}

/** The operands of the epilogue that the traced block loads; others are of the reduction kernel. */
function checkTrace(kernel: Kernel): void {
  const subject = traceSubject(kernel);
  if (!subject.ok) return;
  const { steps } = traceOf(subject.subject, null, () => undefined);
  const loaded = new Set(
    steps.flatMap(({ accesses }) =>
      accesses.flatMap(({ op, tags }) =>
        op === 'load' ? [...tags].map(tag => elementOf(tag)?.operand) : [],
      ),
    ),
  );
  if (kernel.plan.split !== undefined) return;
  for (const { name } of epilogueOperands(kernel.problem))
    assert.ok(loaded.has(name), `${kernel.fileName}: ${name}`);
}

function checkRequests(kernel: Kernel): void {
  const analysis = analyze(kernel, { device: 'h200' });
  const operands = epilogueOperands(kernel.problem);
  if (isLowered(kernel)) {
    const sites = analysis.globalMemory.filter(({ operand }) => operand.startsWith('epilogue'));
    assert.ok(sites.length >= operands.length, kernel.fileName);
    for (const site of sites) {
      assert.ok(site.requests > 0 && site.sectorsPerRequest >= 1, kernel.fileName);
      assert.notEqual(drawnRequest(kernel, site), null);
    }
  }
  for (const { bytes, intensity } of memoryLevels(kernel, analysis, H200).levels)
    assert.ok(Number.isFinite(bytes.value) && Number.isFinite(intensity.value));
}

describe('views of kernels with an epilogue', function () {
  this.timeout(900_000);

  it('trace a block, find owners and draw requests, in every algorithm', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.oneof(epilogueSpecs, epilogueSpecs, warpGroupEpilogueSpecs), spec => {
        const resolved = resolve(spec);
        for (const target of resolved.targets) {
          const planned = plan(resolved, target);
          const plain = plan(withoutEpilogue(resolved), target);
          if (!planned.ok || !plain.ok) continue;
          const kernel = emit(planned.plan);
          seen.add(kernel.plan.algorithm);
          const { m, n, k } = kernel.problem;
          const element = { entry: 0, row: m - 1, column: n - 1 };
          const owners = ownersOf(kernel).ownerOf(element);
          const { accumulators } = ownersOf(emit(plain.plan)).ownerOf(element);
          if (planned.plan.family !== 'subgroup-matrix')
            assert.deepEqual(owners.accumulators, accumulators, kernel.fileName);
          assert.equal(elementFacts(kernel)({ ...element, k: k - 1 }).length, 3);
          assert.ok(operandLines(kernel).length > 0);
          if (isLowered(kernel)) checkTrace(kernel);
          checkRequests(kernel);
        }
      }),
      runs(1500, 60),
    );
    assert.ok(seen.size >= 6, [...seen].join());
  });
});
