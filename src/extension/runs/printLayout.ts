/** *Print layout*: evaluates a CuTe layout expression and shows the result as a table. */
import { t } from '@vscode/l10n';
import { codeBlock, codeSpan, markup } from '../../core/text/markdown';
import { ExpressionError } from '../../core/layout/parse';
import { reportOf, reportText } from '../../core/layout/print';
import { showInputBox } from '../display/picks';
import type { ShowText } from './ladder';

export async function printLayout(show: ShowText): Promise<void> {
  const expression = await showInputBox({
    title: t('GEMM: print layout'),
    prompt: t('Enter a layout as shape:stride, or an operation such as compose, tile or divide'),
    value: 'tile((8,8):(1,8), (4,4))',
    validateInput: complaint,
  });
  if (expression === undefined) return;
  const text = markup`# ${codeSpan(expression)}\n\n${codeBlock(reportText(reportOf(expression)))}\n`;
  await show(`${t('Layout')}.md`, text);
}

function complaint(expression: string): string | undefined {
  try {
    reportOf(expression);
    return undefined;
  } catch (error) {
    if (error instanceof ExpressionError) {
      return t('Column {0}: {1}', error.span.start + 1, error.message);
    }
    throw error;
  }
}
