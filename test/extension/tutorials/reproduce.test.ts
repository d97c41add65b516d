/** *Reproduce a tutorial*: with a backend, without one, and cancelled. */
import assert from 'node:assert/strict';
import type { Backend } from '../../../src/core/measure/backend';
import { simulateBackend } from '../../../src/core/simulate/backend';
import { sourceOf, type Markdown } from '../../../src/core/text/markdown';
import { tutorialNamed } from '../../../src/core/tutorials/list';
import type { TutorialName } from '../../../src/core/tutorials/tutorial';
import { reproduced, type TutorialHost } from '../../../src/extension/tutorials/reproduce';

const NO_COMPILER = () => Promise.resolve({ missing: 'No compiler here.' });
const SIMULATED: TutorialHost = {
  backend: simulateBackend,
  untimed: 'CUDA is not available.',
  findCompiler: NO_COMPILER,
};
const RESTRICTED: TutorialHost = {
  backend: { missing: 'Restricted Mode does not run kernels.' },
  untimed: null,
  findCompiler: NO_COMPILER,
};

interface Reported {
  readonly text: Markdown | null;
  readonly steps: readonly string[];
  readonly percent: number;
}

async function report(
  name: TutorialName,
  host: TutorialHost,
  cancelAfter = Infinity,
): Promise<Reported> {
  const controller = new AbortController();
  const steps: string[] = [];
  let percent = 0;
  const text = await reproduced(tutorialNamed(name), host, {
    abort: controller.signal,
    report: (message, increment) => {
      steps.push(message);
      percent += increment;
      if (steps.length >= cancelAfter) controller.abort();
    },
  });
  return { text, steps, percent };
}

describe('reproducing a tutorial', () => {
  it('verifies the kernels on the backend, and reports the progress of each run', async () => {
    const { text, steps, percent } = await report('ratios', SIMULATED);
    assert.ok(text !== null);
    const lines = sourceOf(text);
    assert.match(lines, /^CUDA is not available\. \d+ of \d+ figures are equal/m);
    assert.match(lines, /\| Wrong elements: 00 naive.* \| 0 \| 0 \| equal \|/);
    assert.match(lines, /predicted, NVIDIA GeForce RTX 4090/);
    assert.doesNotMatch(lines, /measured, /);
    assert.match(steps[0] ?? '', /^1 of 3: 00 naive/);
    assert.equal(Math.round(percent), 100);
  });

  it('predicts the rates in Restricted Mode, without a run', async () => {
    const { text, steps } = await report('worklog', RESTRICTED);
    assert.ok(text !== null);
    const lines = sourceOf(text);
    assert.match(lines, /^Restricted Mode does not run kernels\. /m);
    assert.match(lines, /The kernel was not run\./);
    assert.match(lines, /No compiler here\./);
    assert.match(lines, /\| 1 naive \| 2,048 \| 138 GFLOP\/s, 125 ms \| 131 GFLOP\/s, 131 ms/);
    assert.deepEqual(steps, []);
  });

  it('has no report after a cancellation', async () => {
    const { text, steps } = await report('worklog', SIMULATED, 2);
    assert.deepEqual([text, steps.length], [null, 2]);
  });

  it('stops if the backend becomes unavailable', async () => {
    const broken: Backend = {
      ...simulateBackend,
      run: async (request, context) => ({
        ...(await simulateBackend.run(request, context)),
        outcome: 'unavailable',
        message: 'The GPU was lost.',
      }),
    };
    const { text, steps } = await report('ratios', { ...SIMULATED, backend: broken });
    assert.equal(steps.length, 1);
    assert.match(text === null ? '' : sourceOf(text), /The GPU was lost\./);
  });
});
