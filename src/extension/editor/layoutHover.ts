/** Hover for a thread layout in a spec: shape, size, cosize, and the thread at each position. */
import { t } from '@vscode/l10n';
import { codeBlock, markup, type Markdown } from '../../core/text/markdown';
import { reportOf, reportText } from '../../core/layout/print';
import { parseThreadLayout } from '../../core/plan/threadLayout';

/** Row and column modes of each operand, named as in CuTe. */
const SIDES = { a: ['M', 'K'], b: ['N', 'K'], c: ['M', 'N'] } as const;

/**
 * @param path path of the value, such as `schedule.threadLayout.a`
 * @param json value as written in the file
 * @returns undefined for other paths and for invalid layouts
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
