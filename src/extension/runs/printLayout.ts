/** *Print layout*: evaluates a CuTe layout expression and shows its offsets as a colored grid. */
import { t } from '@vscode/l10n';
import { ExpressionError } from '../../core/layout/tokens';
import { reportOf } from '../../core/layout/print';
import { chartTheme } from '../display/chartTheme';
import { showInputBox } from '../display/picks';
import type { ShowText } from './ladder';
import { layoutMarkdown } from './layoutPage';

export async function printLayout(show: ShowText): Promise<void> {
  const expression = await showInputBox({
    title: t('GEMM: print layout'),
    prompt: t('Enter a layout as shape:stride, an operation such as compose, or CuTe C++ source'),
    value: 'tile((8,8):(1,8), (4,4))',
    validateInput: complaint,
  });
  if (expression === undefined) return;
  await show(`${t('Layout')}.md`, layoutMarkdown(expression, chartTheme()));
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
