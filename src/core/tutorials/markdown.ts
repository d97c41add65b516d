/** Renders the report of a tutorial as Markdown. */
import { hashLine } from '../kernel/file/fileHead';
import { codeBlock, joined, markup, sourceOf, table, type Markdown } from '../text/markdown';
import type { TutorialReport } from './report';
import { reportTables, summarySentences } from './tables';

/** @param notes sentences about the report, such as the reason why no kernel was run */
export function tutorialMarkdown(report: TutorialReport, notes: readonly string[] = []): Markdown {
  const { title, reproduces, listings } = report;
  const tables = reportTables(report).flatMap(({ title: of, head, rows }) => [
    markup`## ${of}`,
    '',
    table(head, rows),
    '',
  ]);
  const nests = listings.flatMap(({ title: of, text }) => [
    markup`## ${of}`,
    '',
    codeBlock(text),
    '',
  ]);
  return joined(
    [
      markup`# ${title}`,
      '',
      `${reproduces}.`,
      '',
      [...notes, ...summarySentences(report)].join(' '),
      '',
      ...tables,
      ...nests,
    ],
    '\n',
  );
}

/**
 * Returns the file of a report. Its hash line, in a comment, marks an unedited file, which a later
 * report may replace.
 */
export function reportFile(report: TutorialReport): string {
  const [text, open, close] = [sourceOf(tutorialMarkdown(report)), '<!--\n', '-->\n'];
  return `${text}${open}${hashLine(text + open + close)}${close}`;
}
