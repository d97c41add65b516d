/** All tasks of the course, in order. Built on first use, because statements contain numbers. */
import { fileNamesOf, type Task } from '../task';
import { bankTasks } from './banks';
import { choiceTasks } from './choices';
import { loopTasks } from './loops';
import { pipelineTasks } from './pipelines';
import { tensorTasks } from './tensorCores';
import { sharedTasks } from './shared';
import { threadTasks } from './threads';
import { tileTasks } from './tiles';

let built: readonly Task[] | undefined;

export const courseTasks = (): readonly Task[] =>
  (built ??= [
    ...loopTasks(),
    ...threadTasks(),
    ...sharedTasks(),
    ...tileTasks(),
    ...bankTasks(),
    ...pipelineTasks(),
    ...tensorTasks(),
    ...choiceTasks(),
  ].toSorted((one, other) => (one.id < other.id ? -1 : 1)));

export const taskNamed = (id: string): Task | undefined =>
  courseTasks().find(task => task.id === id);

/** Returns the task of a file by its name, without folders; undefined if there is none. */
export const taskOfFile = (fileName: string): Task | undefined =>
  courseTasks().find(task => fileNamesOf(task).includes(fileName));
