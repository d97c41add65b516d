/** Files of a chapter: its Markdown, its specs and its tasks. */
import { hashLine } from '../kernel/file/fileHead';
import { toSpec } from '../spec/toSpec';
import { resolve } from '../defaults/resolve';
import type { GemmSpec } from '../spec/schema';
import type { Chapter } from './chapter';
import { chapterFileName, chapterMarkdown, tasksOf, type ChapterView } from './chapterMarkdown';
import { stubOf } from './check';
import { specOfStep } from './gain';
import { fileNamesOf } from './task';

/** Folder of the course in a workspace. */
export const COURSE_FOLDER = 'gemm-course';

export interface CourseFile {
  readonly name: string;
  readonly text: string;
}

/** Returns the spec of a chapter for the explorer; null for chapters on loop nests. */
export const chapterSpec = ({ after }: Chapter): GemmSpec | null =>
  'spec' in after ? after.spec : null;

/** Returns all files of a chapter. */
export const chapterFiles = (chapter: Chapter, view: ChapterView): readonly CourseFile[] => [
  { name: chapterFileName(chapter), text: owned(chapterMarkdown(chapter, view)) },
  ...specFiles(chapter),
  ...tasksOf(chapter).flatMap(task =>
    fileNamesOf(task).map(name => ({ name, text: stubOf(task, name) })),
  ),
];

/** Specs of the chapter: the kernel at the teaching size, and the two kernels of its step. */
function specFiles(chapter: Chapter): readonly CourseFile[] {
  const stem = chapterFileName(chapter).replace(/\.md$/, '');
  const small = chapterSpec(chapter);
  const { step } = chapter;
  const file = (part: string, spec: GemmSpec): CourseFile => ({
    name: `${stem}-${part}.gemm.json`,
    text: `${JSON.stringify(toSpec(resolve(spec)), null, 2)}\n`,
  });
  return [
    ...(small === null ? [] : [file('kernel', small)]),
    ...(step === undefined
      ? []
      : [
          file('before', specOfStep(step.before, step)),
          file('after', specOfStep(step.after, step)),
        ]),
  ];
}

/** Adds a hash, so that an unchanged Markdown file can be replaced by a newer one. */
function owned(text: string): string {
  const [start, end] = [`${text}\n<!--\n`, '-->\n'];
  return start + hashLine(start + end) + end;
}
