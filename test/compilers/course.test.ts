/** Kernel tasks of the course on the cpu backend: what the machine's C++ compiler finds. */
import assert from 'node:assert/strict';
import { checkTask, filledFile } from '../../src/core/course/check';
import type { RunKernel } from '../../src/core/course/checkKernel';
import type { KernelTask } from '../../src/core/course/task';
import { courseTasks, taskNamed } from '../../src/core/course/tasks/tasks';
import { cpuBackend } from '../../src/host/cpu/backend';

const backend = cpuBackend({ where: 'test' });
const here = await backend.probe();

const run: RunKernel = runnable =>
  backend.run(
    { runnable, mode: 'verify', seed: 1 },
    { abort: new AbortController().signal, progress: () => undefined },
  );

/** TMA and wgmma require an NVIDIA GPU. */
const needsGpu = ({ source }: KernelTask): boolean =>
  'spec' in source && source.spec.schedule?.algorithm === 'wgmma';

const tasks = courseTasks().flatMap(task => (task.kind === 'kernel' ? [task] : []));

describe(`kernel tasks on the cpu backend${here.available ? '' : ' (skipped: no C++ compiler)'}`, function () {
  this.timeout(600_000);
  before(function () {
    if (!here.available) this.skip();
  });

  for (const task of tasks)
    it(`pass with the solution: ${task.id}`, async () => {
      const fileName = `${task.id}.cu`;
      const result = await checkTask(task, filledFile(task, fileName, task.solution), {
        fileName,
        run,
      });
      assert.equal(result.status, 'passed', result.message);
      const expected = needsGpu(task)
        ? /equals the generated kernel/
        : /The kernel is correct\. It ran on the CPU of this machine\./;
      assert.match(result.message, expected);
    });

  it('accept a correct answer that differs from the solution', async () => {
    const task = taskNamed('11-barriers')!;
    const answers = ['{ __syncthreads(); }', '__syncthreads(); // all threads'];
    const result = await checkTask(task, filledFile(task, '11-barriers.cu', answers), { run });
    assert.equal(result.status, 'passed', result.message);
  });

  it('report compiler errors and races of unknown answers', async () => {
    const task = taskNamed('11-barriers')!;
    for (const [answer, reason] of [
      ['__sync();', /not correct/],
      [';', /race/],
    ] as const) {
      const text = filledFile(task, '11-barriers.cu', [answer, '__syncthreads();']);
      const result = await checkTask(task, text, { run });
      assert.equal(result.status, 'failed');
      assert.match(result.message, reason);
    }
  });

  it('add the findings of the run to the message of a known mistake', async () => {
    const task = taskNamed('11-barriers')!;
    for (const { answers, names } of task.mistakes) {
      // One warp runs in step, so that only missing barriers cause a race in this small block.
      if (!names.includes('barrier is missing')) continue;
      const result = await checkTask(task, filledFile(task, '11-barriers.cu', answers), { run });
      assert.ok(result.message.includes(names), result.message);
      assert.equal(result.detail.length, 1);
      assert.match(result.detail[0] ?? '', /^race: [^\n]*$/);
    }
  });
});
