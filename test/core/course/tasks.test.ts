/** Tasks of the course: solutions pass, files as delivered fail, and mistakes are named. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { checkTask, filledFile, MAX_TASK_CHARACTERS, stubOf } from '../../../src/core/course/check';
import { fileNamesOf, targetOf, type Task } from '../../../src/core/course/task';
import { solutionOf } from '../../../src/core/course/kernelText';
import { courseTasks, taskNamed, taskOfFile } from '../../../src/core/course/tasks/tasks';
import { generatedState } from '../../../src/core/kernel/file/fileHead';
import { runs } from '../../helpers/depth';

const tasks = courseTasks();
const LEAST_TASKS = 20;
const LEAST_MISTAKES = 100;

const answersOf = (task: Task, fileName: string): readonly string[] =>
  task.kind === 'kernel' ? solutionOf(task, targetOf(fileName)) : task.solution;

const files = tasks.flatMap(task => fileNamesOf(task).map(fileName => ({ task, fileName })));

describe('tasks of the course', () => {
  it(`are at least ${LEAST_TASKS}, of three kinds, with distinct names`, () => {
    assert.ok(tasks.length >= LEAST_TASKS);
    assert.deepEqual(new Set(tasks.map(({ kind }) => kind)), new Set(['nest', 'spec', 'kernel']));
    assert.equal(new Set(files.map(({ fileName }) => fileName)).size, files.length);
  });

  it(`have at least ${LEAST_MISTAKES} seeded mistakes, at least five per task`, () => {
    const counts = tasks.map(({ mistakes }) => mistakes.length);
    assert.ok(counts.reduce((sum, count) => sum + count, 0) >= LEAST_MISTAKES);
    assert.ok(counts.every(count => count >= 5));
  });

  it('are found by the name of a file', () => {
    for (const { task, fileName } of files) assert.equal(taskOfFile(fileName), task);
    assert.equal(taskOfFile('01-loop-order.cu'), undefined);
    assert.equal(taskNamed('01-loop-order')?.id, '01-loop-order');
  });

  for (const { task, fileName } of files) {
    it(`pass with the solution: ${fileName}`, async () => {
      const filled = filledFile(task, fileName, answersOf(task, fileName));
      const result = await checkTask(task, filled, { fileName });
      assert.equal(result.status, 'passed', result.message);
    });

    it(`fail as delivered: ${fileName}`, async () => {
      const result = await checkTask(task, stubOf(task, fileName), { fileName });
      assert.equal(result.status, 'failed');
      assert.match(result.message, /hole is still empty/);
      assert.ok(result.line !== undefined && result.line > 0);
    });
  }

  for (const task of tasks)
    it(`name the mistakes of ${task.id}`, async () => {
      const [fileName = ''] = fileNamesOf(task);
      for (const { answers, names } of task.mistakes) {
        const result = await checkTask(task, filledFile(task, fileName, answers), { fileName });
        const what = `${JSON.stringify(answers)}: ${result.message}`;
        assert.equal(result.status, 'failed', what);
        assert.ok(result.message.includes(names), `${what} Expected: ${names}`);
      }
    });

  it('accept equal expressions, other line endings and trailing blanks', async () => {
    const task = taskNamed('05-row-and-column')!;
    const fileName = '05-row-and-column.cu';
    const answers = ['threadIdx.x + BM * blockIdx.x', '(blockIdx.y << 2) + threadIdx.y'];
    const filled = filledFile(task, fileName, answers).replaceAll('\n', '  \r\n');
    assert.equal((await checkTask(task, filled, { fileName })).status, 'passed');
  });

  it('report the line of a change outside of the holes', async () => {
    const task = taskNamed('05-row-and-column')!;
    const fileName = '05-row-and-column.cu';
    const filled = filledFile(task, fileName, task.solution).replace('k < K', 'k < K - 1');
    const result = await checkTask(task, filled, { fileName });
    assert.match(result.message, /^Line \d+ was changed/);
    assert.equal(result.line, filled.split('\n').findIndex(line => line.includes('K - 1')) + 1);
  });

  it('report a changed, a missing and an additional field of a spec', async () => {
    const task = taskNamed('06-whole-warps')!;
    const filled = filledFile(task, '06-whole-warps.gemm.json', task.solution);
    for (const [from, to, path] of [
      ['"naive"', '"coalesced"', 'schedule.algorithm'],
      ['"version": 1,', '', 'version'],
      ['"version": 1,', '"version": 1, "device": "h200",', 'device'],
    ] as const) {
      const { message } = await checkTask(task, filled.replace(from, to));
      assert.equal(message, `The field ${path} was changed. Change only the holes.`);
    }
  });

  it('report the line of the hole that has no barrier', async () => {
    const task = taskNamed('11-barriers')!;
    const barriers = { cu: '__syncthreads();', wgsl: 'workgroupBarrier();' };
    for (const [language, barrier] of Object.entries(barriers)) {
      const fileName = `11-barriers.${language}`;
      const filled = filledFile(task, fileName, [barrier, '']);
      const result = await checkTask(task, filled, { fileName });
      assert.match(result.message, /The second barrier is missing/);
      const stub = stubOf(task, fileName).split('\n');
      const hole = stub.findLastIndex(line => line.trim() === '/* ___ */');
      assert.equal(result.line, hole + 1, fileName);
    }
  });

  it('name the barrier of the language', async () => {
    const task = taskNamed('11-barriers')!;
    const fileName = '11-barriers.wgsl';
    const filled = filledFile(task, fileName, ['__syncthreads();', 'workgroupBarrier();']);
    const { message } = await checkTask(task, filled, { fileName });
    assert.match(message, /In WGSL the barrier is workgroupBarrier\(\)/);
  });

  it('show values of one thread as the example of an incorrect index', async () => {
    const task = taskNamed('10-copy-index')!;
    const answers = ['threadRow * lda + k0 + threadCol', '(k0 + threadRow) * ldb + col'];
    const { detail } = await checkTask(task, filledFile(task, '10-copy-index.cu', answers));
    const [, thread, row] = /threadRow = (\d+),.* row = (\d+)/.exec(detail.join()) ?? [];
    assert.equal(Number(row) % 4, Number(thread), detail.join());
  });

  it('state that the place of a level can be deleted', async () => {
    const level = taskNamed('04-parallel-loops')!;
    const order = taskNamed('01-loop-order')!;
    const messageOf = async (task: Task): Promise<string> =>
      (await checkTask(task, stubOf(task, fileNamesOf(task)[0]!))).message;
    assert.match(await messageOf(level), /or delete ___ for no level/);
    assert.doesNotMatch(await messageOf(order), /no level/);
  });

  it('report one race of a run, and the place of a correct run', async () => {
    const task = taskNamed('11-barriers')!;
    const fileName = '11-barriers.cu';
    const ran = (outcome: string, message?: string) => () =>
      Promise.resolve({
        outcome,
        message,
        backend: 'cpu',
        verification: { samples: 256 },
      } as never);
    const missing = filledFile(task, fileName, ['', '__syncthreads();']);
    const race = 'race: thread (1, 0) writes.';
    const run = ran('incorrect', `uninitialized: thread reads.\n${race}\nrace: another.`);
    assert.deepEqual((await checkTask(task, missing, { fileName, run })).detail, [race]);
    const alone = ran('incorrect', 'uninitialized: thread reads.');
    const { detail } = await checkTask(task, missing, { fileName, run: alone });
    assert.deepEqual(detail, ['uninitialized: thread reads.']);
    const solved = filledFile(task, fileName, task.solution);
    const { message } = await checkTask(task, solved, { fileName, run: ran('correct') });
    assert.equal(message, 'The kernel is correct. It ran on the CPU of this machine.');
  });

  it('pass with a solution that no backend here can run, without a command for another one', async () => {
    const task = taskNamed('27-phase')!;
    const fileName = '27-phase.cu';
    const message = 'The kernel requires an NVIDIA GPU. Fix: use --backend cuda.';
    const run = () => Promise.resolve({ outcome: 'constraint', message } as never);
    const filled = filledFile(task, fileName, task.solution);
    const result = await checkTask(task, filled, { fileName, run });
    assert.equal(result.status, 'passed');
    assert.deepEqual(result.detail, [
      'The kernel was not executed on this machine. The kernel requires an NVIDIA GPU.',
    ]);
    assert.match((await checkTask(task, filled, { fileName })).detail.join(), /No backend/);
  });

  it('require a backend for an answer that is neither the solution nor a known mistake', async () => {
    const task = taskNamed('11-barriers')!;
    const answers = ['__syncthreads(); // all', '__syncthreads();'];
    const fileName = '11-barriers.cu';
    const result = await checkTask(task, filledFile(task, fileName, answers), { fileName });
    assert.equal(result.status, 'missing');
    assert.match(result.message, /requires a C\+\+ compiler.*11-barriers\.wgsl/);
  });

  it('have kernel files that count as generated until they are edited, without the schedule', () => {
    for (const { task, fileName } of files) {
      if (task.kind !== 'kernel') continue;
      const text = stubOf(task, fileName);
      assert.equal(generatedState(text), 'generated', fileName);
      assert.equal(generatedState(text.replace('/* ___ */', '0')), 'edited', fileName);
      assert.doesNotMatch(text, /"schedule"/);
    }
  });
});

describe('the check of hostile files', () => {
  const drawn = fc.constantFrom(...files);
  const edits = fc.array(
    fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.nat(200),
      text: fc.oneof(
        fc.string({ maxLength: 40 }),
        fc.constantFrom('\0', '{', '[[[[', '/*', '"', '___', 'i:1048576', '\uFEFF', '1e999', '-'),
      ),
    }),
    { maxLength: 5 },
  );

  it('returns a result for changed files', async () => {
    await fc.assert(
      fc.asyncProperty(drawn, edits, fc.boolean(), async ({ task, fileName }, changes, isStub) => {
        let text = isStub
          ? stubOf(task, fileName)
          : filledFile(task, fileName, answersOf(task, fileName));
        for (const { at, cut, text: inserted } of changes) {
          const start = Math.floor(at * text.length);
          text = text.slice(0, start) + inserted + text.slice(start + cut);
        }
        const result = await checkTask(task, text, { fileName });
        assert.ok(result.message.length > 0);
        assert.equal(result.passed, result.status === 'passed');
      }),
      runs(1000, 60),
    );
  });

  it('returns a result for arbitrary answers', async () => {
    const answer = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.integer().map(String),
      fc.constantFrom('('.repeat(499), '-'.repeat(499), '1/0', '1 % 0', '1'.repeat(400), 'k@grid'),
    );
    await fc.assert(
      fc.asyncProperty(drawn, fc.array(answer, { maxLength: 5 }), async (file, answers) => {
        const { task, fileName } = file;
        await checkTask(task, filledFile(task, fileName, answers), { fileName });
      }),
      runs(1000, 60),
    );
  });

  it('refuses large and binary files in bounded time', async () => {
    for (const { task, fileName } of files)
      for (const text of [
        '('.repeat(MAX_TASK_CHARACTERS),
        '['.repeat(MAX_TASK_CHARACTERS),
        ' '.repeat(MAX_TASK_CHARACTERS),
        '{"a":'.repeat(MAX_TASK_CHARACTERS / 5),
        'i '.repeat(MAX_TASK_CHARACTERS / 2),
        'x'.repeat(MAX_TASK_CHARACTERS + 1),
        '\0\u0001\u0002',
        '',
      ]) {
        const result = await checkTask(task, text, { fileName });
        assert.ok(!result.passed, fileName);
      }
    const [task] = tasks;
    const large = await checkTask(task!, 'x'.repeat(MAX_TASK_CHARACTERS + 1));
    assert.equal(large.status, 'unusable');
    assert.equal((await checkTask(task!, 'i\0')).status, 'unusable');
  });

  it('refuses a nest with far more iterations than elements', async () => {
    const task = taskNamed('01-loop-order')!;
    const result = await checkTask(task, 'i:1048576 j:1048576 k:1048576 i j k');
    assert.match(result.message, /most iterations are outside of C/);
  });
});
