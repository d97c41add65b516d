/** A chapter as Markdown. */
import type { Measurement } from '../measure/measurement';
import type { Chapter } from './chapter';
import { courseChapters } from './chapters/chapters';
import { gainOf } from './gain';
import { mistakeOf } from './prediction';
import type { Progress } from './progress';
import { changeOf, codeOf, languageOf, shownCode } from './subject';
import { fileNamesOf, type Task } from './task';
import { taskNamed } from './tasks/tasks';

export interface ChapterView {
  readonly progress: Progress;
  readonly measurements?: readonly Measurement[];
}

export const numberOf = (chapter: Chapter): number => courseChapters().indexOf(chapter) + 1;

/** Name of the Markdown file of a chapter, such as `05-coalescing.md`. */
export const chapterFileName = (chapter: Chapter): string =>
  `${String(numberOf(chapter)).padStart(2, '0')}-${chapter.id}.md`;

export const tasksOf = (chapter: Chapter): readonly Task[] =>
  chapter.tasks.flatMap(id => taskNamed(id) ?? []);

export const isFinished = ({ id, tasks }: Chapter, progress: Progress): boolean =>
  Object.hasOwn(progress.predictions, id) && tasks.every(task => progress.tasks.includes(task));

/** Names, calls and elements whose characters would be Markdown. */
const CODE =
  /[\w.]*(?:\[[^\]\n]{1,60}\])+|[\w.]*_[\w.]*(?:<\w+>)?(?:\([^()\n]{0,60}\))?|\w+<\w+>\(\)|<<<[^>\n]{1,60}>>>/g;

/** Marks code in a sentence, so that its underscores and brackets are shown as they are. */
const prose = (text: string): string => text.replace(CODE, code => `\`${code}\``);

/** Joins sentences; an empty string starts a new paragraph. */
const paragraphsOf = (sentences: readonly string[]): readonly string[] =>
  sentences
    .map(text => (text === '' ? '\n' : text))
    .join(' ')
    .split(' \n ');

const fenced = (language: string, text: string): readonly string[] => [
  `\`\`\`${language}`,
  text,
  '```',
  '',
];

export function chapterMarkdown(chapter: Chapter, { progress, measurements }: ChapterView): string {
  const { title, idea, terms, why, look, checkpoint } = chapter;
  const gain = gainOf(chapter, measurements);
  const next = courseChapters()[numberOf(chapter)];
  return [
    `# ${numberOf(chapter)}. ${title}`,
    '',
    `**${prose(idea)}**`,
    '',
    '## Terms',
    '',
    ...terms.map(([term, definition]) => `- **${prose(term)}**: ${prose(definition)}.`),
    '',
    '## Why',
    '',
    ...paragraphsOf(why).flatMap(paragraph => [prose(paragraph), '']),
    ...codeSection(chapter),
    '## What to look at',
    '',
    ...look.map(line => `- ${prose(line)}`),
    '',
    ...(gain === null
      ? []
      : [
          '## Gain',
          '',
          [gain.text, ...(gain.measured === null ? [] : [gain.measured])].join(' '),
          '',
        ]),
    '## Prediction',
    '',
    ...predictionSection(chapter, progress),
    '## Tasks',
    '',
    ...tasksOf(chapter).flatMap(task => taskSection(task, progress.tasks.includes(task.id))),
    '## Checkpoint',
    '',
    prose(checkpoint),
    '',
    next === undefined
      ? 'This is the last chapter.'
      : `Next chapter: ${numberOf(next)}. ${next.title}.`,
    '',
  ].join('\n');
}

function codeSection(chapter: Chapter): readonly string[] {
  const { before, after } = chapter;
  const change = changeOf(chapter);
  if (change !== null) return ['## Changed lines', '', ...fenced('diff', change)];
  const isText = before !== undefined && languageOf(before) === 'text';
  return [
    '## Code',
    '',
    ...(isText ? ['Before:', '', ...fenced('text', codeOf(before)), 'After:', ''] : []),
    ...fenced(languageOf(after) === 'cuda' ? 'cpp' : 'text', shownCode(chapter)),
  ];
}

function predictionSection(chapter: Chapter, progress: Progress): readonly string[] {
  const prediction = chapter.prediction();
  const { question, options, correct, derivation } = prediction;
  const given = progress.predictions[chapter.id];
  const mistake = given === undefined ? null : mistakeOf(prediction, given.answer);
  const letter = (index: number): string => String.fromCharCode(97 + index);
  return [
    prose(question),
    '',
    ...options.map((option, i) => `- ${letter(i)}) ${prose(option)}`),
    '',
    ...(given === undefined
      ? [
          'Choose an option before you read on.',
          'Answer the question in GEMM: Learn of VS Code, or with the letter of the option in a terminal:',
          '',
          ...fenced('sh', `gemm-explorer learn answer ${numberOf(chapter)} LETTER`),
        ]
      : [
          `Your answer: ${letter(given.answer)}. Correct: ${letter(correct)}.`,
          '',
          ...(mistake === null ? [] : [prose(mistake), '']),
          ...derivation.map((line, i) => `${i + 1}. ${prose(line)}`),
          '',
        ]),
  ];
}

function taskSection(task: Task, isPassed: boolean): readonly string[] {
  const { title, statement, hints } = task;
  return [
    `### ${isPassed ? '☑' : '☐'} ${task.id.slice(0, 2)}. ${title}`,
    '',
    `Files: ${fileNamesOf(task)
      .map(name => `\`${name}\``)
      .join(', ')}`,
    '',
    ...statement.map(prose),
    '',
    '<details><summary>Hint 1</summary>',
    '',
    prose(hints[0]),
    '',
    '</details>',
    '<details><summary>Hint 2</summary>',
    '',
    prose(hints[1]),
    '',
    '</details>',
    '',
  ];
}
