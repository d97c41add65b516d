/**
 * `regress COMMIT [COMMIT]`: compares the recorded runs of two commits. The report is a table, JSON
 * or Markdown for a pull request.
 */
import {
  REGRESS_HEAD,
  regressCells,
  regressMarkdown,
  regressSummary,
} from '../../core/measure/regressText';
import type { RegressReport } from '../../core/measure/regress';
import { sourceOf } from '../../core/text/markdown';
import { regressCommits } from '../../host/regress';
import { messageOf } from '../../host/text';
import { writeUserFile } from '../../host/userFile';
import { command } from '../command';
import { DEFAULT_SLOWDOWN, slowdownIn } from '../gate';
import { EXIT, interrupted, invalidInput, missingPrerequisite, type ExitCode } from '../result';
import { table } from '../table';

/** Maximum number of notes about unused lines. */
const MAX_NOTES = 20;

export const regressCommand = command({
  name: 'regress',
  description: 'Compare the recorded runs of two commits, for pull requests and CI',
  args: {
    before: {
      type: 'positional',
      valueHint: 'COMMIT',
      required: true,
      description: 'Commit, branch or tag to compare with',
    },
    after: {
      type: 'positional',
      valueHint: 'COMMIT',
      required: false,
      description: 'Commit, branch or tag to check; default: the files of the work tree',
    },
    'max-slowdown': {
      type: 'string',
      valueHint: 'PERCENT',
      description: `Maximum slowdown that passes; default ${DEFAULT_SLOWDOWN}`,
    },
    md: {
      type: 'string',
      valueHint: 'FILE',
      description: 'Write the report as Markdown to this file; - for standard output',
    },
    root: {
      type: 'string',
      valueHint: 'DIR',
      description: 'Folder in the repository; default: the current folder',
    },
  },
  run: async (options, { abort, note }) => {
    const maxSlowdownPercent = slowdownIn(options['max-slowdown'] ?? DEFAULT_SLOWDOWN);
    const found = await regressCommits(
      {
        folder: options.root ?? process.cwd(),
        before: options.before,
        after: options.after,
        maxSlowdownPercent,
      },
      { signal: abort },
    );
    if (abort.aborted) throw interrupted();
    if (!found.ok)
      throw found.lacking === true ? missingPrerequisite(found.why) : invalidInput(found.why);
    const { report, notes } = found;
    for (const text of notes.slice(0, MAX_NOTES)) note(text);
    if (notes.length > MAX_NOTES) note(`${notes.length - MAX_NOTES} more notes.`);
    const markdown = sourceOf(regressMarkdown(report));
    if (options.md !== undefined && options.md !== '-') await write(options.md, markdown);
    const text = options.md === '-' ? markdown : describe(report);
    return { exit: exitOf(report), json: report, text };
  },
});

async function write(file: string, text: string): Promise<void> {
  try {
    await writeUserFile(file, text);
  } catch (error) {
    throw invalidInput(`--md: ${file} could not be written: ${messageOf(error)}`);
  }
}

const describe = (report: RegressReport): string =>
  [table([REGRESS_HEAD, ...report.rows.map(regressCells)]), '', regressSummary(report)].join('\n');

/** A failed or slower kernel is a negative result. Without a comparison, runs are missing. */
function exitOf({ counts, compared }: RegressReport): ExitCode {
  if (counts.failed + counts.slower > 0) return EXIT.no;
  return compared > 0 ? EXIT.yes : EXIT.lacking;
}
