/** All chapters of the course, in order. Built on first use, because they contain specs. */
import type { Chapter } from '../chapter';
import { choiceChapters } from './choices';
import { loopChapters } from './loops';
import { memoryChapters } from './memory';
import { pipelineChapters } from './pipelines';
import { tensorChapters } from './tensorCores';
import { tileChapters } from './tiles';

let built: readonly Chapter[] | undefined;

export const courseChapters = (): readonly Chapter[] =>
  (built ??= [
    ...loopChapters(),
    ...memoryChapters(),
    ...tileChapters(),
    ...pipelineChapters(),
    ...tensorChapters(),
    ...choiceChapters(),
  ]);

/** Returns a chapter by its number, counted from 1, or by its id. */
export const chapterNamed = (name: string): Chapter | undefined =>
  courseChapters().find(({ id }, i) => id === name || String(i + 1) === name);

export const chapterOfTask = (id: string): Chapter | undefined =>
  courseChapters().find(({ tasks }) => tasks.includes(id));
