/** Texts and JSON values of the course for `learn`. */
import type { Chapter } from '../core/course/chapter';
import { courseChapters } from '../core/course/chapters/chapters';
import { isFinished, numberOf, tasksOf } from '../core/course/chapterMarkdown';
import { explanationOf } from '../core/course/prediction';
import type { Progress } from '../core/course/progress';
import type { TaskCheck } from '../core/course/outcome';
import { EXIT, type ExitCode } from './result';
import { table } from './table';

export interface ListedChapter {
  readonly number: number;
  readonly id: string;
  readonly title: string;
  /** Whether the prediction was correct; null before it was answered. */
  readonly prediction: boolean | null;
  readonly tasks: readonly { readonly id: string; readonly passed: boolean }[];
  readonly finished: boolean;
}

export const listedChapters = (progress: Progress): readonly ListedChapter[] =>
  courseChapters().map(chapter => ({
    number: numberOf(chapter),
    id: chapter.id,
    title: chapter.title,
    prediction: progress.predictions[chapter.id]?.correct ?? null,
    tasks: tasksOf(chapter).map(({ id }) => ({ id, passed: progress.tasks.includes(id) })),
    finished: isFinished(chapter, progress),
  }));

export function listText(progress: Progress): string {
  const chapters = listedChapters(progress);
  const next = chapters.find(({ finished }) => !finished);
  const predicted = { true: 'correct', false: 'answered', null: '-' };
  return [
    table([
      ['', 'chapter', 'prediction', 'tasks', 'id'],
      ...chapters.map(({ number, title, prediction, tasks, finished, id }) => [
        `${finished ? '✓' : ' '} ${number}`,
        title,
        predicted[`${prediction}`],
        `${tasks.filter(({ passed }) => passed).length} of ${tasks.length}`,
        id,
      ]),
    ]),
    '',
    next === undefined
      ? 'All chapters are finished.'
      : `Next: gemm-explorer learn start ${next.number}`,
  ].join('\n');
}

export const EXIT_OF_CHECK: Readonly<Record<TaskCheck['status'], ExitCode>> = {
  passed: EXIT.yes,
  failed: EXIT.no,
  unusable: EXIT.unusable,
  missing: EXIT.lacking,
};

export const checkText = (name: string, { status, message, detail, line }: TaskCheck): string =>
  [
    `${name}${line === undefined ? '' : `:${line}`}: ${status === 'passed' ? 'passed' : 'not passed'}`,
    message,
    ...detail.map(text => `  ${text}`),
  ].join('\n');

export function answerText(chapter: Chapter, answer: number): string {
  const prediction = chapter.prediction();
  const { options, correct } = prediction;
  const letter = (index: number): string => String.fromCharCode(97 + index);
  return [
    answer === correct
      ? `Correct: ${letter(correct)}) ${options[correct] ?? ''}`
      : `Not correct. The answer is ${letter(correct)}) ${options[correct] ?? ''}`,
    ...explanationOf(prediction, answer),
  ].join('\n');
}
