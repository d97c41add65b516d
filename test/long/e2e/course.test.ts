/** The whole course in VS Code by keyboard, and the course in Restricted Mode. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { courseChapters } from '../../../src/core/course/chapters/chapters';
import { filledFile, stubOf } from '../../../src/core/course/check';
import { COURSE_FOLDER } from '../../../src/core/course/files';
import { courseTasks } from '../../../src/core/course/tasks/tasks';
import { openFile, runCommand, waitForNotification } from '../../../scripts/vscodeHost';
import { openChapter, PLAIN_TYPING, progressOf, takeChapter } from '../../e2e/courseSteps';
import { eventually, openVscode } from '../../e2e/session';

describe('the whole course in VS Code', () => {
  const session = openVscode({ settings: PLAIN_TYPING, width: 1500, height: 1000 });

  for (const chapter of courseChapters())
    it(`takes chapter ${chapter.id} by keyboard`, async () => {
      await takeChapter(session().page, chapter);
    }).timeout(300_000);

  it('ends with all tasks passed and all questions answered', async () => {
    const { tasks, predictions } = await progressOf(session().workspace);
    assert.deepEqual(
      tasks.toSorted(),
      courseTasks().map(({ id }) => id),
    );
    assert.ok(Object.values(predictions).every(({ correct }) => correct));
    assert.equal(Object.keys(predictions).length, courseChapters().length);
  });
});

describe('tasks of the course in the Test Explorer', () => {
  const [task] = courseTasks();
  const file = '01-loop-order.loops';
  const session = openVscode({
    files: {
      [file]: filledFile(task!, file, task!.solution),
      '02-tiled-loops.loops': stubOf(courseTasks()[1]!, '02-tiled-loops.loops'),
    },
  });

  it('pass or fail with the message of the check', async () => {
    const { page, workspace } = session();
    await runCommand(page, 'Testing: Focus on Test Explorer View');
    const rows = page.locator('.test-explorer .monaco-list-row');
    await rows.filter({ hasText: file }).waitFor();
    await openFile(page, file);
    await runCommand(page, 'Test: Run Tests in Current File');
    const stored = join(workspace, '.gemm', 'course.json');
    await eventually(
      () => Promise.resolve(existsSync(stored)),
      exists => exists,
      'the progress is stored',
    );
    assert.deepEqual((await progressOf(workspace)).tasks, ['01-loop-order']);
    await openFile(page, '02-tiled-loops.loops');
    await runCommand(page, 'Test: Run Tests in Current File');
    await page
      .locator('.monaco-list-row')
      .filter({ hasText: 'A hole is still empty' })
      .first()
      .waitFor();
  });
});

describe('the course in Restricted Mode', () => {
  const session = openVscode({ trust: 'restricted', settings: PLAIN_TYPING });

  it('shows a chapter, writes no file, and states why', async () => {
    const { page, workspace } = session();
    const [chapter] = courseChapters();
    await openChapter(page, chapter!);
    await waitForNotification(page, 'Restricted Mode does not write files');
    assert.equal(existsSync(join(workspace, COURSE_FOLDER)), false);
  });
});
