/** A @gemm comment: made from answers, and underlined where it is wrong. */
import assert from 'node:assert/strict';
import { parseKernelText } from '../../../src/core/source/kernelFile';
import { annotationComment, declarationLine } from '../../../src/core/source/annotationDraft';
import {
  readArguments,
  readBlock,
  readGrid,
} from '../../../src/extension/editor/annotationComment';
import { annotationProblem } from '../../../src/extension/editor/annotationProblems';
import { createKernelFactsCache } from '../../../src/extension/editor/kernelFacts';

describe('a @gemm comment from answers', () => {
  const answers = {
    sizes: { m: 100, n: 60, k: 30 },
    ...({ dtype: 's32', layouts: ['row', 'col', 'row'], block: [16, 16] } as const),
    ...({ grid: ['ceil(n / 16)', 'ceil(m / 16)'], args: ['a', 'b', 'c', 'm', 'k', 'n'] } as const),
  };

  it('describes the kernel below it', () => {
    const text = `${annotationComment(answers)}\n__global__ void k(int* a) {}\n`;
    const file = parseKernelText(text, 'k.cu');
    assert.equal(annotationProblem(file, file.annotations[0]!), undefined);
    const known = createKernelFactsCache({
      factsOf: () => undefined,
      runsOf: () => [],
      runs: () => [],
      device: () => 'h200',
    }).of(file, 'k');
    assert.ok(known.ok);
    assert.deepEqual(known.runnable.grid, { x: 4, y: 7, z: 1 });
    assert.equal(known.runnable.problem.b.layout, 'col');
    assert.equal(known.runnable.problem.a.dtype, 's32');
  });

  it('takes what was typed, or says why not', () => {
    assert.deepEqual(readBlock('16 x 8'), { ok: true, value: [16, 8] });
    assert.deepEqual(readBlock('1024'), { ok: true, value: [1024] });
    for (const wrong of ['', '0', '1025', '1, 2, 3, 4', 'x'])
      assert.equal(readBlock(wrong).ok, false, wrong);
    assert.equal(readGrid('ceil(n / block.x), ceil(m / block.y)').ok, true);
    for (const wrong of ['', 'f(x)', '1, 2, 3, 4']) assert.equal(readGrid(wrong).ok, false, wrong);
    assert.deepEqual(readArguments('a, b, c, [m, n, k]', 4), {
      ok: true,
      value: ['a', 'b', 'c', ['m', 'n', 'k']],
    });
    for (const wrong of ['', 'a, ?', 'a, b'])
      assert.equal(readArguments(wrong, 3).ok, false, wrong);
  });

  it('goes above the whole declaration', () => {
    const lines = [
      'int x;',
      '',
      '// mine',
      'template <int N>',
      'extern "C"',
      '__global__ void k() {}',
    ];
    assert.equal(declarationLine(lines, 5), 3);
    assert.equal(declarationLine(['}', '__global__ void k() {}'], 1), 1);
    assert.equal(declarationLine(['__global__ void k() {}'], 0), 0);
  });

  it('that is wrong is underlined where it is wrong', () => {
    const under = (json: string) => {
      const file = parseKernelText(
        `  // @gemm ${json}\n__global__ void k(int* a) {}\n__global__ void l() {}\n`,
        'k.cu',
      );
      const problem = annotationProblem(file, file.annotations[0]!);
      return [`  // @gemm ${json}`.slice(problem?.start, problem?.end), problem?.instead.join()];
    };
    const rest = '"problem":{"m":1,"n":1,"k":1},"block":[1],"args":["a"]';
    assert.deepEqual(under(`{${rest},"grid":["nope(1)"]}`), ['"nope(1)"', '']);
    assert.deepEqual(under(`{${rest},"grid":[1],"x":2}`), ['2', '']);
    assert.deepEqual(under(`{${rest},"grid":[1],"entry":"other"}`), ['"other"', 'k,l']);
    assert.equal(under('{"problem":}')[0], '}');
  });
});
