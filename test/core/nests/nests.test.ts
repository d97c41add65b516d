/** Loop nests: text, rules, edits and the execution of their kernels. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  assigned,
  merged,
  moved,
  split,
  splitFactors,
  toggledShared,
} from '../../../src/core/nests/edits';
import { nestKernel } from '../../../src/core/nests/kernel';
import {
  chainOf,
  variablesOf,
  type LoopNest,
  type LoopProblem,
} from '../../../src/core/nests/nest';
import { NEST_PRESETS } from '../../../src/core/nests/presets';
import {
  NEST_LIMITS,
  parallelViolations,
  sequentialViolations,
} from '../../../src/core/nests/rules';
import { simulateNest } from '../../../src/core/nests/simulateNest';
import { nestText, parseNest } from '../../../src/core/nests/text';
import { runs } from '../../helpers/depth';
import { parallelNests, sequentialNests, type DrawnNest } from '../../helpers/drawnNests';

const PROBLEM: LoopProblem = { m: 20, n: 12, k: 7, dtype: 'f32' };

const nestOf = (text: string): LoopNest => {
  const parsed = parseNest(text);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.nest;
};

const messages = (text: string, problem = PROBLEM): string =>
  [
    ...sequentialViolations(nestOf(text)),
    ...parallelViolations(nestOf(text), problem, NEST_LIMITS.cuda),
  ]
    .map(({ message }) => message)
    .join('\n');

function assertCorrect({ nest, problem }: DrawnNest, target: 'cuda' | 'wgsl'): void {
  const { verification, findings } = simulateNest(nestKernel(nest, problem, target), 3);
  const where = `${nestText(nest)} at ${problem.m} x ${problem.n} x ${problem.k}`;
  assert.deepEqual(findings, [], where);
  assert.equal(verification.mismatches, 0, where);
  assert.equal(verification.samples, problem.m * problem.n, where);
}

describe('the text of a loop nest', () => {
  it('is read back as the same nest', () => {
    const nests = fc.oneof(sequentialNests, parallelNests('cuda'));
    fc.assert(
      fc.property(nests, ({ nest }) => {
        assert.deepEqual(nestOf(nestText(nest)), nest);
      }),
      runs(500),
    );
  });

  it('is rejected with the column and the reason', () => {
    for (const [text, column, reason] of [
      ['i j:0 k', 3, /step 0 is not between 1/],
      ['i  x k', 4, /"x" is not an axis/],
      ['i j@sm k', 3, /"sm" is not a level/],
      ['i j k:', 5, /"k:" is not a loop/],
      ['i, k, j', 1, /Write i, j and k in lower case, separated by spaces/],
      ['i K j', 3, /Write i, j and k in lower case, separated by spaces/],
      ['i:4 @grid j k', 5, /Remove the space before @grid\./],
      ['i j k:4 +shared k', 9, /Remove the space before \+shared\./],
      ['i j k:4@shared k', 5, /"shared" is not a level\. Write k:4\+shared\./],
      ['   ', 1, /no loops/],
      ['i '.repeat(21), 1, /at most 20 loops/],
      ['i'.repeat(2001), 1, /exceeds 2000 characters/],
    ] as const) {
      const parsed = parseNest(text);
      assert.ok(!parsed.ok, text);
      assert.equal(parsed.column, column, text);
      assert.match(parsed.message, reason);
    }
  });

  it('accepts any input without an exception', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        parseNest(text);
      }),
      runs(1000),
    );
  });
});

describe('the rules of loop nests', () => {
  it('accept all presets', () => {
    for (const { id, nest } of NEST_PRESETS) {
      assert.deepEqual(sequentialViolations(nest), [], id);
      assert.deepEqual(parallelViolations(nest, PROBLEM, NEST_LIMITS.wgsl), [], id);
    }
  });

  for (const [text, reason] of [
    ['i j', /no loop over k/],
    ['i:4 j k', /innermost loop over i has step 4/],
    ['i:6 i:4 i j k', /Step 4 of i0 does not divide the next larger step 6/],
    ['i j j k', /j occurs twice with step 1\. Remove one of the loops/],
    ['i:4 i:4 i j k', /i occurs twice with step 4/],
    ['i:4@block i@grid j k', /@grid must be outside of @block: exchange the levels/],
    ['i j k@grid', /all iterations over k add to the same element of C/],
    ['i@block j k', /i covers the whole axis/],
    ['i:4@grid j i@warp k', /level warp have 4 iterations/],
    ['i:64@grid i@block j:64@grid j@block k', /A block has 4,096 threads; the limit is 1,024/],
    ['i:4 i@vector j k', /only consecutive columns/],
    ['i j:3 k j@vector', /has 3 iterations. A vector has 2 or 4/],
    ['i j:4 j@vector k', /must be inside of the loops over k/],
    ['i:8@grid j:8@grid i k:8+shared j k', /i0 must be inside of k/],
    ['i:8@grid j:8@grid k+shared i j', /with a step above 1/],
    ['i:8@grid j:8 k:8+shared i j k', /j must be inside of k/],
    ['i:8@grid k:8+shared j:8 i j k', /need a grid loop over j/],
    ['i:512@grid j:512@grid k:16+shared i:32@block j:32@block k i j', /the limit is 49,152/],
    ['k i j:4 j@vector', /depend on the problem, so that registers cannot hold them/],
    [
      'i:64@grid j:64@grid k:8+shared i:4@block j:4@block k i j'.replaceAll('4@block', '16@block'),
      /256 accumulators/,
    ],
    ['i:9 j:8@grid i:3@grid k:8+shared i j k', /i0 must have the largest step of i/],
  ] as const)
    it(`reject ${text}`, () => {
      assert.match(messages(text), reason);
    });

  it('reject a vector where rows of B are not aligned, and accept it at the next multiple', () => {
    assert.match(messages('i j:4 k j@vector', { ...PROBLEM, n: 13 }), /N = 13 is not a multiple/);
    assert.equal(messages('i j:4 k j@vector', { ...PROBLEM, n: 16 }), '');
  });

  it('accept 1024 threads per block and reject 1025', () => {
    assert.equal(messages('i:32@grid i@block j:32@grid j@block k'), '');
    assert.match(messages('i:25@grid i@block j:41@grid j@block k'), /has 1,025 threads/);
  });
});

describe('edits of a loop nest', () => {
  const start = nestOf('i j k');

  it('reach the tiled nest by three splits and three moves', () => {
    let nest = start;
    for (const at of [2, 1, 0]) nest = split(nest, at, 16);
    assert.equal(nestText(nest), 'i:16 i j:16 j k:16 k');
    nest = moved(moved(moved(nest, 2, 1), 4, 2), 4, 4);
    assert.equal(nestText(nest), 'i:16 j:16 k:16 i j k');
    assert.deepEqual(variablesOf(nest), ['i', 'j', 'k', 'i0', 'j0', 'k0']);
  });

  it('undo a split by merging its outer loop', () => {
    fc.assert(
      fc.property(sequentialNests, fc.nat(), fc.nat(), ({ nest }, a, b) => {
        const at = a % nest.length;
        const factors = splitFactors(nest, at);
        const factor = factors[b % factors.length];
        if (factor === undefined) return;
        const changed = split(nest, at, factor);
        assert.deepEqual(sequentialViolations(changed), []);
        assert.deepEqual(merged(changed, at), nest);
      }),
      runs(500),
    );
  });

  it('assign a level and the copy to shared memory to one loop only', () => {
    const tiled = nestOf('i:16 j:16 k:16 i j k');
    assert.equal(nestText(assigned(tiled, 0, 'grid')), 'i:16@grid j:16 k:16 i j k');
    assert.equal(nestText(toggledShared(tiled, 2)), 'i:16 j:16 k:16+shared i j k');
    assert.deepEqual(toggledShared(toggledShared(tiled, 2), 2), tiled);
  });

  it('keep the nest where a position or a step is impossible', () => {
    assert.equal(moved(start, 0, 3), start);
    assert.equal(moved(start, 5, 0), start);
    assert.equal(merged(start, 0), start);
    assert.equal(assigned(start, 9, 'grid'), start);
  });
});

describe('the kernel of a loop nest', () => {
  it('computes C in one thread, in any order of the loops', () => {
    fc.assert(
      fc.property(sequentialNests, drawn => {
        assertCorrect(drawn, 'cuda');
      }),
      runs(500),
    );
  });

  for (const target of ['cuda', 'wgsl'] as const)
    it(`computes C in parallel without races in ${target}`, () => {
      fc.assert(
        fc.property(parallelNests(target), drawn => {
          assertCorrect(drawn, target);
        }),
        runs(500, 40),
      );
    });

  it('has a line for each loop', () => {
    fc.assert(
      fc.property(parallelNests('cuda'), ({ nest, problem }) => {
        const { source, lines } = nestKernel(nest, problem, 'cuda');
        const text = source.split('\n');
        const names = variablesOf(nest);
        nest.forEach((loop, at) => {
          for (const line of lines[at] ?? [])
            if (loop.level === 'thread')
              assert.match(text[line - 1] ?? '', new RegExp(`for \\(int ${names[at]} = 0`));
            else if (loop.level !== 'vector')
              assert.match(text[line - 1] ?? '', new RegExp(`const int ${names[at]} = `));
          const isEmpty = loop.level === 'vector' && chainOf(nest, 'j').length === 0;
          assert.ok((lines[at] ?? []).length > 0 || isEmpty, `${nestText(nest)}: ${names[at]}`);
        });
      }),
      runs(200),
    );
  });
});
