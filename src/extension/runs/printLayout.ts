/** *Print layout*: evaluates a CuTe layout expression and shows its offsets as a colored grid. */
import { t } from '@vscode/l10n';
import type { ChartTheme } from '../../core/charts/chartSvg';
import { layoutSvg } from '../../core/charts/layoutPicture';
import { explainLayout } from '../../core/charts/layoutSteps';
import { previewUri } from '../../core/charts/rooflineThumbnail';
import { chartTheme } from '../display/chartTheme';
import {
  codeBlock,
  codeSpan,
  joined,
  markup,
  picture,
  type Markdown,
} from '../../core/text/markdown';
import { ExpressionError } from '../../core/layout/tokens';
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
  await show(`${t('Layout')}.md`, layoutMarkdown(expression, chartTheme()));
}

export function layoutMarkdown(expression: string, theme: ChartTheme): Markdown {
  const { report, steps } = explainLayout(expression);
  const svg = 'value' in report ? null : layoutSvg(report, theme, steps);
  const alt = t('Offsets of the layout; equal colors mean equal offsets modulo 8');
  return joined(
    [
      markup`# ${codeSpan(expression)}`,
      ...(svg === null ? [] : [picture(alt, previewUri(svg))]),
      codeBlock(reportText(report)),
      '',
    ],
    '\n\n',
  );
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
