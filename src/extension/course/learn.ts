/** *Learn*: choice of a chapter and of its steps, usable by keyboard alone. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { askedSentence, type Chapter } from '../../core/course/chapter';
import { chapterFileName, isFinished, numberOf, tasksOf } from '../../core/course/chapterMarkdown';
import { courseChapters } from '../../core/course/chapters/chapters';
import { chapterSpec, COURSE_FOLDER } from '../../core/course/files';
import { explanationOf } from '../../core/course/prediction';
import { withPrediction, type Progress } from '../../core/course/progress';
import { fileNamesOf } from '../../core/course/task';
import { icons, type IconText } from '../display/iconLabel';
import { askWithInformation, showInformationMessage } from '../display/notify';
import { pickAndAct, type PickItem } from '../display/picks';
import { COMMANDS } from '../ids';
import { refreshChapter, showChapter, whyNotWritten, type ChapterParts } from './chapterFile';
import { courseRoot } from './progressStore';

const titled = (chapter: Chapter): string => `${numberOf(chapter)}. ${chapter.title}`;

const checkMark = (isDone: boolean, text: string): IconText =>
  isDone ? icons`$(check) ${text}` : icons`$(circle-large-outline) ${text}`;

/** Chapter that was opened last in this window. */
export interface Current {
  chapter: Chapter | undefined;
}

export interface LearnParts extends ChapterParts {
  readonly current: Current;
}

/** Offers the steps of the open chapter, or else the chapters. */
export async function learn(parts: LearnParts): Promise<void> {
  const { chapter } = parts.current;
  if (chapter === undefined) await chooseChapter(parts);
  else await offerSteps(chapter, parts);
}

async function chooseChapter(parts: LearnParts): Promise<void> {
  await pickAndAct(
    parts.progress.read().then(chapterItems),
    { title: t('GEMM: Learn'), placeHolder: t('Choose a chapter'), matchOnDetail: true },
    picked => openChapter(picked.chapter, parts),
  );
}

function chapterItems(progress: Progress) {
  const chapters = courseChapters();
  const next = chapters.find(chapter => !isFinished(chapter, progress));
  const item = (chapter: Chapter) => ({
    label: checkMark(isFinished(chapter, progress), titled(chapter)),
    description: countText(chapter, progress),
    detail: chapter.idea,
    chapter,
  });
  return [
    ...(next === undefined
      ? []
      : [{ ...item(next), label: t('Continue: {0}', titled(next)), alwaysShow: true }]),
    ...chapters.map(item),
  ];
}

const countText = ({ tasks }: Chapter, { tasks: passed }: Progress): string =>
  t('Tasks passed: {0} of {1}', tasks.filter(id => passed.includes(id)).length, tasks.length);

type Action = PickItem & { readonly act: () => Promise<unknown> };

/**
 * Shows a chapter. The steps are offered by a notification and by *Learn*, because a prompt would
 * cover the text.
 */
export async function openChapter(chapter: Chapter, parts: LearnParts): Promise<void> {
  parts.current.chapter = chapter;
  await showChapter(chapter, parts);
  const isWritten = courseRoot() !== undefined;
  const steps = isWritten ? t('Question and tasks') : t('Question');
  const text = isWritten
    ? t('Read the chapter “{0}”. Then answer its question and solve its tasks.', chapter.title)
    : t('Read the chapter “{0}”. Then answer its question. {1}', chapter.title, whyNotWritten());
  void showInformationMessage(text, steps).then(picked =>
    picked === steps ? offerSteps(chapter, parts) : undefined,
  );
}

async function offerSteps(chapter: Chapter, parts: LearnParts): Promise<void> {
  await pickAndAct(
    parts.progress.read().then(progress => actionsOf(chapter, progress, parts)),
    {
      title: titled(chapter),
      placeHolder: t('Choose a step of the chapter'),
      matchOnDescription: true,
    },
    picked => picked.act(),
  );
}

function actionsOf(chapter: Chapter, progress: Progress, parts: LearnParts): readonly Action[] {
  const root = courseRoot();
  const file = (name: string): vscode.Uri | undefined =>
    root === undefined ? undefined : vscode.Uri.joinPath(root, COURSE_FOLDER, name);
  const following = courseChapters()[numberOf(chapter)];
  const kernel = file(chapterFileName(chapter).replace(/\.md$/, '-kernel.gemm.json'));
  return [
    {
      label: checkMark(Object.hasOwn(progress.predictions, chapter.id), t('Answer the question')),
      detail: askedSentence(chapter.prediction()),
      act: () => predict(chapter, parts),
    },
    ...tasksOf(chapter).flatMap(task =>
      fileNamesOf(task).flatMap(name => {
        const uri = file(name);
        if (uri === undefined) return [];
        return [
          {
            label: checkMark(progress.tasks.includes(task.id), t('Task: {0}', task.title)),
            description: name,
            act: async () => {
              await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Two });
            },
          },
        ];
      }),
    ),
    ...(kernel === undefined || chapterSpec(chapter) === null
      ? []
      : [
          {
            label: icons`$(graph) ${t('Open the kernel in the explorer')}`,
            act: async () => {
              await vscode.commands.executeCommand(COMMANDS.openExplorer, {
                uri: kernel.toString(),
              });
            },
          },
        ]),
    ...(following === undefined
      ? []
      : [
          {
            label: icons`$(arrow-right) ${t('Next chapter: {0}', titled(following))}`,
            act: () => openChapter(following, parts),
          },
        ]),
    { label: icons`$(list-unordered) ${t('All chapters')}`, act: () => chooseChapter(parts) },
  ];
}

/** Prompts for the answer to the question, then shows the derivation. */
async function predict(chapter: Chapter, parts: LearnParts): Promise<void> {
  const prediction = chapter.prediction();
  const { question, options, correct } = prediction;
  await pickAndAct(
    Promise.resolve(options.map((label, index) => ({ label, index }))),
    { title: titled(chapter), placeHolder: askedSentence({ question }) },
    async ({ index }) => {
      const isCorrect = index === correct;
      await parts.progress.change(known => withPrediction(known, chapter.id, index, isCorrect));
      // The open preview follows its file.
      await refreshChapter(chapter, parts);
      const verdict = isCorrect
        ? t('Correct: {0}', options[correct] ?? '')
        : t('Not correct. The answer is {0}.', options[correct] ?? '');
      const explanation = [question, '', ...explanationOf(prediction, index)].join('\n');
      await askWithInformation(verdict, explanation, t('Continue'));
    },
  );
  await offerSteps(chapter, parts);
}
