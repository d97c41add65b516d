/** Checks the file of a task. Never throws because of the content of the file. */
import { checkKernel, type RunKernel } from './checkKernel';
import { checkNest, nestFile } from './checkNest';
import { checkSpec, filledSpec, specFile } from './checkSpec';
import { filledSource, taskSource } from './kernelText';
import { outcome, type TaskCheck } from './outcome';
import { fileNamesOf, HOLE, targetOf, type Task } from './task';
import { filledTemplate } from './template';

/** Maximum size of a task file, far above the size of any solution. */
export const MAX_TASK_CHARACTERS = 100_000;

export interface CheckOptions {
  /** Name of the file; by default the main file of the task. */
  readonly fileName?: string;
  /** Runs kernels of kernel tasks. */
  readonly run?: RunKernel;
}

export async function checkTask(
  task: Task,
  text: string,
  { fileName = fileNamesOf(task)[0] ?? '', run }: CheckOptions = {},
): Promise<TaskCheck> {
  if (text.length > MAX_TASK_CHARACTERS)
    return outcome(
      'unusable',
      `The file has ${text.length} characters; a task file has at most ${MAX_TASK_CHARACTERS}. Fix: write the task file again.`,
    );
  if (text.includes('\0'))
    return outcome(
      'unusable',
      'The file contains binary data. Fix: write the task file again with learn start.',
    );
  switch (task.kind) {
    case 'nest':
      return checkNest(task, text);
    case 'spec':
      return await checkSpec(task, text);
    case 'kernel':
      return await checkKernel(task, text, { fileName, ...(run === undefined ? {} : { run }) });
  }
}

/** Returns the content of a file of a task, with its holes. */
export function stubOf(task: Task, fileName: string): string {
  switch (task.kind) {
    case 'nest':
      return nestFile(task);
    case 'spec':
      return specFile(task);
    case 'kernel':
      return taskSource(task, targetOf(fileName));
  }
}

/** Returns a file of a task with one answer per hole. */
export function filledFile(task: Task, fileName: string, answers: readonly string[]): string {
  switch (task.kind) {
    case 'nest':
      return filledTemplate(nestFile(task), HOLE, answers);
    case 'spec':
      return filledSpec(task, answers);
    case 'kernel':
      return filledSource(task, targetOf(fileName), answers);
  }
}
