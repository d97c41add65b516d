/** The course in VS Code by keyboard: a chapter, its question, a failed and a passed task. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { tasksOf } from '../../src/core/course/chapterMarkdown';
import { chapterNamed } from '../../src/core/course/chapters/chapters';
import { stubOf } from '../../src/core/course/check';
import { waitForLens, waitForNotification } from '../../scripts/vscodeHost';
import {
  answer,
  clearNotifications,
  command,
  courseFile,
  openChapter,
  openTask,
  PLAIN_TYPING,
  progressOf,
  solve,
} from './courseSteps';
import { openVscode } from './session';

describe('the course in VS Code', () => {
  const session = openVscode({ settings: PLAIN_TYPING, width: 1500, height: 1000 });
  const chapter = chapterNamed('loops')!;
  const [task] = tasksOf(chapter);

  it('shows a chapter, writes its files, and explains the answer to its question', async () => {
    const { page, workspace, picture } = session();
    await openChapter(page, chapter);
    await picture('course chapter');
    const written = await readFile(courseFile(workspace, '01-loop-order.loops'), 'utf8');
    assert.equal(written, stubOf(task!, '01-loop-order.loops'));
    await answer(page, chapter, chapter.prediction().correct);
    assert.deepEqual((await progressOf(workspace)).predictions, {
      loops: { answer: chapter.prediction().correct, correct: true },
    });
  });

  it('names the empty hole of a task, then passes the solution', async () => {
    const { page, workspace, picture } = session();
    await openTask(page, task!);
    await waitForLens(page, 'Check task');
    await command(page, 'GEMM: Check task');
    await waitForNotification(page, 'A hole is still empty');
    await picture('course task');
    await clearNotifications(page);
    await solve(page, task!);
    assert.deepEqual((await progressOf(workspace)).tasks, ['01-loop-order']);
  });
});
