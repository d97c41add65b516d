/** What a hover says of a thread layout in a spec: its sides, size and cosize, and which thread stands where. Pure. */
import { t } from '@vscode/l10n';
import { codeBlock, markup, type Markdown } from '../../core/text/markdown';
import { reportOf, reportText } from '../../core/layout/print';
import { parseThreadLayout } from '../../core/plan/threadLayout';

/** Rows and columns of a layout, as CuTe names the sides of each operand. */
const SIDES = { a: ['M', 'K'], b: ['N', 'K'], c: ['M', 'N'] } as const;

/**
 * @param path of the value, such as `schedule.threadLayout.a`
 * @param json the value as it stands in the file
 * @returns undefined where it is no thread layout; Problems says what is wrong with one
 */
export function layoutMarkdown(path: string, json: string): Markdown | undefined {
  const [, operand] = /^schedule\.threadLayout\.([abc])$/.exec(path) ?? [];
  const text = /^"([^"\\]*)"$/.exec(json)?.[1];
  if (operand === undefined || !isOperand(operand) || text === undefined) return undefined;
  if (parseThreadLayout(text) === null) return undefined;
  const [rows, columns] = SIDES[operand];
  const head = t(
    'Threads over the tile of {0}: rows along {1}, columns along {2}.',
    operand.toUpperCase(),
    rows,
    columns,
  );
  return markup`${head}\n\n${codeBlock(reportText(reportOf(text)))}\n`;
}

const isOperand = (text: string): text is keyof typeof SIDES => Object.hasOwn(SIDES, text);
