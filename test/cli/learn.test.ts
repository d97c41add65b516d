/** `learn`: chapters, task files, checks and progress, in a folder of its own. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { filledFile } from '../../src/core/course/check';
import { courseChapters } from '../../src/core/course/chapters/chapters';
import { taskNamed } from '../../src/core/course/tasks/tasks';
import { cli, inFolder, jsonOf, WITHOUT_TOOLS, type Ran } from './cli';

interface Listed {
  readonly id: string;
  readonly prediction: boolean | null;
  readonly tasks: readonly { readonly passed: boolean }[];
  readonly finished: boolean;
}

const solved = (id: string, fileName: string): string => {
  const task = taskNamed(id)!;
  return filledFile(task, fileName, task.solution);
};

const inCourse = (
  use: (run: (...args: readonly string[]) => Promise<Ran>, folder: string) => Promise<void>,
): Promise<void> =>
  inFolder(folder => use((...args) => cli(['learn', ...args], '', { cwd: folder }), folder));

describe('learn', () => {
  it('lists all chapters, and names the next one', () =>
    inCourse(async run => {
      const ran = await run('--json');
      assert.equal(ran.code, 0);
      const listed = jsonOf(ran) as readonly Listed[];
      assert.equal(listed.length, courseChapters().length);
      assert.ok(listed.every(({ finished, prediction }) => !finished && prediction === null));
      assert.match((await run()).stdout, /Next: gemm-explorer learn start 1/);
    }));

  it('writes a chapter, checks its tasks, and keeps the progress', () =>
    inCourse(async (run, folder) => {
      assert.equal((await run('start', 'loops')).code, 0);
      const course = path.join(folder, 'gemm-course');
      assert.deepEqual(readdirSync(course).sort(), ['01-loop-order.loops', '01-loops.md']);
      const file = path.join(course, '01-loop-order.loops');

      const stub = await run('check', file);
      assert.equal(stub.code, 1);
      assert.match(stub.stdout, /:8: not passed\nA hole is still empty/);

      writeFileSync(file, solved('01-loop-order', '01-loop-order.loops'));
      const passed = await run('check', file, '--json');
      assert.equal(passed.code, 0);
      assert.equal((jsonOf(passed) as { passed: boolean }).passed, true);

      assert.equal((await run('answer', 'loops', 'a')).code, 1);
      assert.equal((await run('answer', 'loops', 'b')).code, 0);
      const [first] = jsonOf(await run('--json')) as readonly Listed[];
      assert.deepEqual([first?.prediction, first?.finished], [false, true], 'the first answer');
      assert.match((await run()).stdout, /✓ 1 .*1 of 1[\s\S]*learn start 2/);
    }));

  it('refuses to benchmark a chapter without a step, and names the chapters with one', () =>
    inCourse(async run => {
      const ran = await run('measure', 'loops');
      assert.equal(ran.code, 2);
      assert.match(
        ran.stderr,
        /Chapter 1 compares no kernels\. Fix: choose one of the chapters 5, 6/,
      );
    }));

  it('benchmarks no step and writes no run without CUDA', () =>
    inFolder(async folder => {
      const options = { cwd: folder, env: WITHOUT_TOOLS };
      const ran = await cli(['learn', 'measure', 'coalescing'], '', options);
      assert.equal(ran.code, 3);
      assert.ok(!existsSync(path.join(folder, '.gemm')));
    }));

  it('keeps an edited task file, unless --force is given', () =>
    inCourse(async (run, folder) => {
      await run('start', 'grid', '--out', 'mine');
      const file = path.join(folder, 'mine', '05-row-and-column.cu');
      const edited = solved('05-row-and-column', '05-row-and-column.cu');
      writeFileSync(file, edited);
      const again = await run('start', 'grid', '--out', 'mine');
      assert.match(again.stdout, /kept +.*05-row-and-column\.cu/);
      assert.equal(readFileSync(file, 'utf8'), edited);
      await run('start', 'grid', '--out', 'mine', '--force');
      assert.notEqual(readFileSync(file, 'utf8'), edited);
    }));

  it('passes a solution without a C++ compiler, and exits with 3 for an unknown answer', () =>
    inFolder(async folder => {
      const file = path.join(folder, '11-barriers.cu');
      const check = () => cli(['learn', 'check', file], '', { cwd: folder, env: WITHOUT_TOOLS });
      writeFileSync(file, solved('11-barriers', '11-barriers.cu'));
      assert.equal((await check()).code, 0);
      const task = taskNamed('11-barriers')!;
      const answers = ['__syncthreads(); // all', '__syncthreads();'];
      writeFileSync(file, filledFile(task, '11-barriers.cu', answers));
      const ran = await check();
      assert.equal(ran.code, 3);
      assert.match(
        ran.stdout,
        /requires a C\+\+ compiler \(g\+\+ or clang\+\+\).*11-barriers\.wgsl/,
      );
      assert.match(ran.stderr, /No g\+\+/);
    }));

  it('refuses other files, actions, chapters and letters with 2', () =>
    inCourse(async (run, folder) => {
      writeFileSync(path.join(folder, 'other.cu'), '');
      writeFileSync(path.join(folder, '01-loop-order.loops'), 'i\0');
      mkdirSync(path.join(folder, '02-tiled-loops.loops'));
      for (const [args, reason] of [
        [['check', 'other.cu'], /not a task file/],
        [['check', '03-tile-size.loops'], /Cannot read/],
        [['check', '02-tiled-loops.loops'], /Cannot read/],
        [['check'], /Missing task file/],
        [['begin'], /Unknown action "begin"/],
        [['show', '99'], /Unknown chapter "99"/],
        [['answer', 'loops', 'z'], /letter of an option: a, b, c, d/],
      ] as const) {
        const ran = await run(...args);
        assert.equal(ran.code, 2, args.join(' '));
        assert.match(ran.stderr, reason);
      }
      const binary = await run('check', '01-loop-order.loops');
      assert.equal(binary.code, 2);
      assert.match(binary.stdout, /binary data/);
    }));

  it('reports a damaged progress file, and keeps its content', () =>
    inCourse(async (run, folder) => {
      const stored = path.join(folder, '.gemm');
      mkdirSync(stored);
      writeFileSync(path.join(stored, 'course.json'), '{"version":1,"tasks":"all"}');
      const listed = await run();
      assert.equal(listed.code, 0);
      const file = path.join(stored, 'course.json');
      assert.ok(listed.stderr.includes(`'${file}' is damaged: tasks: `), listed.stderr);
      assert.match(listed.stderr, /Fix: correct the file\. .* keeps its content in/);
      assert.equal(existsSync(path.join(stored, 'course.damaged-1.json')), false, 'only read');
      await run('answer', 'loops', 'b');
      const kept = readFileSync(path.join(stored, 'course.damaged-1.json'), 'utf8');
      assert.equal(kept, '{"version":1,"tasks":"all"}');
      assert.match(readFileSync(path.join(stored, 'course.json'), 'utf8'), /"correct": true/);
    }));

  it('reports progress that is not UTF-8 text, and leaves the file unchanged', () =>
    inCourse(async (run, folder) => {
      const stored = path.join(folder, '.gemm');
      mkdirSync(stored);
      const bytes = Buffer.from([0x7b, 0xff, 0xfe]);
      writeFileSync(path.join(stored, 'course.json'), bytes);
      for (const args of [[], ['answer', 'loops', 'b']] as const) {
        const ran = await run(...args);
        assert.equal(ran.code, 0);
        assert.match(
          ran.stderr,
          /course\.json' cannot be read: it is not UTF-8 text\. .*Fix: move/,
        );
      }
      assert.deepEqual(readdirSync(stored), ['course.json']);
      assert.deepEqual(readFileSync(path.join(stored, 'course.json')), bytes);
    }));

  it('names the mistake of an incorrect option', () =>
    inCourse(async run => {
      const ran = await run('answer', 'coalescing', 'd');
      assert.equal(ran.code, 1);
      assert.match(ran.stdout, /The answer is b\) 32\nThis is the number of bytes\.\n1\. Lanes/);
    }));

  it('shows a chapter as Markdown', () =>
    inCourse(async run => {
      const ran = await run('show', '14');
      assert.equal(ran.code, 0);
      assert.match(ran.stdout, /^# 14\. TMA, mbarriers and the ring/);
      assert.match(ran.stdout, /phase \^ 1/);
    }));
});
