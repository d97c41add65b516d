/** Addresses, banks and lines of elements are those of the traced and of the declared kernels. */
import assert from 'node:assert/strict';
import { drawnKernels } from '../../../scripts/grid/draws';
import { FRAGMENT_SEEDS, GEMV_SEEDS, LATER_SEEDS, MATRIX_SEEDS } from '../../../scripts/grid/specs';
import { resolve } from '../../../src/core/defaults/resolve';
import { emit } from '../../../src/core/kernel/emit';
import { isLowered, type Kernel, type LoweredKernel } from '../../../src/core/kernel/kernel';
import { statementLines } from '../../../src/core/kernel/print/statementLines';
import { placesOf } from '../../../src/core/kernel/wgmma/layouts';
import { BANK_BYTES, BANKS } from '../../../src/core/memory/requestCost';
import { sharedOffsets } from '../../../src/core/memory/sharedOffsets';
import { plan } from '../../../src/core/plan/planner';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { elementFacts, type ElementFacts } from '../../../src/core/trace/elementFacts';
import type { Use } from '../../../src/core/trace/operandLines';
import { positionOf } from '../../../src/core/trace/position';
import { elementOf } from '../../../src/core/trace/tags';
import { traceOf, traceSubject } from '../../../src/core/trace/traceSubject';
import { DTYPE_BYTES } from '../../../src/core/types/dtype';
import { sampleOf } from '../../helpers/depth';
import { declaredFor, WARP_GROUP_SPECS } from '../../helpers/warpGroupSpecs';

const KINDS = {
  'SIMT kernels in CUDA': { target: 'cuda', from: 0, share: 0.4 },
  'SIMT kernels in WGSL': { target: 'wgsl', from: 0, share: 0.2 },
  'register tiles': { target: 'cuda', from: LATER_SEEDS, share: 0.1 },
  'subgroup matrices': { target: 'wgsl', from: MATRIX_SEEDS, share: 0.1 },
  'mma fragments': { target: 'cuda', from: FRAGMENT_SEEDS, share: 0.2 },
  'matrix-vector products': { target: 'cuda', from: GEMV_SEEDS, share: 0.1 },
} as const;

const pointOf = ({ operand, row, column }: { operand: 'a' | 'b'; row: number; column: number }) =>
  operand === 'a' ? { entry: 0, row, column: 0, k: column } : { entry: 0, row: 0, column, k: row };

const ofOperand = (facts: readonly ElementFacts[], operand: 'a' | 'b' | 'c'): ElementFacts => {
  const found = facts.find(fact => fact.operand === operand);
  assert.ok(found !== undefined);
  return found;
};

/** The facts of each element that the trace moves, compared with its accesses. */
function checkAgainstTrace(kernel: LoweredKernel): void {
  const { problem, ir } = kernel;
  const subject = traceSubject(kernel);
  assert.ok(subject.ok);
  const { kernel: short } = subject.subject;
  const trace = traceOf(subject.subject, null, () => undefined);
  const factsOf = elementFacts(short);
  const linesOf = statementLines(short, short);
  const offsets = sharedOffsets(ir);
  const banks = new Map<number, { facts: ElementFacts; found: Set<number> }>();
  for (const { statement, accesses } of trace.steps) {
    const lines = linesOf.get(statement);
    for (const { space, op, indices, tags } of accesses)
      for (const [i, tag] of tags.entries()) {
        const element = elementOf(tag);
        if (element?.operand !== 'a' && element?.operand !== 'b') continue;
        const at = {
          operand: element.operand,
          ...positionOf(problem, element.operand, element.index),
        };
        const facts = ofOperand(factsOf(pointOf(at)), element.operand);
        assert.equal(
          facts.byte,
          element.index * DTYPE_BYTES[problem[element.operand].dtype],
          short.fileName,
        );
        assert.ok(
          facts.lines.some(used => used.lines.first === lines?.first),
          `${short.fileName}: line ${lines?.first}`,
        );
        if (space === 'global' || op === 'load') continue;
        const array = trace.arrays.find(({ name }) => name === facts.shared?.array);
        assert.ok(array !== undefined, short.fileName);
        const offset = offsets.get(array.name);
        assert.ok(offset !== undefined);
        const byte = (offset.base + (indices[i] ?? NaN) - array.base) * offset.bytes;
        // Loads outside of a matrix are clamped, which stores an element in several places.
        const staged = banks.get(tag) ?? { facts, found: new Set() };
        staged.found.add(Math.floor(byte / BANK_BYTES) % BANKS);
        banks.set(tag, staged);
      }
  }
  for (const { facts, found } of banks.values())
    assert.ok(found.has(facts.shared?.bank ?? NaN), `${short.fileName} ${JSON.stringify(facts)}`);
}

function kernelOf(spec: GemmSpec, target: 'cuda' | 'wgsl' = 'cuda'): Kernel {
  const planned = plan(resolve(spec), target);
  assert.ok(planned.ok, JSON.stringify(planned));
  return emit(planned.plan);
}

const textOf = ({ source }: Kernel, { lines }: ElementFacts, use: Use): readonly string[] =>
  lines
    .filter(used => used.use === use)
    .flatMap(({ lines: { first, last } }) => source.split('\n').slice(first - 1, last));

describe('facts of elements', function () {
  this.timeout(900_000);

  for (const [name, { target, from, share }] of Object.entries(KINDS))
    it(`have the addresses, banks and lines of the traced block: ${name}`, () => {
      const count = Math.ceil(share * sampleOf(100, 10));
      let checked = 0;
      for (const { kernel } of drawnKernels(target, from, { everyAdapter: false })) {
        if (checked === count) break;
        if (!isLowered(kernel) || kernel.plan.split !== undefined) continue;
        checked++;
        checkAgainstTrace(kernel);
      }
      assert.equal(checked, count);
    });

  it('repeat along K after all stages', () => {
    const factsOf = elementFacts(
      kernelOf({
        problem: { m: 256, n: 256, k: 1000 },
        schedule: { algorithm: 'pipelined', block: { m: 64, n: 64, k: 16 }, stages: 3 },
      }),
    );
    for (const operand of ['a', 'b'] as const)
      for (const k of [500, 503, 511])
        assert.deepEqual(
          ofOperand(factsOf({ entry: 0, row: 5, column: 7, k }), operand).shared,
          ofOperand(factsOf({ entry: 0, row: 5, column: 7, k: k + 48 }), operand).shared,
        );
  });

  it('of naive kernels have lines and sectors, but no bank', () => {
    const kernel = kernelOf({
      problem: { m: 64, n: 64, k: 64 },
      schedule: { algorithm: 'naive', block: { m: 16, n: 16 } },
    });
    const facts = elementFacts(kernel)({ entry: 0, row: 3, column: 9, k: 2 });
    assert.deepEqual(
      facts.map(({ byte, sector, shared }) => [byte, sector, shared]),
      [
        [4 * (3 * 64 + 2), 24, null],
        [4 * (2 * 64 + 9), 17, null],
        [4 * (3 * 64 + 9), 25, null],
      ],
    );
    assert.match(textOf(kernel, ofOperand(facts, 'a'), 'load').join(), /A\[/);
    assert.match(textOf(kernel, ofOperand(facts, 'c'), 'store').join(), /C\[/);
  });

  it('of split-K include the lines of the reduction kernel', () => {
    const kernel = kernelOf({
      problem: { m: 64, n: 64, k: 512 },
      schedule: {
        algorithm: 'vectorized',
        block: { m: 32, n: 32, k: 8 },
        thread: { m: 4, n: 4 },
        splitK: 4,
      },
    });
    const facts = elementFacts(kernel)({ entry: 0, row: 3, column: 9, k: 2 });
    const stores = textOf(kernel, ofOperand(facts, 'c'), 'store').join('\n');
    assert.match(stores, /workspace/i);
    assert.match(stores, /\bC\[/);
  });

  for (const [name, spec] of Object.entries(WARP_GROUP_SPECS))
    it(`have the places that TMA writes and the lines of wgmma: ${name}`, () => {
      const kernel = declaredFor(spec);
      const { model, problem } = kernel;
      const factsOf = elementFacts(kernel);
      const bytes = DTYPE_BYTES[model.element];
      for (const operand of ['a', 'b'] as const) {
        const computed = model.operandOrder === 'ab' ? operand : operand === 'a' ? 'b' : 'a';
        const side = computed === 'a' ? model.tile.m : model.tile.n;
        const { written } = placesOf(model.loads[computed], { side, depth: model.tile.k, bytes });
        for (const { side: at, depth, place } of written.slice(0, 4096)) {
          const inside = at < (operand === 'a' ? problem.m : problem.n) && depth < problem.k;
          if (!inside) continue;
          const position =
            operand === 'a'
              ? { operand, row: at, column: depth }
              : { operand, row: depth, column: at };
          const facts = ofOperand(factsOf(pointOf(position)), operand);
          if (model.fp32Emulation !== undefined) assert.equal(facts.shared, null);
          else
            assert.deepEqual(facts.shared, {
              array: computed === 'a' ? 'As' : 'Bs',
              subscripts: null,
              bank: Math.floor((place * bytes) / BANK_BYTES) % BANKS,
            });
          const loads = textOf(kernel, facts, 'load').join('\n');
          assert.match(loads, computed === 'a' ? /mapA/ : /mapB/);
        }
      }
      const c = ofOperand(factsOf({ entry: 0, row: 0, column: 0, k: 0 }), 'c');
      assert.match(textOf(kernel, c, 'multiply').join(), / (?:wg)?mma\(/);
      const textsOf = (use: Use): string => textOf(kernel, c, use).join('\n');
      assert.match(textsOf('epilogue'), /^ *storeTile\(acc\[m\].*;$/);
      const stored = kernel.source.includes('tmaStore(map,')
        ? /^ *tmaStore\(map, .*;$/
        : /^(?: *(?:\*\w+ = |line\[|if .*line\[|\*reinterpret_cast).*;\n?)+$/;
      const [stores, reduced] = textsOf('store').split(/\n(?= *C\[)/);
      assert.match(stores ?? '', stored);
      assert.equal(reduced !== undefined, model.twoPass !== undefined);
      const isStaged = kernel.source.includes('stmatrix4(');
      assert.match(textsOf('stageOutput'), isStaged ? /^ *stmatrix4\([^;]*;$/ : /^$/);
    });
});
