/**
 * `learn [ACTION] [NAME]`: the course. Lists the chapters with the progress of this folder, writes
 * the files of a chapter, checks a task file, evaluates a prediction, and benchmarks the step of a
 * chapter.
 */
import path from 'node:path';
import type { Chapter } from '../../core/course/chapter';
import { chapterMarkdown } from '../../core/course/chapterMarkdown';
import { chapterNamed, courseChapters } from '../../core/course/chapters/chapters';
import { checkTask } from '../../core/course/check';
import { chapterFiles, COURSE_FOLDER } from '../../core/course/files';
import { isFinished } from '../../core/course/chapterMarkdown';
import { withPrediction, withTask, type Progress } from '../../core/course/progress';
import { taskOfFile } from '../../core/course/tasks/tasks';
import { changeProgress, readProgress } from '../../host/courseProgress';
import { writeGenerated } from '../../host/files';
import { backendOf } from '../backends';
import { command, gpu, type Context } from '../command';
import { measureGain } from '../courseGain';
import { answerText, checkText, EXIT_OF_CHECK, listedChapters, listText } from '../course';
import { readText } from '../input';
import { SEED } from '../measure';
import { EXIT, invalidInput, type Problem, type Result } from '../result';
import { measurementsOf } from '../runHistory';

const ACTIONS = ['start', 'show', 'check', 'answer', 'measure'] as const;

export const learnCommand = command({
  name: 'learn',
  description: 'Course from three loops to wgmma: chapters, tasks with checks, and measured gains',
  args: {
    action: {
      type: 'positional',
      valueHint: 'ACTION',
      required: false,
      description:
        'start, show, check, answer or measure; without an action, the chapters are listed',
    },
    name: {
      type: 'positional',
      valueHint: 'CHAPTER|FILE',
      required: false,
      description: 'Number or id of a chapter; for check, a task file',
    },
    answer: {
      type: 'positional',
      valueHint: 'LETTER',
      required: false,
      description: 'For answer: the letter of the chosen option',
    },
    out: {
      type: 'string',
      valueHint: 'DIR',
      description: `For start: output folder; default ${COURSE_FOLDER}`,
    },
    force: {
      type: 'boolean',
      description: 'For start: overwrite edited files',
    },
    gpu: { ...gpu, description: 'For measure: GPU index, as listed by nvidia-smi' },
  },
  run: async (options, context) => {
    const { action, name, answer, out, force } = options;
    const root = process.cwd();
    const { progress, problem } = await readProgress(root);
    if (problem !== undefined) context.note(problem);
    switch (action) {
      case undefined:
        return { exit: EXIT.yes, json: listedChapters(progress), text: listText(progress) };
      case 'start':
        return await start(chosen(name, progress), { root, progress, out, force: force === true });
      case 'show':
        return await show(chosen(name, progress), root, progress);
      case 'check':
        return await checkFile(name, root, context);
      case 'answer':
        return await predict(chosen(name, progress), answer, root, context);
      case 'measure':
        return await measureGain(chosen(name, progress), { root, gpu: options.gpu }, context);
      default:
        throw invalidInput(`Unknown action "${action}". Actions: ${ACTIONS.join(', ')}.`);
    }
  },
});

/** Returns the named chapter, by default the first unfinished one. */
function chosen(name: string | undefined, progress: Progress): Chapter {
  const [first] = courseChapters();
  const found =
    name === undefined
      ? (courseChapters().find(chapter => !isFinished(chapter, progress)) ?? first)
      : chapterNamed(name);
  if (found !== undefined) return found;
  const ids = courseChapters().map(({ id }) => id);
  throw invalidInput(
    `Unknown chapter "${name ?? ''}". Chapters: 1 to ${ids.length}, or ${ids.join(', ')}.`,
  );
}

interface StartOptions {
  readonly root: string;
  readonly progress: Progress;
  readonly out: string | undefined;
  readonly force: boolean;
}

async function start(
  chapter: Chapter,
  { root, progress, out = COURSE_FOLDER, force }: StartOptions,
): Promise<Result> {
  const measurements = await measurementsOf(root);
  const folder = path.resolve(out);
  const written: string[] = [];
  const kept: string[] = [];
  const failed: Problem[] = [];
  for (const file of chapterFiles(chapter, { progress, measurements })) {
    const result = await writeGenerated({ root: folder, ...file, replace: force });
    if ('written' in result) written.push(result.written);
    else if ('failed' in result) failed.push({ path: result.path, message: result.failed });
    else kept.push(result.path);
  }
  if (failed.length > 0) throw invalidInput('Some files were not written:', failed);
  return {
    exit: EXIT.yes,
    json: { chapter: chapter.id, written, kept },
    text: [
      ...written.map(file => `written  ${file}`),
      ...kept.map(file => `kept     ${file} (changed after it was written; --force overwrites it)`),
      '',
      `Read ${path.join(out, path.basename(written[0] ?? kept[0] ?? ''))}, then fill the holes and run:`,
      '  gemm-explorer learn check FILE',
    ].join('\n'),
  };
}

async function show(chapter: Chapter, root: string, progress: Progress): Promise<Result> {
  const text = chapterMarkdown(chapter, { progress, measurements: await measurementsOf(root) });
  return { exit: EXIT.yes, json: { chapter: chapter.id, markdown: text }, text };
}

async function checkFile(
  file: string | undefined,
  root: string,
  { abort, note }: Context,
): Promise<Result> {
  if (file === undefined)
    throw invalidInput('Missing task file. Fix: gemm-explorer learn check FILE.');
  const fileName = path.basename(file);
  const task = taskOfFile(fileName);
  if (task === undefined)
    throw invalidInput(
      `${file} is not a task file. Fix: keep the name that learn start gave the file.`,
    );
  const backend = backendOf(fileName.endsWith('.wgsl') ? 'webgpu' : 'cpu');
  const text = await readText(file);
  const checked = await checkTask(task, text, {
    fileName,
    run: async runnable => {
      const here = await backend.probe();
      if (!here.available) {
        note(`${here.why} ${here.next}`);
        return null;
      }
      const request = { runnable, mode: 'verify', seed: SEED } as const;
      return await backend.run(request, { abort, progress: () => undefined });
    },
  });
  if (checked.passed) {
    const problem = await changeProgress(root, known => withTask(known, task.id));
    if (problem !== undefined) note(problem);
  }
  return {
    exit: EXIT_OF_CHECK[checked.status],
    json: { task: task.id, file, ...checked },
    text: checkText(file, checked),
  };
}

async function predict(
  chapter: Chapter,
  letter: string | undefined,
  root: string,
  { note }: Context,
): Promise<Result> {
  const { options, correct, derivation } = chapter.prediction();
  const letters = options.map((_, i) => String.fromCharCode(97 + i));
  const answer = letters.indexOf(letter?.toLowerCase() ?? '');
  if (answer === -1) throw invalidInput(`Expected the letter of an option: ${letters.join(', ')}.`);
  const isCorrect = answer === correct;
  const problem = await changeProgress(root, known =>
    withPrediction(known, chapter.id, answer, isCorrect),
  );
  if (problem !== undefined) note(problem);
  return {
    exit: isCorrect ? EXIT.yes : EXIT.no,
    json: { chapter: chapter.id, answer, correct, derivation },
    text: answerText(chapter, answer),
  };
}
